"""What the benchmarks rest on: results that runs take up again, and comparisons by sample."""

import pandas as pd
import pytest
from compared import against_default, best_others, in_how_many, spread, where_not_best
from fitted_rows import fit_and_sample, two_way_errors
from generated_tables import Shape, make_network
from results_file import ResultsFile

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
