"""A release that does not keep what it promises is refused."""

import io
import json

import numpy as np
import pytest
from hostile_releases import WIDE, edited, npy, replacing, unpacked
from releases import fit

from sdv_prefair.errors import UnfairModelError
from sdv_prefair.release._archive import pack
from sdv_prefair.release._strategy import ReleasedMechanism

TREES = [
    [('sex', 'grade'), ('grade', 'hours'), ('grade', 'paid'), (last, 'hired')]
    for last in ('hours', 'grade')
]


def hidden(members):
    """The release with a model that ties sex, grade and pay together, and cliques that do not."""
    release = json.loads(members['release.json'])
    model = release['model']
    sizes = {column['name']: column['groups'] for column in model['columns']}
    joined = ['sex', 'grade', 'paid']
    nodes = [joined, *([column] for column in sizes if column not in joined)]
    model['nodes'] = [{'columns': columns, 'parent': None} for columns in nodes]
    model['cliques'], model['measurements'] = [joined[:2], joined[1:], *nodes[1:]], []
    changed = {n: c for n, c in members.items() if n.startswith(('groups', 'weights', 'metadata'))}
    for place, columns in enumerate(nodes):
        table = np.ones([sizes[column] for column in columns])
        changed[f'tables/{place}.npy'] = npy(table / table.size)
    return pack(changed | {'release.json': json.dumps(release).encode()})


def test_a_model_that_hides_what_it_ties_is_refused(opened, members):
    assert opened(hidden(members)) is None


def test_an_unfair_model_does_not_pass_for_a_fair_one(opened, tmp_path):
    tree = (('sex', 'paid'), ('sex', 'grade'), ('grade', 'hours'))
    unfair = fit(structure=ReleasedMechanism('own', False, tree))
    unfair.save_release(tmp_path / 'unfair')
    members = unpacked((tmp_path / 'unfair').read_bytes())
    (tmp_path / 'unfair').unlink()
    # The same file is fine as long as it does not claim to be fair: so the reason is fairness.
    with pytest.raises(UnfairModelError):
        opened(pack(members)).verify_fairness()
    claim = replacing(['parameters', 'structure', 'requires_roles'], True)
    assert opened(edited(members, release=claim)) is None


def test_values_outside_the_domain_are_not_drawn(opened, synthesizer, members):
    """They would come back as declared values, and mix rows that the model keeps apart."""
    hidden = synthesizer.fitted.encoding.hidden_codes['sex']
    weights = np.load(io.BytesIO(members['weights/0.npy'])).copy()
    both = [hidden['other'], hidden['stand_in']]
    assert weights[hidden['other']] == 0
    weights[both] = weights[both[::-1]]
    assert opened(pack(members | {'weights/0.npy': npy(weights)})) is None


TIE = {
    'kind': 'FixedCombinations',
    'arguments': {'column_names': ['sex', 'paid'], 'table_name': None},
    'learnt': ['["F", true]'],
}


@pytest.mark.parametrize(
    ('path', 'value'),
    [
        (['parameters', 'epsilon'], 0.5),
        (['parameters', 'delta'], 1e-3),
        (['parameters', 'max_rows_per_person'], 0),
        (['parameters', 'protected'], ['nobody']),
        (['parameters', 'admissible'], ['paid']),
        (['parameters', 'locales'], ['../../evil']),
        (['parameters', 'locales'], ['en_XX']),
        (['parameters', 'structure'], [['sex', 'paid']]),
        (['parameters', 'structure'], {'$type': 'strategy'}),
        (['ledger', 'budget'], '1'),
        (['ledger', 'budget'], '1e9'),
        (['ledger', 'lines', 0, 'rho'], '1'),
        (['ledger', 'lines', 0, 'rho'], '-1/4'),
        (['ledger', 'lines', 0, 'rho'], '1/0'),
        (['ledger', 'lines', 0, 'rho'], '1/3000000'),
        (['ledger', 'lines', 0, 'delta'], 1e-10),
        (['ledger', 'lines', 0, 'columns'], ['nobody']),
        (['ledger', 'reserved_delta'], 0.4),
        (['ledger', 'reserved_delta'], 2),
        (['ledger', 'lines'], []),
        (['ledger', 'lines', 0, 'scale'], 1e-6),
        (['ledger', 'lines', 0, 'scale'], None),
        (['ledger', 'lines', 0, 'mechanism'], 'exponential'),
        (['ledger', 'lines', 0, 'mechanism'], 'none'),
        (['ledger', 'lines', 0, 'step'], 'look'),
        (['ledger', 'lines', 0, 'columns'], ['paid']),
        (['ledger', 'lines', -1, 'columns'], ['paid']),
        (['ledger', 'learning_lines'], 1),
        (['model', 'total'], 0),
        (['model', 'total'], True),
        (['model', 'gap'], -1),
        (['model', 'gap'], None),
        (['model', 'estimator'], 'other'),
        (['model', 'estimator'], 'mbi'),
        (['parameters', 'estimator'], 'mbi'),
        (['model', 'nodes', 1, 'parent'], 1),
        (['model', 'nodes', 1, 'parent'], None),
        (['model', 'nodes', 1, 'parent'], -1),
        (['model', 'nodes', 0, 'parent'], 0),
        (['model', 'nodes', 0, 'columns'], []),
        (['model', 'measurements', 0, 'stddev'], 0),
        (['model', 'measurements', 0, 'stddev'], -2),
        (['model', 'measurements', -1, 'stddev'], 1e-6),
        (['model', 'measurements', 0, 'columns'], ['sex', 'paid']),
        (['model', 'cliques'], []),
        (['model', 'cliques'], [['sex', 'grade', 'hours', 'hired', 'paid']]),
        (['given_names'], ['a', 'b']),
        (['fit', 'fitted'], 'yesterday'),
        (['columns', 1, 'dtype'], 'datetime64[ns, ../../etc/localtime]'),
        (['columns', 1, 'dtype'], 'datetime64[ns, dateutil//etc/localtime]'),
        (['columns', 1, 'dtype'], 'V8'),
        (['columns', 1, 'dtype'], None),
        (['columns', 1, 'name'], 'nobody'),
        (['learnt'], [{'name': 'sex', 'values': ['F', 'M'], 'facts': {}}]),
        (['chosen'], [WIDE | {'kind': 'PseudoAnonymizedFaker'}]),
        (['chosen'], [WIDE | {'name': 'key'}]),
        (['constraints'], [{'kind': 'ProgrammableConstraint', 'arguments': {}, 'learnt': None}]),
        (['constraints'], [TIE]),
    ],
)
def test_what_does_not_hold_is_refused(opened, members, path, value):
    assert opened(edited(members, release=replacing(path, value))) is None


