"""What the benchmarks rest on: results that runs take up again, and comparisons by sample."""

import numpy as np
import pandas as pd
import pytest
from coded_tables import as_codes, sizes
from compared import against_default, best_others, in_how_many, spread, where_not_best
from fitted_rows import fit_and_sample, two_way_errors
from generated_tables import Shape, make_network
from pair_kinds import FORBIDDEN, KINDS, REASON, errors_by_kind, kind_of, pairs_by_kind
from paper_results import CONDITIONAL, FAIRNESS, QUALITY, read_results, write_results
from results_file import ResultsFile

from sdv_prefair.datasets import Dataset
from sdv_prefair.metrics import TwoWayTotalVariation
from sdv_prefair.roles import Roles

KEY = ['table', 'sample']


def lines(**values):
    """Two samples of one table for each structure, with the values of a measure."""
    (measure,) = {measure for measure, _ in values.values()}
    return pd.DataFrame([
        {'table': 't', 'epsilon': 1.0, 'structure': structure, 'sample': sample, measure: value}
        for structure, (_, found) in values.items()
        for sample, value in enumerate(found)
    ])


def test_a_run_that_was_stopped_takes_up_where_it_was(tmp_path):
    results = ResultsFile(tmp_path / 'new' / 'results.csv', KEY)
    assert results.finished() == set()
    results.append({'table': 'a', 'sample': 0, 'error': 0.5})
    with results.path.open('a') as file:
        file.write('b,1,0.')  # killed while it wrote
    assert results.finished() == {('a', 0)}
    results.append({'table': 'b', 'sample': 1, 'error': 0.25, 'unknown': 1})
    assert pd.read_csv(results.path)['error'].tolist() == [0.5, 0.25]


@pytest.mark.parametrize(('measure', 'sign'), [('TVD2', 1), ('AUC', -1)])
def test_less_error_and_more_area_are_better(measure, sign):
    results = lines(planned=(measure, [0.5, 0.9]), aim=(measure, [0.4, 0.7]))
    (line,) = against_default(results, [measure]).itertuples()
    assert line.by == pytest.approx(sign * 0.15)
    assert line.error == pytest.approx(0.05), 'samples are compared with themselves'


def test_the_best_other_is_named_where_the_default_is_not_the_best():
    results = lines(
        planned=('TVD2', [0.3, 0.3]), aim=('TVD2', [0.2, 0.2]), adaptive=('TVD2', [0.1, 0.2])
    )
    compared = against_default(results, ['TVD2'])
    assert best_others(compared, 'TVD2')['structure'].tolist() == ['adaptive']
    assert 'the best in 0; in 1 another' in in_how_many(compared, ['TVD2'])[0]
    assert '**0.1500 ± 0.0500**' in where_not_best(compared, ['TVD2'])
    swapped = results.replace({'planned': 'adaptive', 'adaptive': 'planned'})
    best = against_default(swapped, ['TVD2'])
    assert where_not_best(best, ['TVD2']) == 'There are none.'


def test_values_stand_under_their_structures_in_whatever_order_fits_were_made():
    first = lines(aim=('TVD2', [0.1, 0.1]), planned=('TVD2', [0.2, 0.2]))
    results = pd.concat([first, first[::-1].assign(table='other')])
    head, _, *rows = spread(results, 'TVD2').splitlines()
    assert head == '| table | epsilon | planned | aim |'
    assert rows == [
        f'| {table} | 1 | 0.2000 ± 0.0000 | 0.1000 ± 0.0000 |' for table in ('t', 'other')
    ]


def test_independent_columns_keep_columns_and_no_pairs():
    dataset = make_network(Shape('any', 4000, 6, strength=2.0), seed=0).draw(4000, seed=0)
    apart, tied = (
        two_way_errors(dataset, fit_and_sample(dataset, structure, 50.0, 4000).table)['TVD2']
        for structure in ('independent', 'aim')
    )
    assert apart > 3 * tied


def test_every_pair_is_of_one_kind_and_kinds_add_up_to_the_whole():
    dataset = make_network(Shape('any', 1000, 8), seed=0).draw(1000, seed=0)
    (table,) = dataset.data.values()
    found = TwoWayTotalVariation.compute_breakdown(table, table.sample(300, random_state=0))
    numbers, errors = (
        pairs_by_kind(list(table), dataset.roles),
        errors_by_kind(found['marginals'], dataset.roles),
    )
    outcome = dataset.roles.outcome[0]
    assert kind_of((dataset.roles.protected[0], outcome), dataset.roles) == FORBIDDEN
    assert kind_of((outcome, dataset.roles.admissible[0]), dataset.roles) == REASON
    assert sum(numbers.values()) == 28
    whole = sum(numbers[kind] * errors[f'{kind} TVD2'] for kind in KINDS) / 28
    assert whole == pytest.approx(found['score'])


def test_codes_keep_what_is_equal_and_start_at_nought():
    table = pd.DataFrame({
        'word': ['b', None, 'a', 'b'] * 60,
        'number': np.arange(240) / 7,
        'few': [3, 9, 3, 5] * 60,
    })
    dataset = Dataset({'t': table}, None, Roles())
    (codes,) = as_codes(dataset).data.values()
    assert list(as_codes(dataset, most_codes=3).data['t']) == ['word', 'few']
    assert sizes(codes) == {'word': 3, 'number': 32, 'few': 3}
    assert codes['word'].tolist()[:4] == [2, 0, 1, 2]
    assert codes['few'].tolist()[:4] == [0, 2, 0, 1]
    assert codes['number'].is_monotonic_increasing
    assert codes['number'].value_counts().between(7, 8).all(), 'bins hold as many rows each'


@pytest.mark.parametrize('fits', [1, 3])
def test_tables_are_written_of_few_fits_too(tmp_path, fits):
    authors = [f"{measure}, authors' formula" for measure in CONDITIONAL]
    measures = [f'mlp {name}' for name in ['accuracy', 'coverage', *FAIRNESS, *authors]]
    kinds = [(setting, sample) for setting in ('MST', 'Planned') for sample in range(fits)]
    results = pd.DataFrame([
        {'table': 'Adult', 'epsilon': 1.0, 'setting': setting, 'sample': sample}
        | dict.fromkeys([*QUALITY, *measures], 0.25)
        for setting, sample in kinds
    ])
    results.to_csv(tmp_path / 'paper.csv', index=False)
    write_results(read_results(tmp_path / 'paper.csv'), tmp_path / 'paper.md')
    written = (tmp_path / 'paper.md').read_text()
    assert '## Quality' in written
    assert ("by the authors' formula" in written) == (fits >= 3)
