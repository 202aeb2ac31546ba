"""Releases whose ledger does not add up, or whose model is none."""

import json

import numpy as np
from hostile_releases import COLUMNS, edited, npy, replacing

from message_catalogue.opening import (
    Opened,
    members,
    model_of,
    with_array,
    with_field,
    with_metadata,
)
from sdv_prefair.release._archive import pack

TREES = [
    [('grade', 'sex'), ('grade', 'hours'), ('grade', 'paid'), ('hours', 'hired')],
    [('grade', 'sex'), ('grade', 'hours'), ('grade', 'paid'), ('grade', 'hired')],
]
GRADES = {'sdtype': 'ordinal', 'range_values': ['a', 'b', 'c']}


def another_tree():
    cliques = {frozenset(clique) for clique in model_of(members())['cliques']}
    (tree, *_) = [tree for tree in TREES if set(map(frozenset, tree)) != cliques]
    return with_field('parameters', 'structure', [list(pair) for pair in tree])


def with_model(change):
    """Return the release with a changed model; a function of the model it was."""
    return with_field('model', change(model_of(members())))


def no_looks():
    """Return a release whose bins follow the data, though nobody has paid for a look at it."""
    lines = json.loads(members()['release.json'])['ledger']['lines']
    steps = {'discretize': 'learn domains'}
    told = [line | {'step': steps.get(line['step'], line['step'])} for line in lines]
    return with_field('ledger', 'lines', told)


def apart(**changes):
    """Return a release in which every column is a node of its own."""
    model = model_of(members())
    sizes = {column['name']: column['groups'] for column in model['columns']}
    nodes = [{'columns': [column], 'parent': None} for column in sizes]
    nodes[1] |= changes
    model |= {'nodes': nodes, 'cliques': [[c] for c in sizes], 'measurements': []}
    tables = {
        f'tables/{place}.npy': npy(np.full(size, 1 / size))
        for place, size in enumerate(sizes.values())
    }
    release = json.loads(members()['release.json']) | {'model': model}
    return pack(members() | tables | {'release.json': json.dumps(release).encode()})


def one_node():
    """Return a release that draws from a table no clique of it holds."""
    model = model_of(members())
    sizes = {column['name']: column['groups'] for column in model['columns']}
    joined = ['sex', 'grade', 'paid']
    nodes = [joined, *([column] for column in sizes if column not in joined)]
    model['nodes'] = [{'columns': columns, 'parent': None} for columns in nodes]
    shapes = [[sizes[column] for column in columns] for columns in nodes]
    tables = {
        f'tables/{place}.npy': npy(np.full(shape, 1 / np.prod(shape)))
        for place, shape in enumerate(shapes)
    }
    release = json.loads(members()['release.json']) | {'model': model}
    return pack(members() | tables | {'release.json': json.dumps(release).encode()})


def other_drawn(weights):
    """Return weights with which a value is drawn that is not declared."""
    other = len(COLUMNS['sex']['range_values'])
    weights[[other, other + 1]] = weights[[other + 1, other]]
    return weights


def far_off():
    def change(release):
        release['model']['measurements'][0]['stddev'] = 1e-300

    return edited(members(), release=change)


def last_unmeasured():
    """Return a release without the measurement of an edge of its tree."""
    measured = model_of(members())['measurements'][:-1]
    kept = {n: c for n, c in members().items() if n != f'measurements/{len(measured)}.npy'}
    return edited(kept, release=replacing(['model', 'measurements'], measured))


def threshold_for_nothing():
    def change(release):
        line = release['ledger']['lines'][0]
        line |= {'step': 'learn domains', 'mechanism': 'discrete Gaussian, threshold'}

    return edited(members(), release=change)


def without_last_line():
    def change(release):
        del release['ledger']['lines'][-1]

    return edited(members(), release=change)


def first_named(model):
    columns = model['columns']
    return model | {'columns': [columns[0], columns[1] | {'name': columns[0]['name']}]}