def test_another_tree_than_that_of_the_model_is_refused(opened, members):
    cliques = {frozenset(c) for c in json.loads(members['release.json'])['model']['cliques']}
    tree = next(tree for tree in TREES if set(map(frozenset, tree)) != cliques)
    changed = replacing(['parameters', 'structure'], tree)
    assert opened(edited(members, release=changed)) is None


@pytest.mark.parametrize(
    ('keys', 'value'),
    [
        (['tables'], {}),
        (['tables', 'staff', 'columns', 'sex', 'sdtype'], 'binary'),
        (['tables', 'staff', 'columns', 'sex', 'range_values'], ['F', 'M', 'X']),
        (['tables', 'staff', 'columns', 'hired', 'datetime_format'], '%999999999d'),
        (['tables', 'staff', 'columns', 'key', 'regex_format'], '(' * 900),
        (['tables', 'staff', 'columns', 'key', 'regex_format'], 'a{1,99999}'),
        (['tables', 'staff', 'primary_key'], 'nobody'),
        (['relationships'], [{'parent_table_name': 'staff'}]),
    ],
)
def test_metadata_that_asks_for_too_much_is_refused(opened, members, keys, value):
    assert opened(edited(members, metadata=replacing(keys, value))) is None


@pytest.mark.parametrize('name', ['../staff', '..', 'a/b', 'a\\b', '', 'x' * 300, 'a\nb'])
def test_a_table_cannot_be_named_to_write_elsewhere(opened, members, name):
    def change(metadata):
        metadata['tables'] = {name: metadata['tables']['staff']}

    assert opened(edited(members, metadata=change)) is None


def spoilt(array):
    yield np.full(array.shape, np.nan)
    yield -array - 1
    yield array * 2 + (1e-3 if array.dtype == float else 1)
    yield array.astype('<f4')
    yield array.astype('>f8')
    yield array.astype('<c16')
    yield array[..., :-1]
    yield np.append(array, array[-1:], axis=0)
    yield array.ravel().reshape(1, -1) if array.ndim != 2 else array.ravel()
    yield np.zeros(array.shape, dtype='<U8')
    yield np.zeros(array.shape, dtype=[('a', '<i4'), ('b', '<i4')])
    yield np.zeros(array.shape, dtype='<M8[s]')
    yield array.view('<i8') if array.dtype == float else array.astype(float)
    if array.ndim == 2 and min(array.shape) > 1:  # negative, with the sums it should have
        moved = np.zeros_like(array)
        moved[:2, :2] = [[1, -1], [-1, 1]]
        yield array + moved


@pytest.mark.slow
def test_tables_that_are_no_probabilities_are_refused(opened, members):
    chosen = [n for n in members if n.startswith(('tables/', 'groups/', 'weights/'))]
    assert {name.split('/')[0] for name in chosen} == {'tables', 'groups', 'weights'}
    for name in chosen:
        for wrong in spoilt(np.load(io.BytesIO(members[name]))):
            assert opened(pack(members | {name: npy(wrong)})) is None
    for name in [n for n in members if n.startswith('groups/')]:
        groups = np.load(io.BytesIO(members[name]))
        for wrong in (groups + 1, groups - 1, groups[::-1] * 0, groups * 2**40):
            assert opened(pack(members | {name: npy(wrong)})) is None
