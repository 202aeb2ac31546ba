"""The paper's three tables, read from files, with public domains from their codebooks.

The value lists are those of the UCI documentation (``adult.names``, ``census-income.names``) and
of the COMPAS table's documentation; bounds of numbers are documented top codes where there are
any, else round numbers. Nothing is read from the rows.

``?`` stays a value like any other, as in the paper's experiments: the codebooks define it (not
known), and a model then learns who has it. It is not turned into a missing value.

Paper: table "Attributes" of the experiments (roles).
"""

import json
from importlib import resources
from pathlib import Path

import pandas as pd

from sdv_prefair.datasets import _adult_columns as adult_columns
from sdv_prefair.datasets._dataset import Dataset, categorical, ordinal, public_metadata
from sdv_prefair.roles import Roles

ADULT_ADMISSIBLE = (
    'workclass',
    'fnlwgt',
    'education-num',
    'occupation',
    'capital-gain',
    'capital-loss',
    'hours-per-week',
)


def load_adult(folder: str | Path, raw: bool = True) -> Dataset:
    """Load UCI Adult: 48,842 people of the 1994 US census.

    Departs: the paper's table leaves ``fnlwgt`` out of the admissible columns; the authors'
    code, and so this loader, has it. ``education`` (raw only) says the same as
    ``education-num`` in words and has no role.

    Args:
        folder: The folder that holds ``adult/`` or the files themselves.
        raw: ``True`` reads ``adult_raw.csv.gz`` (15 columns, strings and numbers); ``False``
            reads ``adult.csv`` (14 columns, the integer codes of the paper's experiments).
    """
    file, outcome = ('adult_raw.csv.gz', 'income') if raw else ('adult.csv', 'income>50K')
    columns = adult_columns.RAW if raw else adult_columns.CODES
    roles = Roles(('race', 'sex', 'native-country'), ADULT_ADMISSIBLE, (outcome,))
    return _load(folder, 'adult', file, columns, roles)


def load_compas(folder: str | Path, aligned: bool = True) -> Dataset:
    """Load the COMPAS table of the paper: 6,172 defendants, eight columns of integer codes.

    Args:
        folder: The folder that holds ``compas/`` or the files themselves.
        aligned: ``True`` reads ``cleaned_Compas_aligned.csv``. ``False`` reads
            ``cleaned_Compas.csv``, the file the paper's numbers are about: its
            ``Number_of_Priors`` is sorted on its own and says nothing about the other columns.
    """
    file = 'cleaned_Compas_aligned.csv' if aligned else 'cleaned_Compas.csv'
    columns = {
        'Two_yr_Recidivism': categorical(range(2)),
        'Number_of_Priors': ordinal(range(36)),
        'score_factor': categorical(range(2)),
        'Age_Above_FourtyFive': categorical(range(2)),
        'Age_Below_TwentyFive': categorical(range(2)),
        'Sex': categorical(range(2)),
        'Misdemeanor': categorical(range(2)),
        'Race': categorical(range(6)),
    }
    roles = Roles(('Sex', 'Race'), ('Number_of_Priors', 'Misdemeanor'), ('Two_yr_Recidivism',))
    return _load(folder, 'compas', file, columns, roles)


def load_census_kdd(folder: str | Path) -> Dataset:
    """Load UCI Census-Income (KDD): 299,285 people, 42 columns, every one of them with a role.

    The training split, which the paper's experiments used, is rows 0 to 199,522.

    Args:
        folder: The folder that holds ``census_kdd/`` or the file itself.
    """
    package = resources.files('sdv_prefair.datasets')
    columns = json.loads(package.joinpath('census_kdd_columns.json').read_text('utf-8'))
    protected, outcome = ('race', 'sex'), ('income_50k',)
    others = tuple(column for column in columns if column not in protected + outcome)
    roles = Roles(protected, others, outcome)
    return _load(folder, 'census_kdd', 'census_income_kdd.csv.gz', columns, roles)


def _load(folder, table_name: str, file: str, columns: dict, roles: Roles) -> Dataset:
    path = _find(Path(folder), table_name, file)
    # Only an empty field is missing: 'NA' is a value of hisp_origin.
    table = pd.read_csv(path, keep_default_na=False, na_values=[''])[list(columns)]
    return Dataset({table_name: table}, public_metadata(table_name, columns), roles)


def _find(folder: Path, subfolder: str, file: str) -> Path:
    for path in (folder / subfolder / file, folder / file):
        if path.is_file():
            return path
    raise FileNotFoundError(
        f"'{file}' is neither in '{folder / subfolder}' nor in '{folder}'. "
        f"Give the folder that holds '{subfolder}/{file}'."
    )
