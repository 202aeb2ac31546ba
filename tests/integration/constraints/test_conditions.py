"""Conditions are met together with the constraints."""

import numpy as np
import pandas as pd
import pytest
from jobs import make, rows
from sdv.cag import SingleTableProgrammableConstraint
from sdv.cag._errors import ConstraintNotMetError
from sdv.errors import SamplingError
from sdv.sampling import Condition

from sdv_prefair import FairnessWarning

# The noise decides on which side a column without a role falls, so whether asking for two warns.
EITHER_SIDE = pytest.mark.filterwarnings('ignore::sdv_prefair.errors.FairnessWarning')


@EITHER_SIDE
@pytest.mark.parametrize(
    'asked',
    [
        {'first': 33},
        {'last': 50.0},
        {'first': 20, 'last': 31.0},
        {'last': np.nan},
        {'city': 'bonn'},
        {'country': 'fr', 'city': 'nice'},
        {'green': 1},
        {'amount': 4000, 'sex': 'F'},
        {'after': 60.0},
    ],
)
def test_conditions_are_met_together_with_the_constraints(all_together, asked):
    sampled = all_together.sample_from_conditions([Condition(asked, num_rows=15)])['jobs']
    assert len(sampled) == 15
    for column, value in asked.items():
        assert (sampled[column].isna() if value != value else sampled[column] == value).all()
    all_together.validate_constraints(sampled)


@EITHER_SIDE
def test_remaining_columns_are_sampled(all_together):
    known = pd.DataFrame({'first': [5, 41, 5], 'city': ['nice', 'bonn', 'paris']})
    sampled = all_together.sample_remaining_columns(known)['jobs']
    pd.testing.assert_frame_equal(
        sampled[['first', 'city']].reset_index(drop=True), known, check_dtype=False
    )
    all_together.validate_constraints(sampled)


def test_conditions_that_no_row_can_meet_are_named(all_together):
    for asked, error, text in [
        ({'first': 40, 'last': 30.0}, ConstraintNotMetError, 'Inequality'),
        ({'country': 'de', 'city': 'paris'}, ConstraintNotMetError, 'PublicCombinations'),
        ({'amount': 4001}, ConstraintNotMetError, 'FixedIncrements'),
        ({'city': 'atlantis'}, ValueError, "'city' was requested with a value"),
        ({'first': 600}, ValueError, "'first' was requested with a value"),
    ]:
        with pytest.raises(error, match=text):
            all_together.sample_from_conditions([Condition(asked, num_rows=2)])


def test_conditions_across_the_sides_warn(all_together):
    with pytest.warns(FairnessWarning, match='first'):
        all_together.sample_from_conditions([Condition({'first': 9, 'paid': 'no'}, num_rows=2)])


class Never(SingleTableProgrammableConstraint):
    column_names = ['grade']

    def is_valid(self, data):
        return data['grade'].isna()


def test_constraints_that_no_row_meets_are_reported():
    synthesizer = make([Never()])
    synthesizer.fit({'jobs': rows(200)}, check=False)
    with pytest.raises(SamplingError, match='0 of 5 rows satisfied'):
        synthesizer.sample(5, max_tries_per_batch=3)
