"""A release of a graph beyond a tree, and its ledger, say what they are."""

import json

import pytest
from hostile_releases import edited, replacing, unpacked
from releases import fit, tied_rows

from sdv_prefair.release._archive import pack

NAMES = ['adaptive', 'greedy', 'exact', 'none']


@pytest.fixture(scope='module')
def members(tmp_path_factory):
    synthesizer = fit(tied_rows(), structure='aim', epsilon=1e6)
    assert len(synthesizer.get_fair_graph().edges) == 4, 'the test needs a chord'
    path = tmp_path_factory.mktemp('aim') / 'release'
    synthesizer.save_release(path)
    return unpacked(path.read_bytes())


def test_it_opens_as_it_is(opened, members):
    assert opened(pack(members)).verify_fairness() is True


@pytest.mark.parametrize('name', NAMES)
def test_a_graph_does_not_pass_for_a_tree(opened, members, name):
    asked = replacing(['parameters', 'structure'], name)
    assert opened(edited(members, release=asked)) is None
    edges = json.loads(members['release.json'])['model']['measurements'][-4:]
    own = {'$type': 'strategy', 'requires_roles': True, 'edges': [e['columns'] for e in edges]}
    for claimed, opens in ((name, False), ('own', True), ('aim', True)):
        asked = replacing(['parameters', 'structure'], own | {'name': claimed})
        assert (opened(edited(members, release=asked)) is not None) == opens


def test_nobody_has_proven_it_the_best(opened, members):
    assert opened(edited(members, release=replacing(['model', 'gap'], 0.0))) is None


def every(*keys, value):
    """Return a change of one field of all lines of the ledger, or of all measurements."""

    def change(release):
        *path, last = keys
        items = release
        for key in path:
            items = items[key]
        for item in items:
            # Unequal deviations of cells are in an array, and no field.
            item[last] = value if item[last] is not None else None

    return change


def first_lines(count):
    def change(release):
        release['ledger']['lines'] = release['ledger']['lines'][:count]

    return change


def one_look_less(release):
    """The budget is still spent, but the chord was looked at once, and by less."""
    lines = release['ledger']['lines']
    chord = set(release['model']['measurements'][-1]['columns'])
    looks = [line for line in lines if line['step'] == 'measure two-ways']
    (first, last) = [line for line in looks if set(line['columns']) == chord]
    first['columns'] = next(line for line in looks if set(line['columns']) != chord)['columns']
    assert last['columns'] != first['columns']


@pytest.mark.parametrize(
    'change',
    [
        first_lines(0),
        first_lines(1),
        first_lines(-1),
        every('ledger', 'lines', 'scale', value=1e-6),
        every('model', 'measurements', 'stddev', value=1e-6),
        one_look_less,
    ],
    ids=['no line', 'one line', 'one short', 'scales', 'stddevs', 'one look'],
)
def test_a_ledger_that_does_not_pay_for_the_model_is_refused(opened, members, change):
    assert opened(edited(members, release=change)) is None
