"""Releases whose arguments, columns or metadata are not what they should be."""

import json

from hostile_releases import WIDE, edited

from message_catalogue.opening import Opened, members, with_field, with_metadata


def columns():
    return json.loads(members()['release.json'])['columns']


def with_dtype(dtype):
    return with_field('columns', 1, 'dtype', dtype)


def of_type(kind, **more):
    """Return a release with a seed that is written as a value of some type."""
    return with_field('parameters', 'seed', {'$type': kind} | more)


def with_tables(change):
    def changed(metadata):
        metadata['tables'] = change(metadata['tables'])

    return edited(members(), metadata=changed)


FIELDS = [
    Opened(
        lambda: with_field(
            'shapes', [{'name': 'sex', 'edges': [], 'finer': [], 'weights': []}] * 2
        ),
        'The release has bins for a column that is not binned.',
    ),
    Opened(
        lambda: with_field(
            'looks', 0, {'column': 'hired', 'outcome': 'paid', 'tells': 0.5, 'surely': 0.75}
        ),
        'A look of the release has a score that is out of range.',
    ),
    Opened(
        lambda: with_field('looks', []),
        'The release reports a look for copies of outcomes that its ledger does not pay for.',
    ),
    Opened(
        lambda: with_field('learnt', [{}]),
        "learnt of the release must have the keys ['facts', 'name', 'values'].",
    ),
    Opened(
        lambda: with_field('parameters', 'numeric_bins', 0),
        "'numeric_bins' in parameters of the release must be an integer from 1 to 131072.",
    ),
    Opened(
        lambda: with_field('columns', 'all'),
        'columns of the release must be a list of at most 2000.',
    ),
    Opened(
        lambda: with_field('parameters', 'protected', 'sex'),
        'protected of the release must be a list of columns.',
    ),
    Opened(
        lambda: with_field('parameters', 'spikes', [['wage']]),
        'spikes of the release must be pairs of a column and a list of values.',
    ),
    Opened(
        lambda: with_field('parameters', 'domain', [['wage', [['lowest', 0]]]]),
        'domain of the release must be pairs of a column and its facts.',
    ),
    Opened(
        lambda: with_field('parameters', 'domain', [['wage', [['range_groups', [['a', 1]]]]]]),
        'range_groups of the release must be pairs of a group and its values.',
    ),
    Opened(
        lambda: with_field('parameters', 'other', [['wage']]),
        'other of the release must be a string, or pairs of a column and a value.',
    ),
    Opened(
        lambda: with_field('parameters', 'locales', 5),
        'locales of the release must be a list of names.',
    ),
    Opened(
        lambda: with_field('parameters', 'locales', ['xx_XX']),
        'The release names a locale that Faker does not know.',
    ),
    Opened(
        lambda: with_field('parameters', 'epsilon', -1.0),
        'The release cannot be opened: epsilon (-1.0) must be a finite number above 0, for '
        'example 1.0.',
    ),
    Opened(
        lambda: with_field('given_names', ['x']),
        'The release gives its columns other names than its metadata.',
    ),
]

VALUES = [
    Opened(
        lambda: of_type('set', value=[]),
        'The release holds a value of a type that is not known.',
    ),
    Opened(
        lambda: of_type('Decimal', value='much'),
        'The release holds an invalid Decimal: it is not written like one.',
    ),
    Opened(
        lambda: of_type('tuple', value='much'),
        'The release holds an invalid tuple: it is not a list.',
    ),
    Opened(
        lambda: of_type('Timestamp', value='2020-01-01T00:00:00', unit='D', zone=None),
        'The release holds an invalid Timestamp: its unit is not known.',
    ),
]

COLUMNS = [
    Opened(
        lambda: with_dtype(None),
        'The release names a column twice, or does not say what dtype it has.',
    ),
    Opened(
        lambda: with_dtype('complex128'),
        'The release names a dtype that is not known.',
    ),
    Opened(
        lambda: with_dtype('datetime64[ns, Nowhere/City]'),
        'The release names a time zone that is not known.',
    ),
    Opened(
        lambda: with_dtype('arrow decimal128(99, 1)'),
        'The release names a decimal dtype that does not exist.',
    ),
    Opened(
        lambda: with_dtype({'category': 5, 'ordered': True}),
        'The release describes an invalid category.',
    ),
    Opened(
        lambda: with_dtype({'category': ['a', 'a'], 'ordered': True}),
        'The release describes an invalid category.',
    ),
    Opened(
        lambda: with_field('columns', columns()[::-1]),
        'The columns of the release are not those of its metadata.',
    ),
    Opened(
        lambda: with_field('learnt', [{'name': 'sex', 'values': [], 'facts': {}}]),
        'The release has a learnt domain for a column that is public.',
    ),
    Opened(
        lambda: with_metadata('grade', {'sdtype': 'ordinal'}),
        'The release lacks the domain of a column that is not public.',
    ),
    Opened(
        lambda: with_field('chosen', [WIDE | {'name': 'key'}]),
        'The release has a transformer for a column that is not modelled.',
    ),
]

METADATA = [
    Opened(
        lambda: edited(members(), metadata=lambda metadata: []),
        'metadata.json of the release must be SDV metadata.',
    ),
    Opened(
        lambda: with_tables(lambda tables: {}),
        'metadata.json of the release must describe one table.',
    ),
    Opened(
        lambda: with_tables(lambda tables: {'a/b': tables['staff']}),
        'The table of the release has a name that cannot be a file name: it must have at most 200 '
        'characters and no slash.',
    ),
    Opened(
        lambda: with_tables(lambda tables: {'staff': {'columns': {}}}),
        'The release must describe 1 to 2000 columns.',
    ),
    Opened(
        lambda: with_metadata('sex', 5),
        'metadata.json of the release does not describe a column as an object.',
    ),
    Opened(
        lambda: with_metadata('sex', 'sdtype', 'os.system'),
        'metadata.json of the release holds an invalid sdtype.',
    ),
    Opened(
        lambda: with_metadata('key', 'sdtype', 'zip'),
        "The sdtype 'zip' cannot be in a release: opening it would generate files or data "
        "structures. Use 'unknown' instead.",
    ),
    Opened(
        lambda: with_metadata('hired', 'datetime_format', '%'),
        'metadata.json of the release holds an invalid datetime_format.',
    ),
    Opened(
        lambda: with_metadata('hours', 'decimal_places', 99),
        'decimal_places of the release must be at most 50.',
    ),
    Opened(
        lambda: with_metadata('key', 'regex_format', 'a' * 2000),
        'metadata.json of the release holds a regex_format that is too long.',
    ),
    Opened(
        lambda: with_metadata('key', 'regex_format', '('),
        'metadata.json of the release holds a regex_format that cannot be generated, or only '
        'with too many repetitions.',
    ),
]

MESSAGES = [*FIELDS, *VALUES, *COLUMNS, *METADATA]
