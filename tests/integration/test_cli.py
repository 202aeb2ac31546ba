"""The command line as a newcomer uses it: files in, files out, one line for wrong use."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from sdv.metadata import Metadata

from sdv_prefair import FairMetadata, Roles, load_metadata, load_release, save_metadata
from sdv_prefair._metadata_files import facts_of
from sdv_prefair._sdv_versions import accepted
from sdv_prefair.cli import main
from sdv_prefair.datasets import simulate_census

pytestmark = pytest.mark.filterwarnings('ignore::sdv_prefair.errors.PrivacyWarning')


# What SDV detects by types and names, and not by values.
DETECTED = {'sdtype', 'datetime_format', 'pii', 'regex_format'}


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    """A folder with a table as CSV and Parquet, its metadata with roles, and a release."""
    folder = tmp_path_factory.mktemp('cli')
    census = simulate_census(1500, seed=3)
    (table,) = census.data.values()
    table.to_csv(folder / 'people.csv', index=False)
    table.to_parquet(folder / 'people.parquet', index=False)
    save_metadata(census.metadata, census.roles, folder / 'metadata.json')
    assert fit(folder, 'people.csv', 'model.prefair') == 0
    return folder


def fit(folder, data, out, *more):
    return main([
        'fit', str(folder / data), '--metadata', str(folder / 'metadata.json'),
        '--out', str(folder / out), '--ranges-are-public', '--quiet', *more,
    ])  # fmt: skip


def test_demo_compares_and_writes(tmp_path, capsys):
    # With this epsilon both numbers are six standard deviations and more from the limit below.
    line = ['demo', '--rows', '1500', '--epsilon', '100', '--out', str(tmp_path / 'demo')]
    assert main(line) == 0
    shown = capsys.readouterr().out
    for text in ('plain MST', 'PreFair', 'direct dependence', 'What was given up', 'Guaranteed'):
        assert text in shown
    names = {path.name for path in (tmp_path / 'demo').iterdir()}
    assert names == {'synthetic.csv', 'graphs.html', 'census.prefair'}
    assert len(pd.read_csv(tmp_path / 'demo' / 'synthetic.csv')) == 1500
    lines = {line[:34].strip(): line[34:].split() for line in shown.splitlines()}
    (header,) = [line for line in shown.splitlines() if line.startswith(' ' * 34)]
    # What is promised comes first, and the ceiling is a line of its own.
    assert header.split()[:2] == ['direct', 'dependence']
    assert float(lines['plain MST'][0]) > 0.03
    assert float(lines['PreFair'][0]) < 0.03
    assert lines['real rows, admissible columns only'][0] == '-'
    page = (tmp_path / 'demo' / 'graphs.html').read_text(encoding='utf-8')
    assert 'plain MST: ' in page
    assert 'PreFair: every path to the outcome passes through the wall' in page


def test_domain_writes_kinds_and_no_values(folder, tmp_path, capsys):
    out = tmp_path / 'skeleton.json'
    assert main(['domain', str(folder / 'people.csv'), '--out', str(out)]) == 0
    metadata, roles = load_metadata(out)
    assert not roles
    assert set(metadata.tables) == {'people'}
    assert 'null for all that is left to' in capsys.readouterr().out
    columns = json.loads(out.read_text())['tables']['people']['columns']
    assert columns['age']['range_min'] is columns['age']['role'] is None
    facts = {key: v for about in columns.values() for key, v in about.items() if key[0] != '_'}
    assert {key for key, value in facts.items() if value is not None} <= DETECTED
    assert all(f'_{key}' in columns['age'] for key in ('range_min', 'range_max', 'role', 'sdtype'))


def test_domain_shows_values_if_asked_and_they_are_not_read(folder, tmp_path, capsys):
    out = tmp_path / 'skeleton.json'
    assert main(['domain', str(folder / 'people.csv'), '--out', str(out), '--values']) == 0
    assert 'NOT PRIVATE' in capsys.readouterr().out
    about = json.loads(out.read_text())['tables']['people']['columns']['sex']
    assert sorted(about['_range_values_in_the_data_NOT_PRIVATE']) == ['female', 'male']
    metadata, _ = load_metadata(out)
    assert metadata.tables['people'].columns['sex'] == {'sdtype': 'categorical'}


def test_a_form_that_is_filled_in_is_metadata_wherever_it_is_given(folder, tmp_path):
    out = tmp_path / 'form.json'
    assert main(['domain', str(folder / 'people.csv'), '--out', str(out)]) == 0
    document = json.loads(out.read_text())
    columns = document['tables']['people']['columns']
    columns['age'] |= {'range_min': 17, 'range_max': 90, 'range_is_nullable': False}
    columns['sex'] |= {'range_values': ['female', 'male'], 'role': 'protected'}
    columns['education']['role'], columns['income']['role'] = 'admissible', 'outcome'
    out.write_text(json.dumps(document))
    metadata, roles = load_metadata(out)
    accepted(metadata).validate()
    assert roles == Roles(['sex'], ['education'], ['income'])
    about = {'sdtype': 'numerical', 'range_min': 17, 'range_max': 90, 'range_is_nullable': False}
    assert metadata.tables['people'].columns['age'] == about
    for fair in (FairMetadata.load_from_json(out), FairMetadata.load_from_dict(document)):
        assert fair.get_roles() == roles
        assert fair.tables['people'].columns == metadata.tables['people'].columns
    for domain in (out, document, {'age': columns['age']}):
        assert facts_of(domain)['age'] == about


def test_fit_says_what_was_spent_and_promised(folder, capsys):
    assert fit(folder, 'people.parquet', 'other.prefair', '--epsilon', '2') == 0
    shown = capsys.readouterr().out
    assert 'epsilon = 2' in shown
    assert 'income is independent of sex, race given' in shown


def test_sample_writes_rows_and_meets_conditions(folder, capsys):
    model = str(folder / 'model.prefair')
    for name in ('rows.csv', 'rows.parquet'):
        out = folder / name
        assert main(['sample', model, '--rows', '70', '--out', str(out)]) == 0
        read = pd.read_csv if name.endswith('csv') else pd.read_parquet
        assert len(read(out)) == 70
    some = folder / 'some.csv'
    where = ['--where', 'sex=female', '--where', 'hours=45']
    assert main(['sample', model, '--rows', '9', '--out', str(some), *where]) == 0
    rows = pd.read_csv(some)
    assert (rows['sex'] == 'female').all()
    assert (rows['hours'] == 45).all()
    capsys.readouterr()


def test_estimate_prints_intervals_and_what_they_rest_on(folder, capsys):
    release = str(folder / 'model.prefair')
    assert main(['estimate', release, 'income']) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ['income', 'estimate', 'std.', 'error', 'lower', 'upper', 'basis']
    assert [line.split()[0] for line in lines[1:]] == ['<=50K', '>50K']
    assert all(line.endswith('measured') for line in lines[1:])
    crossing = ['estimate', release, 'income by sex', '--replicates', '3', '--seed', '1']
    assert main([*crossing, '--quiet']) == 2
    assert 'leaves that out on purpose' in capsys.readouterr().err
    crossing.append('--in-the-fair-table')
    assert main([*crossing, '--quiet']) == 0
    first = capsys.readouterr()
    assert first.out.startswith('NOT about the private table or its population')
    assert first.err == ''
    assert main([*crossing, '--quiet']) == 0
    assert capsys.readouterr().out == first.out, 'a seed makes it the same'
    assert main(['estimate', release, 'planet']) == 2
    assert "does not have the columns ['planet']" in capsys.readouterr().err


def test_a_report_is_written_for_programs_too(folder, tmp_path, capsys):
    model, page, record = str(folder / 'model.prefair'), tmp_path / 'p.html', tmp_path / 'r.json'
    about = tmp_path / 'about.yaml'
    about.write_text('legal_basis: consent\npublished: 2026-11-30\n', 'utf-8')
    options = ['--out', str(page), '--record', str(record), '--about', str(about)]
    assert main(['report', model, *options]) == 0
    assert 'consent' in page.read_text('utf-8')
    written = json.loads(record.read_text('utf-8'))
    assert set(written) == {'registry', 'croissant', 'dp_event', 'page'}
    assert written['registry']['deployment']['basic']['publication_date'] == '2026-11-30'
    assert main(['report', model, '--out', str(page), '--record', str(tmp_path / 'r.txt')]) == 2
    assert '--record' in capsys.readouterr().err


def test_report_and_evaluate(folder, capsys):
    model, page = str(folder / 'model.prefair'), folder / 'report.html'
    assert main(['report', model, '--out', str(page)]) == 0
    assert '<html' in page.read_text()[:500]
    rows = folder / 'synthetic.csv'
    assert main(['sample', model, '--rows', '1500', '--out', str(rows)]) == 0
    arguments = ['--real', str(folder / 'people.csv'), '--metadata', str(folder / 'metadata.json')]
    capsys.readouterr()
    assert main(['evaluate', str(rows), *arguments]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith('Computed on the real table: these numbers are not private.')
    assert 'not made by us: measured only' in shown
    assert 'guaranteed' not in shown
    lines = shown.splitlines()
    assert len(lines) <= 25 and max(map(len, lines)) <= 100
    assert any(line.startswith('  synthetic rows  ') for line in lines[:6]), 'verdicts first'
    assert 'AUC for income (majority .5): ' in shown
    assert main(['evaluate', str(rows), *arguments, '--release', model, '--all']) == 0
    shown = capsys.readouterr().out
    assert 'codes of the model' in shown
    assert 'ConditionalDemographicParity' in shown
    assert 'These are the rows of the release: its statements are guaranteed' in shown


def test_evaluate_writes_a_page_and_json(folder, capsys):
    rows, page = folder / 'people.csv', folder / 'evaluation.html'
    files = ['--real', str(rows), '--metadata', str(folder / 'metadata.json')]
    release = ['--release', str(folder / 'model.prefair')]
    assert main(['evaluate', str(rows), *files, *release, '--json', '--out', str(page)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told['provenance'].startswith('NOT rows of the release: ')
    verdict = told['verdicts'][0]['synthetic']
    assert verdict['kind'] in {'fair within', 'unfair by at least', 'cannot be told'}
    assert verdict['at_least'] <= verdict['within']
    text = page.read_text()
    assert verdict['sentence'].replace('<', '&lt;') in text
    assert 'Group Rates' in text and 'http' not in text.partition('<script')[0].replace('http-', '')


def test_evaluate_shows_a_spike_that_equal_bins_hide(tmp_path, capsys):
    """The binned measure finds next to nothing, and the line below it finds the spike."""
    rng = np.random.default_rng(0)
    texts = {'sdtype': 'categorical'}
    gain = {'sdtype': 'numerical', 'range_min': 0, 'range_max': 100_000, 'decimal_places': 0}
    columns = {'sex': texts, 'grade': texts, 'paid': texts, 'gain': gain}
    described = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    save_metadata(described, Roles(['sex'], ['grade'], ['paid']), tmp_path / 'metadata.json')
    real = pd.DataFrame({
        **{name: rng.choice(['a', 'b'], 2000) for name in ('sex', 'grade', 'paid')},
        'gain': np.where(rng.random(2000) < 0.9, 0, 3000),
    })
    real.to_csv(tmp_path / 'real.csv', index=False)
    # Both lie in the first of 32 bins.
    real.assign(gain=rng.integers(0, 3001, 2000)).to_csv(tmp_path / 'flat.csv', index=False)
    arguments = ['--real', tmp_path / 'real.csv', '--metadata', tmp_path / 'metadata.json']
    assert main(['evaluate', '--all', *map(str, [tmp_path / 'flat.csv', *arguments])]) == 0
    lines = capsys.readouterr().out.splitlines()
    (binned,) = [line for line in lines if re.search('OneWayTotalVariation +gain', line)]
    assert binned.split()[-2:] == ['1.0000', '0.0000']
    (heading,) = [place for place, line in enumerate(lines) if line.startswith('Numbers and dates')]
    real_line, synthetic_line = (line.split() for line in lines[-2:])
    assert lines[heading + 2].split()[:4] == ['KS', 'nulls', 'value', 'share']
    assert real_line[:2] == ['gain', 'real']
    assert float(real_line[2]) > 0.85
    assert float(real_line[5]) == pytest.approx(0.9, abs=0.03)
    assert synthetic_line[0] == 'synthetic'
    assert float(synthetic_line[4]) < 0.01


def test_evaluate_says_when_strata_are_bins_of_the_metric(tmp_path, capsys):
    rows, metadata = tmp_path / 'rows.csv', tmp_path / 'metadata.json'
    texts = {'sdtype': 'categorical'}
    columns = {'sex': texts, 'score': {'sdtype': 'numerical'}, 'paid': texts}
    described = Metadata.load_from_dict({'tables': {'t': {'columns': columns}}})
    save_metadata(described, Roles(['sex'], ['score'], ['paid']), metadata)
    numbers = range(400)
    pd.DataFrame({
        'sex': ['FM'[n % 2] for n in numbers],
        'score': [n / 7 for n in numbers],
        'paid': [['no', 'yes'][n % 3 == 0] for n in numbers],
    }).to_csv(rows, index=False)
    arguments = [str(rows), '--real', str(rows), '--metadata', str(metadata), '--all']
    assert main(['evaluate', *arguments]) == 0
    shown = capsys.readouterr().out
    assert 'may be an effect of the binning' in shown
    assert 'own bins of score' in shown


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        ('fit {f}/none.csv --metadata {f}/metadata.json --out {f}/z.prefair', 'There is no file'),
        ('fit {f}/people.csv --metadata {f}/none.json --out {f}/z.prefair', 'none.json'),
        ('fit {f}/people.csv --metadata {f}/people.csv --out {f}/z.prefair', ''),
        (
            'fit {f}/people.csv --metadata {f}/metadata.json --protected zip --out {f}/z.prefair',
            "'zip'",
        ),
        (
            'fit {f}/people.csv --metadata {f}/metadata.json --epsilon 0 --out {f}/z.prefair',
            'epsilon',
        ),
        (
            'fit {f}/metadata.json --metadata {f}/metadata.json --out {f}/z.prefair',
            '.csv, .tsv or .parquet',
        ),
        ('sample {f}/people.csv --rows 3 --out {f}/z.csv', 'not a release'),
        ('sample {f}/none --rows 3 --out {f}/z.csv', 'none'),
        ('sample {f}/model.prefair --rows 3 --out {f}/z.txt', '.csv or .parquet'),
        ('sample {f}/model.prefair --rows 3 --out {f}/no/z.csv', 'no'),
        ('sample {f}/model.prefair --rows 3 --out {f}/z.csv --where sex=martian', "'female'"),
        ('sample {f}/model.prefair --rows 3 --out {f}/z.csv --where height=3', 'COLUMN=VALUE'),
        ('sample {f}/model.prefair --rows 3 --out {f}/z.csv --where sex', 'COLUMN=VALUE'),
        ('report {f}/none --out {f}/z.html', 'none'),
    ],
)
def test_wrong_use_is_one_line_and_leaves_nothing(folder, arguments, message, capsys):
    before = sorted(folder.iterdir())
    assert main([part.format(f=folder) for part in arguments.split()]) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith('sdv-')]
    assert len(lines) == 1
    assert message in lines[0]
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    'arguments',
    [
        [],
        ['paint'],
        ['sample', 'x', '--rows', '-3', '--out', 'y'],
        ['fit', 'x', '--metadata', 'y', '--structure', 'oak', '--out', 'z.prefair'],
    ],
)
def test_what_the_parser_refuses_ends_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_statements_are_fitted_and_evaluated(folder, tmp_path, capsys):
    model, rows = str(tmp_path / 'model.prefair'), tmp_path / 'rows.csv'
    real, metadata = str(folder / 'people.csv'), str(folder / 'metadata.json')
    promised = ['--fairness', 'income ~ sex, race', '--fairness', 'hours ~ sex | education']
    fit = ['fit', real, '--metadata', metadata, '--ranges-are-public', '--quiet', '--out', model]
    assert main([*fit, *promised]) == 0
    shown = capsys.readouterr().out
    assert 'income is independent of sex, race.' in shown
    assert 'hours is independent of sex given education.' in shown
    assert main(['sample', model, '--rows', '300', '--out', str(rows), '--quiet']) == 0
    evaluate = ['evaluate', str(rows), '--real', real, '--metadata', metadata, '--release', model]
    evaluate.append('--all')
    assert main([*evaluate, *promised]) == 0
    assert 'Rates Given' in capsys.readouterr().out
    assert main(['report', model, '--out', str(tmp_path / 'page.html')]) == 0


def test_what_stands_for_rare_values_and_the_look_can_be_chosen(folder, tmp_path):
    chosen = ['--other', 'elsewhere', '--no-look-for-copies']
    assert fit(folder, 'people.csv', 'chosen.prefair', *chosen) == 0
    parameters = load_release(folder / 'chosen.prefair').get_parameters()
    assert (parameters['other'], parameters['look_for_copies']) == ('elsewhere', False)
