"""A census table drawn from a structural causal model whose bias is known.

Arrows of the model (protected columns in capitals, admissible columns in brackets)::

    SEX, RACE -> [education], [occupation], [hours] -> income      legitimate paths
    SEX, RACE -> income                                            the direct, unfair path
    RACE -> region -> commute_km, interview_date                   proxies of race
    SEX, age, income -> marital_status                             proxy of sex and of income
    income, marital_status -> home_owner                           consequence of income

Everything but the direct path reaches income through an admissible column, so with
``direct_effect=0`` income is independent of sex and race given education, occupation and hours:
exactly, not approximately. With the direct path on it is not, by the constants below.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import expit, softmax
from sdv.metadata import Metadata

from sdv_prefair.datasets._dataset import Dataset, categorical, numerical, ordinal, public_metadata
from sdv_prefair.roles import Roles

DIRECT_EFFECT_OF_SEX = {'female': -1.2, 'male': 1.2}
"""Added to the log-odds of a high income, for the same education, occupation and hours."""

DIRECT_EFFECT_OF_RACE = {'majority': 0.6, 'minority A': -0.9, 'minority B': -0.5}
"""Added to the log-odds of a high income, for the same education, occupation and hours."""

SEXES = tuple(DIRECT_EFFECT_OF_SEX)
RACES = tuple(DIRECT_EFFECT_OF_RACE)
REGIONS = ('north', 'east', 'south', 'west')
EDUCATIONS = ('primary', 'secondary', 'vocational', 'bachelor', 'master')
OCCUPATIONS = ('care', 'clerical', 'craft', 'service', 'technical', 'management')
MARITAL_STATUSES = ('single', 'married', 'separated', 'widowed')
INCOMES = ('<=50K', '>50K')
AGES = (18, 90)
HOURS = (5, 80)
COMMUTE_KM = (0.0, 150.0)
FIRST_INTERVIEW, LAST_INTERVIEW = '2024-01-01', '2024-12-31'
MISSING_MARITAL_STATUS, MISSING_COMMUTE = 0.03, 0.05

ROLES = Roles(
    protected=('sex', 'race'),
    admissible=('education', 'occupation', 'hours'),
    outcome=('income',),
)

_RACE_SHARES = (0.62, 0.22, 0.16)
_REGION_BY_RACE = np.array([
    [0.40, 0.30, 0.15, 0.15],
    [0.10, 0.15, 0.60, 0.15],
    [0.10, 0.15, 0.15, 0.60],
])
_EDUCATION_SHIFT_BY_RACE = np.array([0.25, -0.30, -0.05])
_EDUCATION_CUTS = np.array([-1.3, -0.2, 0.4, 1.2])
# Log-odds of an occupation: one row for each education, and what being a man adds.
_OCCUPATION_BY_EDUCATION = np.array([
    [0.6, 0.0, 0.8, 1.0, -1.5, -2.5],
    [0.5, 0.5, 0.8, 0.8, -0.5, -1.0],
    [0.4, 0.6, 0.6, 0.4, 0.5, -0.3],
    [0.2, 0.5, -0.8, -0.2, 1.0, 0.8],
    [0.2, -0.2, -1.8, -0.8, 1.2, 1.4],
])
_OCCUPATION_OF_MEN = np.array([-0.9, -0.5, 0.8, -0.2, 0.5, 0.3])
_HOURS_BY_OCCUPATION = np.array([33.0, 36.0, 40.0, 34.0, 40.0, 45.0])
_HOURS_OF_MEN = 4.0
_INCOME_BY_EDUCATION = np.array([-1.2, -0.6, 0.0, 0.8, 1.4])
_INCOME_BY_OCCUPATION = np.array([-0.6, -0.3, 0.0, -0.6, 0.7, 1.3])
_INCOME_PER_HOUR_ABOVE_38 = 0.06
_INCOME_BASE = -1.0
_COMMUTE_BY_REGION = np.array([9.0, 14.0, 22.0, 30.0])
_INTERVIEW_QUARTER_BY_REGION = np.array([0, 1, 2, 3])


def simulate_census(num_rows: int = 10_000, seed: int = 0, direct_effect: float = 1.0) -> Dataset:
    """Draw a census table with a known unfair effect of sex and race on income.

    Args:
        num_rows: How many people to draw.
        seed: Seed of the generator; the same seed gives the same table.
        direct_effect: What the direct effects of sex and race on income are multiplied by.
            Zero leaves only the paths through admissible columns.

    Returns:
        The table ``'census'``, its public metadata and its roles. Marital status and commute
        have missing values, at random; people answer hours in fives; ``person_id`` and
        ``email`` identify rows and are not to be modelled.
    """
    rng = np.random.default_rng(seed)
    codes = _draw_codes(rng, num_rows, direct_effect)
    table = _as_table(codes)
    _blank_out(rng, table, 'marital_status', MISSING_MARITAL_STATUS)
    _blank_out(rng, table, 'commute_km', MISSING_COMMUTE)
    return Dataset({'census': table}, _census_metadata(), ROLES)


def _draw_codes(rng, num_rows: int, direct_effect: float) -> dict[str, np.ndarray]:
    """Draw every column after its causes, as positions in its list of values or as numbers."""
    sex = rng.integers(len(SEXES), size=num_rows)
    race = rng.choice(len(RACES), size=num_rows, p=_RACE_SHARES)
    age = _rounded(AGES[0] + (AGES[1] - AGES[0]) * rng.beta(1.6, 2.4, num_rows), AGES)
    region = _choose(rng, _REGION_BY_RACE[race])
    education = _draw_education(rng, race, age)
    occupation = _choose(
        rng,
        softmax(_OCCUPATION_BY_EDUCATION[education] + sex[:, None] * _OCCUPATION_OF_MEN, axis=1),
    )
    hours_mean = _HOURS_BY_OCCUPATION[occupation] + _HOURS_OF_MEN * sex
    hours = _rounded(5 * (rng.normal(hours_mean, 6.0) / 5).round(), HOURS)
    log_odds = _justified_log_odds(education, occupation, hours)
    log_odds += direct_effect * _direct_log_odds(sex, race)
    income = (rng.random(num_rows) < expit(log_odds)).astype(int)
    marital = _draw_marital_status(rng, sex, age, income)
    owns = rng.random(num_rows) < expit(-1.4 + 2.0 * income + 0.9 * (marital == 1))
    commute = np.clip(rng.gamma(2.0, _COMMUTE_BY_REGION[region] / 2.0).round(1), *COMMUTE_KM)
    return {
        'sex': sex, 'race': race, 'age': age, 'region': region, 'marital_status': marital,
        'education': education, 'occupation': occupation, 'hours': hours, 'income': income,
        'home_owner': owns, 'commute_km': commute, 'interview_day': _draw_interview(rng, region),
    }  # fmt: skip


def _draw_education(rng, race: np.ndarray, age: np.ndarray) -> np.ndarray:
    ability = rng.normal(_EDUCATION_SHIFT_BY_RACE[race] - 0.01 * (age - 45), 1.0)
    return np.searchsorted(_EDUCATION_CUTS, ability)


def _justified_log_odds(education, occupation, hours) -> np.ndarray:
    return (
        _INCOME_BASE
        + _INCOME_BY_EDUCATION[education]
        + _INCOME_BY_OCCUPATION[occupation]
        + _INCOME_PER_HOUR_ABOVE_38 * (hours - 38)
    )


def _direct_log_odds(sex: np.ndarray, race: np.ndarray) -> np.ndarray:
    of_sex = np.array(list(DIRECT_EFFECT_OF_SEX.values()))
    of_race = np.array(list(DIRECT_EFFECT_OF_RACE.values()))
    return of_sex[sex] + of_race[race]


def _draw_marital_status(rng, sex, age, income) -> np.ndarray:
    """Marriage rises with age and income, more for men; women are widowed or separated more."""
    log_odds = np.zeros((len(sex), len(MARITAL_STATUSES)))
    log_odds[:, 1] = -1.2 + 0.03 * (age - 18) + income * (0.4 + 1.2 * sex)
    log_odds[:, 2] = -1.6 + 0.02 * (age - 18) + 0.8 * (1 - sex)
    log_odds[:, 3] = -4.5 + 0.07 * (age - 18) + 1.0 * (1 - sex)
    return _choose(rng, softmax(log_odds, axis=1))


def _draw_interview(rng, region: np.ndarray) -> np.ndarray:
    """Each region is visited mostly in its own quarter of the year; the day counts from 0."""
    quarter = np.where(
        rng.random(len(region)) < 0.6,
        _INTERVIEW_QUARTER_BY_REGION[region],
        rng.integers(4, size=len(region)),
    )
    return quarter * 91 + rng.integers(91, size=len(region))


def _as_table(codes: dict[str, np.ndarray]) -> pd.DataFrame:
    person = np.arange(len(codes['sex']))
    interview = pd.Timestamp(FIRST_INTERVIEW) + pd.to_timedelta(codes['interview_day'], unit='D')
    return pd.DataFrame({
        'person_id': [f'P{number:08d}' for number in person],
        'email': [f'person{number}@example.org' for number in person],
        'sex': np.array(SEXES, dtype=object)[codes['sex']],
        'race': np.array(RACES, dtype=object)[codes['race']],
        'age': codes['age'],
        'region': np.array(REGIONS, dtype=object)[codes['region']],
        'marital_status': np.array(MARITAL_STATUSES, dtype=object)[codes['marital_status']],
        'education': np.array(EDUCATIONS, dtype=object)[codes['education']],
        'occupation': np.array(OCCUPATIONS, dtype=object)[codes['occupation']],
        'hours': codes['hours'],
        'commute_km': codes['commute_km'],
        'home_owner': codes['home_owner'],
        'interview_date': interview,
        'income': np.array(INCOMES, dtype=object)[codes['income']],
    })


def _census_metadata():
    interview = {
        'sdtype': 'datetime',
        'range_min': FIRST_INTERVIEW,
        'range_max': LAST_INTERVIEW,
        'range_is_nullable': False,
    }
    columns = {
        'person_id': {'sdtype': 'id', 'regex_format': 'P[0-9]{8}', 'range_is_nullable': False},
        'email': {'sdtype': 'email', 'pii': True, 'range_is_nullable': False},
        'sex': categorical(SEXES),
        'race': categorical(RACES),
        'age': numerical(*AGES),
        'region': categorical(REGIONS),
        'marital_status': categorical(MARITAL_STATUSES, nullable=True),
        'education': ordinal(EDUCATIONS),
        'occupation': categorical(OCCUPATIONS),
        'hours': numerical(*HOURS),
        'commute_km': numerical(*COMMUTE_KM, decimals=1, nullable=True),
        'home_owner': {'sdtype': 'boolean', 'range_is_nullable': False},
        'interview_date': interview,
        'income': categorical(INCOMES),
    }
    return public_metadata('census', columns, primary_key='person_id')


def _choose(rng, probabilities: np.ndarray) -> np.ndarray:
    """Draw one position from each row of probabilities."""
    return (rng.random(len(probabilities))[:, None] > probabilities.cumsum(axis=1)[:, :-1]).sum(
        axis=1
    )


def _rounded(values: np.ndarray, bounds: tuple[int, int]) -> np.ndarray:
    return np.clip(values.round(), *bounds).astype(int)


def _blank_out(rng, table: pd.DataFrame, column: str, share: float) -> None:
    table.loc[rng.random(len(table)) < share, column] = np.nan


# -- Small simulated tables, each made for one question: loans, capital gains, careers -------------
#
# Like the census, they come with public metadata and roles, so that an example can start with the
# question instead of the set-up.


_LOAN_COLUMNS = ('sex', 'race', 'education', 'occupation', 'income', 'home_owner', 'region')
_MOST_GAIN = 100_000
DISTRICTS = {
    'north': ('Northmoor', 'Hillend', 'Fairport'),
    'east': ('Eastgate', 'Marsham'),
    'south': ('Southwold', 'Greenley', 'Kingsby'),
    'west': ('Westbury', 'Oldham Cross'),
}
"""The districts of each region in `simulate_careers`: public, as on a map."""

# How often people of a region live in a district, relative to the others, which have 1.
_DISTRICT_WEIGHTS = {'Northmoor': 8.0, 'Hillend': 3.0, 'Fairport': 0.01, 'Kingsby': 0.5}
_FIRST_WORKING_AGE = 14


def simulate_loans(num_rows: int = 10_000, seed: int = 0) -> Dataset:
    """Simulate loan decisions that depend on sex directly, and whether the loans were repaid.

    Args:
        num_rows: Number of people.
        seed: Seed of the generator; the same seed gives the same table.

    Returns:
        The table ``'loans'``: columns of the census, the label ``repaid`` and the decision
        ``approved``. Both depend on income; the decision also depends on sex, which is unfair by
        every notion of fairness.
    """
    census = simulate_census(num_rows, seed)
    people = census.data['census'][list(_LOAN_COLUMNS)].copy()
    rng = np.random.default_rng(seed)
    reliable = rng.normal(0.5 * (people['income'] == '>50K'), 1.0)
    people['repaid'] = _yes_or_no(rng, 2 * reliable)
    people['approved'] = _yes_or_no(rng, 2 * reliable - 1.0 + 1.8 * (people['sex'] == 'male'))
    columns = _columns_of(census.metadata, 'census')
    described = {name: columns[name] for name in _LOAN_COLUMNS}
    described |= dict.fromkeys(('repaid', 'approved'), categorical(['yes', 'no']))
    roles = Roles(
        protected=['sex', 'race'], admissible=['education', 'income'], outcome=['approved']
    )
    return Dataset({'loans': people}, public_metadata('loans', described), roles)


def simulate_gains(num_rows: int = 10_000, seed: int = 0) -> Dataset:
    """Simulate numbers that bins of equal width get wrong: mostly zeros, then a long tail.

    Args:
        num_rows: Number of people.
        seed: Seed of the generator; the same seed gives the same table.

    Returns:
        The table ``'people'``. Nine in ten people have a ``gain`` of 0, the others a log-normal
        one; half of them work 40 ``hours``; ``income`` depends on both.
    """
    rng = np.random.default_rng(seed)
    gain = np.where(rng.random(num_rows) < 0.9, 0, rng.lognormal(8, 1, num_rows).round())
    hours = np.where(rng.random(num_rows) < 0.5, 40, rng.integers(1, 100, num_rows))
    gain = gain.clip(0, _MOST_GAIN).astype(int)
    people = pd.DataFrame({
        'sex': rng.choice(['f', 'm'], num_rows).astype(object),
        'hours': hours,
        'gain': gain,
        'income': np.where(gain + 100 * hours > 4_000, 'high', 'low').astype(object),
    })
    columns = {
        'sex': categorical(['f', 'm']),
        'hours': numerical(1, 99),
        'gain': numerical(0, _MOST_GAIN),
        'income': categorical(['low', 'high']),
    }
    roles = Roles(protected=['sex'], admissible=['hours', 'gain'], outcome=['income'])
    return Dataset({'people': people}, public_metadata('people', columns), roles)


def simulate_careers(num_rows: int = 10_000, seed: int = 0) -> Dataset:
    """Simulate a census whose rows obey two rules.

    Args:
        num_rows: Number of people.
        seed: Seed of the generator; the same seed gives the same table.

    Returns:
        The census without ``email``, and with two more columns: ``started_work`` is never above
        ``age``, and a ``district`` lies in one ``region``. Some districts are rare.
    """
    census = simulate_census(num_rows, seed)
    rng = np.random.default_rng(seed)
    people = census.data['census'].drop(columns='email')
    people['district'] = [_district_of(rng, region) for region in people['region']]
    started = rng.integers(_FIRST_WORKING_AGE, 31, num_rows) + rng.geometric(0.3, num_rows)
    people['started_work'] = np.minimum(started, people['age'])
    columns = _columns_of(census.metadata, 'census')
    del columns['email']
    columns['district'] = categorical(name for names in DISTRICTS.values() for name in names)
    columns['started_work'] = columns['age'] | {'range_min': _FIRST_WORKING_AGE}
    metadata = public_metadata('census', columns, primary_key='person_id')
    return Dataset({'census': people}, metadata, census.roles)


def _yes_or_no(rng: np.random.Generator, log_odds: pd.Series | np.ndarray) -> np.ndarray:
    probability = 1 / (1 + np.exp(-np.asarray(log_odds)))
    return np.where(rng.random(len(probability)) < probability, 'yes', 'no').astype(object)


def _district_of(rng: np.random.Generator, region: str) -> str:
    names = DISTRICTS[region]
    weights = np.array([_DISTRICT_WEIGHTS.get(name, 1.0) for name in names])
    return str(rng.choice(names, p=weights / weights.sum()))


def _columns_of(metadata: Metadata, table_name: str) -> dict:
    return dict(metadata.to_dict()['tables'][table_name]['columns'])
