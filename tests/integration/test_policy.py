"""A fit that would spend more than a policy allows is refused before a row is read."""

import json

import pytest
from people import people

from sdv_prefair import load_release
from sdv_prefair.cli import main
from sdv_prefair.fair_metadata import FairMetadata
from sdv_prefair.privacy import gaussian_epsilon_of

PEOPLE = people(300)


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp('policy')
    PEOPLE.frame.to_csv(folder / 'people.csv', index=False)
    metadata = FairMetadata.from_metadata(PEOPLE.metadata, PEOPLE.roles)
    metadata.save_to_json(str(folder / 'metadata.json'))
    (folder / 'released').mkdir()
    assert fit(folder, 'released/first.prefair', '--epsilon', '1') == 0
    return folder


def fit(folder, out, *options):
    line = ['fit', 'people.csv', '--metadata', 'metadata.json', '--out', out]
    line = [str(folder / part) if '.' in part else part for part in line]
    return main([*line, '--ranges-are-public', '--quiet', *options])


def policy(folder, **limits):
    path = folder / 'policy.json'
    path.write_text(json.dumps(limits), 'utf-8')
    return '--policy', str(path)


def test_a_fit_within_the_policy_says_what_it_has_spent(folder, capsys):
    given = policy(folder, table=3, person=3.5, year=2, releases=['released'])
    assert fit(folder, 'second.prefair', '--epsilon', '1', *given) == 0
    told = capsys.readouterr().out
    first = load_release(folder / 'released' / 'first.prefair')
    rho = 2 * first.get_privacy_ledger()['rho'].sum()
    total = f'{gaussian_epsilon_of(rho, 1e-9):.4g}'
    assert f'people in one table: epsilon {total} of 3, with 1 earlier release.' in told
    assert told.count('Within the policy') == 3


@pytest.mark.parametrize('limit', ['table', 'person', 'year'])
def test_a_fit_past_the_policy_is_refused_and_nothing_is_written(folder, limit, capsys):
    given = policy(folder, **{limit: 1.2}, releases=['released/first.prefair'])
    assert fit(folder, 'third.prefair', '--epsilon', '1', *given) == 2
    assert 'past the policy' in capsys.readouterr().err
    assert not (folder / 'third.prefair').exists()


def test_fits_of_other_tables_count_for_persons_alone(folder, capsys):
    text = (folder / 'metadata.json').read_text('utf-8').replace('"people"', '"others"')
    (folder / 'metadata.json').write_text(text, 'utf-8')
    try:
        given = policy(folder, table=1, person=2, releases=['released'])
        assert fit(folder, 'other.prefair', '--epsilon', '1', *given) == 0
        told = capsys.readouterr().out
        assert 'people in one table: epsilon 1 of 1, with 0 earlier releases' in told
        assert 'with 1 earlier release.' in told
    finally:
        (folder / 'metadata.json').write_text(text.replace('"others"', '"people"'), 'utf-8')


def test_a_limit_alone_needs_no_file(folder, capsys):
    assert fit(folder, 'fourth.prefair', '--epsilon', '2', '--max-epsilon', '1.5') == 2
    assert 'people in every table: epsilon 2 of 1.5' in capsys.readouterr().err


@pytest.mark.parametrize(('text', 'wrong'), [
    ('[]', 'must be a JSON object'), ('{"most": 1}', 'must be a JSON object'),
    ('{', 'cannot be read'), ('{"table": "1"}', 'must be an epsilon above 0'),
    ('{"year": 0}', 'must be an epsilon above 0'),
    ('{"table": 1, "releases": "x"}', 'must be a list'),
    ('{"table": 1, "releases": ["gone.prefair"]}', 'There is no'),
])  # fmt: skip
def test_a_policy_that_cannot_be_followed_stops_the_fit(folder, text, wrong, capsys):
    (folder / 'wrong.json').write_text(text, 'utf-8')
    assert fit(folder, 'fifth.prefair', '--policy', str(folder / 'wrong.json')) == 2
    assert wrong in capsys.readouterr().err
