"""A door that is shut leaves everything as it was."""

import copy
import pickle

import duckdb
import pyarrow as pa
import pytest
from census_doors import ARROW, CENSUS, FRAME, new
from sdv.errors import InvalidDataError

from sdv_prefair import PrivacyWarning
from sdv_prefair.errors import PrivateDataError

pytestmark = pytest.mark.filterwarnings(
    'ignore:seed is given', 'ignore:Nothing in column', 'ignore:fetch_arrow_table'
)


def state(synthesizer):
    return pickle.dumps(synthesizer._model), synthesizer.get_privacy_ledger().to_csv()


def broken_reader():
    def batches():
        yield from ARROW.to_batches(max_chunksize=1000)[:2]
        raise OSError('Zyzzyva')

    return pa.RecordBatchReader.from_batches(ARROW.schema, batches())


def broken_relation():
    return duckdb.sql("SELECT * REPLACE (CAST(age || 'Zyzzyva' AS BIGINT) AS age) FROM ARROW")


WRONG = {
    'reader breaks off': (broken_reader, r'could not be read to its end \(OSError\)'),
    'query fails': (broken_relation, 'could not be .*Exception'),
    'no such file': (lambda: 'nowhere.parquet', 'FileNotFoundError'),
    'no table at all': (lambda: 42, 'cannot read a int'),
    'pandas': (lambda: FRAME, 'goes to fit'),
    'missing column': (lambda: ARROW.drop_columns(['age']), r"\['age'\] are in the metadata"),
    'unknown column': (lambda: ARROW.append_column('x', ARROW['age']), r"\['x'\] are in the data"),
    'column twice': (lambda: ARROW.append_column('age', ARROW['age']), 'more than once'),
    'text for numbers': (
        lambda: ARROW.set_column(4, 'age', ARROW['age'].cast(pa.string())),
        "'age' is declared as 'numerical'",
    ),
    'times for dates': (
        lambda: ARROW.set_column(12, 'interview_date', ARROW['home_owner']),
        "'interview_date' is declared as 'datetime'",
    ),
    'no rows': (lambda: ARROW.slice(0, 0), 'has no rows'),
}


@pytest.mark.filterwarnings('ignore:This synthesizer has spent')
@pytest.mark.parametrize('case', WRONG)
@pytest.mark.parametrize('first', ['fitted', 'not fitted'])
def test_a_table_that_cannot_be_counted_changes_nothing(case, first, fitted):
    synthesizer = copy.deepcopy(fitted) if first == 'fitted' else new()
    before = dict(synthesizer.__dict__)
    kept = state(synthesizer) if first == 'fitted' else None
    make, message = WRONG[case]
    with pytest.raises(InvalidDataError, match=message) as caught:
        synthesizer.fit_table(make())
    assert 'Zyzzyva' not in str(caught.value)
    assert synthesizer.__dict__ == before
    if kept:
        assert state(synthesizer) == kept
        assert len(synthesizer.sample(3)['census']) == 3


def test_what_the_user_handed_over_stays_the_same_object():
    synthesizer = new()
    synthesizer.fit_table(ARROW)
    assert synthesizer.metadata is CENSUS.metadata
    for name, value in new().get_parameters().items():
        assert synthesizer.get_parameters()[name] == value


def test_a_reader_that_is_spent_cannot_be_learnt_from():
    reader = ARROW.to_reader()
    synthesizer = new(public_ranges=False)
    with pytest.raises(PrivateDataError, match=r"(?s)'age'.*read only once.*Declare"):
        synthesizer.fit_table(reader)
    assert reader.read_all().num_rows == ARROW.num_rows, 'nothing was read'


def test_a_seed_is_warned_of_and_no_rows_are_logged(caplog):
    with pytest.warns(PrivacyWarning, match='seed is given'), caplog.at_level('DEBUG'):
        new().fit_table(ARROW)
    assert str(ARROW.num_rows) not in caplog.text
