"""The public domain of UCI Adult, from ``adult.names`` and the paper's coding of it."""

from sdv_prefair.datasets._dataset import categorical, numerical, ordinal

WORKCLASSES = (
    'Private', 'Self-emp-not-inc', 'Self-emp-inc', 'Federal-gov', 'Local-gov', 'State-gov',
    'Without-pay', 'Never-worked', '?',
)  # fmt: skip
EDUCATIONS = (
    'Preschool', '1st-4th', '5th-6th', '7th-8th', '9th', '10th', '11th', '12th', 'HS-grad',
    'Some-college', 'Assoc-voc', 'Assoc-acdm', 'Bachelors', 'Masters', 'Prof-school', 'Doctorate',
)  # fmt: skip
MARITAL_STATUSES = (
    'Married-civ-spouse', 'Divorced', 'Never-married', 'Separated', 'Widowed',
    'Married-spouse-absent', 'Married-AF-spouse',
)  # fmt: skip
OCCUPATIONS = (
    'Tech-support', 'Craft-repair', 'Other-service', 'Sales', 'Exec-managerial',
    'Prof-specialty', 'Handlers-cleaners', 'Machine-op-inspct', 'Adm-clerical',
    'Farming-fishing', 'Transport-moving', 'Priv-house-serv', 'Protective-serv',
    'Armed-Forces', '?',
)  # fmt: skip
RELATIONSHIPS = (
    'Wife', 'Own-child', 'Husband', 'Not-in-family', 'Other-relative', 'Unmarried',
)  # fmt: skip
RACES = ('White', 'Asian-Pac-Islander', 'Amer-Indian-Eskimo', 'Other', 'Black')
COUNTRIES = (
    'United-States', 'Cambodia', 'England', 'Puerto-Rico', 'Canada', 'Germany',
    'Outlying-US(Guam-USVI-etc)', 'India', 'Japan', 'Greece', 'South', 'China', 'Cuba', 'Iran',
    'Honduras', 'Philippines', 'Italy', 'Poland', 'Jamaica', 'Vietnam', 'Mexico', 'Portugal',
    'Ireland', 'France', 'Dominican-Republic', 'Laos', 'Ecuador', 'Taiwan', 'Haiti', 'Columbia',
    'Hungary', 'Guatemala', 'Nicaragua', 'Scotland', 'Thailand', 'Yugoslavia', 'El-Salvador',
    'Trinadad&Tobago', 'Peru', 'Hong', 'Holand-Netherlands', '?',
)  # fmt: skip

RAW = {
    # The extract keeps people over 16; the survey top-codes age at 90 and hours at 99.
    'age': numerical(17, 90),
    'workclass': categorical(WORKCLASSES),
    'fnlwgt': numerical(10_000, 1_500_000),
    'education': ordinal(EDUCATIONS),
    'education-num': numerical(1, 16),
    'marital-status': categorical(MARITAL_STATUSES),
    'occupation': categorical(OCCUPATIONS),
    'relationship': categorical(RELATIONSHIPS),
    'race': categorical(RACES),
    'sex': categorical(('Female', 'Male')),
    'capital-gain': numerical(0, 100_000),
    'capital-loss': numerical(0, 5_000),
    'hours-per-week': numerical(1, 99),
    'native-country': categorical(COUNTRIES),
    'income': categorical(('<=50K', '>50K')),
}

CODES = {
    'age': ordinal(range(85)),
    'workclass': categorical(range(9)),
    'fnlwgt': ordinal(range(100)),
    'education-num': ordinal(range(16)),
    'marital-status': categorical(range(7)),
    'occupation': categorical(range(15)),
    'relationship': categorical(range(6)),
    'race': categorical(range(5)),
    'sex': categorical(range(2)),
    'capital-gain': ordinal(range(100)),
    'capital-loss': ordinal(range(100)),
    'hours-per-week': ordinal(range(99)),
    'native-country': categorical(range(42)),
    'income>50K': categorical(range(2)),
}