LEDGER = [
    Opened(
        lambda: with_field('ledger', 'reserved_delta', 0.5),
        'The ledger of the release reserves more delta than there is.',
    ),
    Opened(
        lambda: with_field('ledger', 'accounting', 'GDP'),
        'The ledger of the release composes its lines in a way that their noise does not allow.',
    ),
    Opened(
        lambda: with_field('ledger', 'budget', '1'),
        'The budget in the ledger of the release does not follow from epsilon and delta.',
    ),
    Opened(
        lambda: with_field('ledger', 'lines', 0, 'rho', '1'),
        'The ledger of the release does not add up: more is spent than allowed.',
    ),
    Opened(
        lambda: with_field('ledger', 'lines', 0, 'rho', '1/3'),
        'An amount in the ledger of the release is not a dyadic fraction.',
    ),
    Opened(
        lambda: with_field('ledger', 'lines', 0, 'delta', 0.001),
        'The ledger of the release spends more delta than was set aside.',
    ),
]

PAID = [
    Opened(
        lambda: with_field('account', 0, 'lines', 0),
        'An attempt in the account of the release spends an amount that no lines can add up to.',
    ),
    Opened(
        lambda: with_field('account', 0, 'outcome', 'failed'),
        'The account of the release does not contain the fit of the model.',
    ),
    Opened(
        without_last_line,
        'The lines in the ledger of the release do not add up to its budget.',
    ),
    Opened(
        lambda: with_field('ledger', 'lines', 0, 'step', 'look at the rows'),
        'A line of the ledger of the release is of an unknown kind.',
    ),
    Opened(
        threshold_for_nothing,
        'In the ledger of the release thresholds must cost some of delta, and nothing else may.',
    ),
    Opened(
        lambda: with_field('ledger', 'lines', 0, 'scale', 0.001),
        'A line of the ledger of the release has less noise than its rho requires.',
    ),
    Opened(
        last_unmeasured,
        'The model of the release connects columns that were never measured together.',
    ),
    Opened(
        lambda: with_field('model', 'measurements', -1, 'stddev', 0.001),
        'A measurement of the release claims to be more precise than the ledger pays for.',
    ),
    Opened(
        lambda: with_field('ledger', 'learning_lines', 0),
        'The release has learnt a domain that its ledger does not pay for.',
    ),
    Opened(
        no_looks,
        'The release has bins of a column that its ledger does not pay for.',
    ),
]

CODES = [
    Opened(
        lambda: with_array('groups/0.npy', lambda groups: groups - 1),
        'A column of the release has codes in groups that do not exist.',
    ),
    Opened(
        lambda: with_array('weights/0.npy', lambda weights: 2 * weights),
        'A column of the release has weights that are not probabilities.',
    ),
    Opened(
        lambda: with_array('weights/0.npy', other_drawn),
        'The release samples values outside the domain of a column.',
    ),
    Opened(
        lambda: with_metadata('grade', GRADES),
        'The model of the release has other columns or codes than its metadata.',
    ),
    Opened(
        lambda: with_model(first_named),
        'The model of the release names a column twice, or none.',
    ),
]

NODES = [
    Opened(
        lambda: with_field('model', 'nodes', 1, 'parent', None),
        'The nodes of the release do not form a junction tree.',
    ),
    Opened(
        lambda: apart(parent=0),
        'A node of the release shares nothing with its parent.',
    ),
    Opened(
        lambda: with_array('tables/0.npy', lambda table: 2 * table),
        'A table of the release does not contain probabilities.',
    ),
    Opened(
        lambda: with_array('tables/1.npy', lambda table: 0 * table + 1 / table.size),
        'Two tables of the release disagree on a column they share.',
    ),
    Opened(
        lambda: with_model(lambda model: model | {'nodes': model['nodes'][:-1]}),
        'The nodes of the release do not cover all columns.',
    ),
    Opened(
        one_node,
        'The model of the release connects columns that its cliques do not.',
    ),
    Opened(
        lambda: with_model(
            lambda model: model | {'cliques': [*model['cliques'], list(COLUMNS)[1:]]}
        ),
        'The cliques of the release are not those of its model.',
    ),
    Opened(
        another_tree,
        'The model of the release is not the one that was asked for.',
    ),
    Opened(
        lambda: with_field('model', 'estimator', 'mbi'),
        'The model of the release does not come from the estimator it names.',
    ),
    Opened(
        lambda: with_field('model', 'measurements', 0, 'columns', []),
        'A measurement of the release is not covered by any clique.',
    ),
    Opened(
        far_off,
        'The measurements of the release are too far from its model.',
    ),
]

MESSAGES = [*LEDGER, *PAID, *CODES, *NODES]
