"""Columns as JSON: dtypes, learnt domains, and transformers that the user chose.

The encoding of a column follows from the metadata, its dtype and the arguments, as in a fit; only
the rest is stored.
"""

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from re import _parser as regex_parser  # type: ignore[attr-defined]  # the one that re has
from typing import Any

import pandas as pd
from sdv.cag import FixedCombinations, FixedIncrements, Inequality, OneHotEncoding, Range
from sdv.metadata import Metadata

from sdv_prefair.columns import (
    BinShape,
    CategoryCodes,
    ColumnCodes,
    DatetimeBins,
    NumberBins,
    TailedCodes,
    single_table,
)
from sdv_prefair.columns._bins import BinCodes, as_shape
from sdv_prefair.columns._facts import Categories, ColumnDomain, Datetimes, Numbers, Undeclared
from sdv_prefair.columns._processor import public_frame
from sdv_prefair.columns._texts import told_apart
from sdv_prefair.constraints import PublicCombinations
from sdv_prefair.constraints._plan import ConstraintPlan
from sdv_prefair.constraints._rules import JointRule, Rule
from sdv_prefair.errors import ReleaseError
from sdv_prefair.fitting._fitted import Fitted, Prepared, Settings
from sdv_prefair.fitting._pipeline import make_encoders
from sdv_prefair.privacy import Debit
from sdv_prefair.release._fields import (
    MOST_CODES,
    MOST_COLUMNS,
    TYPE,
    Fields,
    read_dtype,
    read_list,
    read_value,
    write_dtype,
    write_value,
)

# -- SDV's constraints as JSON, if they consist of names and numbers alone -------------------------

MOST_CONSTRAINTS = 200
_KINDS = {
    kind.__name__: kind
    for kind in (
        *(Inequality, Range, FixedCombinations, FixedIncrements, OneHotEncoding),
        PublicCombinations,
    )
}


def write_constraints(plan: ConstraintPlan) -> list[dict[str, Any]]:
    """Return all constraints of a plan as JSON, in the order in which they were added.

    Raises:
        ReleaseError: If one of them is code.
    """
    return [_write_rule(rule) for rule in plan.rules]


def _write_rule(rule: Rule) -> dict[str, Any]:
    constraint = rule.constraint
    kind = type(constraint).__name__
    if _KINDS.get(kind) is not type(constraint):
        raise ReleaseError(
            f'{kind} cannot be written into a release: it is code, and a release holds none. Use '
            'save, or leave the constraint out and fit again.'
        )
    return {
        'kind': kind,
        'arguments': {
            name: write_value(_argument(constraint, name)) for name in _arguments(type(constraint))
        },
        'learnt': _learnt_combinations(rule),
    }


def _arguments(kind: type) -> list[str]:
    return list(inspect.signature(kind).parameters)


def _argument(constraint: Any, name: str) -> Any:
    # SDV's own get_constraint_dict adds the table's name that the constraint was fitted with.
    return getattr(constraint, name) if hasattr(constraint, name) else vars(constraint)[f'_{name}']


def _learnt_combinations(rule: Rule) -> list[str] | None:
    if not isinstance(rule, JointRule) or not rule.joint.must_learn:
        return None
    cells = rule.joint._cells
    return None if cells is None else ['[' + ', '.join(row) + ']' for row in cells]


def read_constraints(written: Any) -> list[Any]:
    """Return the constraints that ``write_constraints`` has written.

    Raises:
        ReleaseError: If one is of a kind that is not known.
    """
    return [_read_rule(item) for item in read_list(written, 'constraints', MOST_CONSTRAINTS)]


def _read_rule(written: Any) -> Any:
    fields = Fields(written, 'a constraint', ('kind', 'arguments', 'learnt'))
    kind = _KINDS[fields.choice('kind', tuple(_KINDS))]
    names = _arguments(kind)
    arguments = Fields(fields.raw('arguments'), 'a constraint', names)
    return kind(**{name: read_value(arguments.raw(name)) for name in names})


def read_combinations(written: list[Any], plan: ConstraintPlan) -> dict[str, ColumnDomain]:
    """Return the combinations that were learnt although they are not modelled.

    Args:
        written: What ``write_constraints`` returned.
        plan: The plan with these constraints, added in the order in which they are written.
    """
    found: dict[str, ColumnDomain] = {}
    for item, rule in zip(written, plan.rules, strict=True):
        if isinstance(rule, JointRule) and rule.joint.name in plan.domains_to_learn:
            labels = read_list(item['learnt'], 'learnt', MOST_CODES)
            found[rule.joint.name] = Categories(tuple(map(str, labels)), nullable=False)
    return found


# -- Columns as JSON: dtypes, learnt domains, and transformers that the user chose -----------------


MOST_BINS = 1 << 17
_MOST_CUTS = 1 << 18
MOST_DECIMALS = 50
_LONGEST_NAME = 1 << 20
# The arguments of each transformer, which are also its attributes.
_ARGUMENTS = {
    CategoryCodes: ('values', 'nullable', 'other', 'weights', 'missing'),
    NumberBins: ('low', 'high', 'bins', 'decimal_places', 'edges', 'nullable'),
    DatetimeBins: ('low', 'high', 'datetime_format', 'bins', 'edges', 'nullable'),
}
# Further arguments: of transformers with weights, and of those that show "other" values.
_WEIGHTED = ('finer', 'weights')
_OF_OTHERS = ('other_value', 'shared')
# What is learnt in addition to values and bounds.
_FACTS = {
    Categories: ('nullable', 'other', 'shared'),
    Numbers: ('nullable', 'decimal_places'),
    Datetimes: ('nullable',),
}
_KINDS_OF_COLUMNS = {kind.__name__: kind for kind in _ARGUMENTS}


def write_dtypes(dtypes: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the dtype of every column as JSON; they must be public."""
    return [{'name': c, 'dtype': _about(c, write_dtype, d)} for c, d in dtypes.items()]


def read_dtypes(written: Any) -> dict[str, Any]:
    """Return the dtypes that ``write_dtypes`` wrote."""
    columns = [Fields(item, 'a column', ('name', 'dtype')) for item in _listed(written)]
    dtypes = {fields.text('name', most=_LONGEST_NAME): fields.raw('dtype') for fields in columns}
    if len(dtypes) < len(columns) or None in dtypes.values():
        raise ReleaseError('The release names a column twice, or does not say what dtype it has.')
    return {column: read_dtype(dtype) for column, dtype in dtypes.items()}


def write_learnt(
    declared: Mapping[str, ColumnDomain], transformers: Mapping[str, ColumnCodes]
) -> list[dict[str, Any]]:
    """Return what a fit has learnt about columns whose domains are not public.

    Args:
        declared: The domains of columns that the user chose no transformer for.
        transformers: The transformers made from declared and learnt domains.
    """
    unknown = [column for column, domain in declared.items() if isinstance(domain, Undeclared)]
    return [{'name': c} | _about(c, _write_facts, transformers[c]) for c in unknown]


def _write_facts(made: ColumnCodes) -> dict[str, Any]:
    if isinstance(made, CategoryCodes):
        values, more = made.values, {'other': made.other_value, 'shared': made.shared}
        if isinstance(made, TailedCodes):
            values, more = made.heads, more | {'tails': list(made.tails)}
    else:
        values, more = (made.low, made.high), {}
    if isinstance(made, NumberBins):
        more = {'decimal_places': made.decimal_places}
    facts = {'nullable': made.nullable} | more
    return {
        'values': write_value(list(values)),
        'facts': {name: write_value(fact) for name, fact in facts.items()},
    }


def read_learnt(written: Any, declared: Mapping[str, ColumnDomain]) -> dict[str, ColumnDomain]:
    """Return all domains, including learnt ones.

    Args:
        written: What ``write_learnt`` returned.
        declared: The domains of columns that the user chose no transformer for.

    Raises:
        ReleaseError: If a domain is missing or superfluous: exactly the undeclared ones are learnt.
    """
    learnt: dict[str, ColumnDomain] = {}
    for item in _listed(written):
        fields = Fields(item, 'learnt', ('name', 'values', 'facts'))
        name = fields.text('name', most=_LONGEST_NAME)
        if name in learnt or not isinstance(declared.get(name), Undeclared):
            raise ReleaseError('The release has a learnt domain for a column that is public.')
        domain = _with_values(declared[name], read_value(fields.raw('values')))
        learnt[name] = _with_facts(domain, fields.raw('facts'))
    missing = {c for c, d in declared.items() if isinstance(d, Undeclared)} - set(learnt)
    if missing:
        raise ReleaseError('The release lacks the domain of a column that is not public.')
    return {**declared, **learnt}


def _with_facts(domain: ColumnDomain, written: Any) -> ColumnDomain:
    names = _FACTS[type(domain)]
    if isinstance(domain, Categories) and isinstance(written, dict) and 'tails' in written:
        names += ('tails',)
    fields = Fields(written, 'learnt facts', names)
    for name in {'nullable', 'shared'} & set(names):
        fields.flag(name)
    if 'decimal_places' in fields and fields.optional('decimal_places'):
        fields.whole('decimal_places', 0, MOST_DECIMALS)
    facts = {name: read_value(fields.raw(name)) for name in names}
    if 'tails' in facts:
        facts['tails'] = tuple(map(str, read_list(facts['tails'], 'tails', MOST_CODES)))
    return replace(domain, **facts)


def _with_values(undeclared: Undeclared, values: list) -> ColumnDomain:
    if undeclared.kind == 'categories':
        kept = told_apart(values, undeclared.nullable)
        return Categories(
            kept,
            undeclared.nullable,
            undeclared.ordered,
            prefix=undeclared.prefix,
            form=undeclared.form,
            missing=undeclared.missing,
        )
    low, high = values
    if undeclared.kind == 'numbers':
        return Numbers(low, high, undeclared.decimal_places, undeclared.nullable)
    return Datetimes(low, high, undeclared.datetime_format, undeclared.nullable)


def write_shapes(
    transformers: Mapping[str, ColumnCodes], derived: Mapping[str, Sequence[Any]]
) -> list[dict[str, Any]]:
    """Return the bins of unequal width, and the distribution of rows within them.

    Args:
        transformers: The default transformers, not those that the user chose.
        derived: Edges that follow from constraints.
    """
    made = {c: t.shape for c, t in transformers.items() if isinstance(t, BinCodes)}
    shapes = {
        c: shape
        for c, shape in made.items()
        if shape is not None and shape != as_shape(derived.get(c))
    }
    return [{'name': c} | _about(c, _write_shape, shape) for c, shape in shapes.items()]


def _write_shape(shape: BinShape) -> dict[str, Any]:
    return {key: [write_value(item) for item in items] for key, items in vars(shape).items()}


def read_shapes(written: Any, unchosen: Mapping[str, ColumnDomain]) -> dict[str, BinShape]:
    """Return the shapes that ``write_shapes`` wrote.

    Args:
        written: What it returned.
        unchosen: The columns for which no transformer was chosen.
    """
    shapes, cuts_left = {}, _MOST_CUTS
    for item in _listed(written):
        fields = Fields(item, 'a shape', ('name', 'edges', 'finer', 'weights'))
        name = fields.text('name', most=_LONGEST_NAME)
        if name in shapes or name not in unchosen:
            raise ReleaseError('The release has bins for a column that is not binned.')
        listed = {key: fields.items(key, cuts_left) for key in ('edges', 'finer', 'weights')}
        cuts_left -= max(map(len, listed.values()))
        shapes[name] = BinShape(**{key: tuple(map(read_value, x)) for key, x in listed.items()})
    return shapes


def write_chosen(transformers: Mapping[str, ColumnCodes]) -> list[dict[str, Any]]:
    """Return transformers that the user chose as JSON."""
    return [{'name': c} | _about(c, _write_transformer, t) for c, t in transformers.items()]


def _write_transformer(transformer: ColumnCodes) -> dict[str, Any]:
    if type(transformer) not in _ARGUMENTS:
        raise ReleaseError(
            f'{type(transformer).__name__} cannot be written into a release: it is code. Use save.'
        )
    names = _ARGUMENTS[type(transformer)]
    if isinstance(transformer, BinCodes) and (transformer.finer or transformer.weights):
        names += _WEIGHTED
    if isinstance(transformer, CategoryCodes) and (transformer.shows_other or transformer.shared):
        names += _OF_OTHERS
    arguments = {name: write_value(getattr(transformer, name)) for name in names}
    return {
        'kind': type(transformer).__name__,
        'dtype': write_dtype(transformer.dtype),
        'arguments': arguments,
    }


def read_chosen(written: Any, modelled: Mapping[str, ColumnDomain]) -> dict[str, ColumnCodes]:
    """Return the transformers of modelled columns that ``write_chosen`` wrote."""
    chosen, bins_left = {}, MOST_CODES
    for item in _listed(written):
        fields = Fields(item, 'chosen', ('name', 'kind', 'dtype', 'arguments'))
        name = fields.text('name', most=_LONGEST_NAME)
        if name in chosen or name not in modelled:
            raise ReleaseError('The release has a transformer for a column that is not modelled.')
        chosen[name] = _read_transformer(fields, min(bins_left, MOST_BINS))
        bins_left -= getattr(chosen[name], 'bins', 0)
    return chosen


def _read_transformer(fields: Fields, most_bins: int) -> ColumnCodes:
    kind = _KINDS_OF_COLUMNS[fields.choice('kind', tuple(_KINDS_OF_COLUMNS))]
    written, names = fields.raw('arguments'), _ARGUMENTS[kind]
    if kind is not CategoryCodes and isinstance(written, dict) and 'finer' in written:
        names += _WEIGHTED
    if kind is CategoryCodes and isinstance(written, dict) and 'shared' in written:
        names += _OF_OTHERS
    arguments = Fields(written, 'a transformer', names)
    arguments.flag('nullable')
    if kind is not CategoryCodes:
        arguments.whole('bins', 1, most_bins)
    if kind is NumberBins and arguments.optional('decimal_places'):
        arguments.whole('decimal_places', 0, MOST_DECIMALS)
    given = {name: read_value(arguments.raw(name)) for name in names}
    return kind(**given, dtype=read_dtype(fields.raw('dtype')))


def _listed(written: Any) -> list:
    return read_list(written, 'columns', MOST_COLUMNS)


def _about(column: str, write: Any, value: Any) -> Any:
    try:
        return write(value)
    except ReleaseError as error:
        raise ReleaseError(f"Column '{column}': {error}") from None


# -- Metadata as JSON, and limits on untrusted metadata --------------------------------------------
#
# It is SDV's own format, with additional types of values that JSON lacks.
#
# SDV checks that metadata makes sense. Here it is checked for what would make a harmless-looking
# synthesizer write, compute or allocate more than it should: table names become names of files,
# sdtypes names of functions, formats programs that write values.


_MOST_LETTERS = 1_000
_MOST_GENERATORS = 100_000
# RDT's own limit on unbounded repetitions.
_ENDLESS = 16
_TABLE_NAME = re.compile(r'[^/\\\x00-\x1f]{1,200}')
_SDTYPE = re.compile(r'[a-z][a-z0-9_]{0,99}')
_DATETIME_FORMAT = re.compile(r'(%[-#]?[A-Za-z%]|[^%]){0,200}')
# Functions of Faker that make files, data structures and other large things.
_LARGE_SDTYPES = {
    *('binary', 'csv', 'dsv', 'enum', 'fixed_width', 'image', 'json', 'json_bytes', 'psv'),
    *('tar', 'time_series', 'tsv', 'xml', 'zip'),
}
_LARGE_PREFIX = 'py'


def write_metadata(metadata: Metadata) -> Any:
    """Return metadata as JSON; ``Metadata.load_from_json`` reads it if all values are plain."""
    document = metadata.to_dict()
    # SDV lists a table's entries in the order of a set, which differs between processes.
    document['tables'] = {name: dict(sorted(t.items())) for name, t in document['tables'].items()}
    return _write(document)


def read_metadata(written: Any) -> Metadata:
    """Return the metadata that a document holds, once it is known to be harmless."""
    document = _read(written)
    check_metadata(document)
    return Metadata.load_from_dict(document)


def _write(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _write(item) for key, item in value.items()}
    return write_value(list(value) if isinstance(value, tuple) else value)


def _read(written: Any) -> Any:
    # A column may have the name of the key for types, but then an object describes it.
    if isinstance(written, dict) and not isinstance(written.get(TYPE), str):
        return {key: _read(item) for key, item in written.items()}
    if isinstance(written, list):
        return [_read(item) for item in written]
    return read_value(written)


def check_metadata(document: Any) -> None:
    """Raise unless a document can safely be passed to SDV as metadata.

    Args:
        document: The parsed JSON.
    """
    if not isinstance(document, dict) or not isinstance(document.get('tables'), dict):
        raise ReleaseError('metadata.json of the release must be SDV metadata.')
    if len(document['tables']) != 1 or document.get('relationships'):
        raise ReleaseError('metadata.json of the release must describe one table.')
    ((name, table),) = document['tables'].items()
    if not _TABLE_NAME.fullmatch(name) or name in {'.', '..'}:
        raise ReleaseError(
            'The table of the release has a name that cannot be a file name: it must have at most '
            '200 characters and no slash.'
        )
    columns = table.get('columns') if isinstance(table, dict) else None
    if not isinstance(columns, dict) or not 1 <= len(columns) <= MOST_COLUMNS:
        raise ReleaseError(f'The release must describe 1 to {MOST_COLUMNS} columns.')
    for description in columns.values():
        _check_column(description)


def _check_column(description: Any) -> None:
    if not isinstance(description, dict):
        raise ReleaseError('metadata.json of the release does not describe a column as an object.')
    _check_sdtype(description.get('sdtype'))
    written = description.get('datetime_format')
    if written is not None and not _is_like(_DATETIME_FORMAT, written):
        raise ReleaseError('metadata.json of the release holds an invalid datetime_format.')
    places = description.get('decimal_places')
    if places is not None and not (type(places) is int and 0 <= places <= MOST_DECIMALS):
        raise ReleaseError(f'decimal_places of the release must be at most {MOST_DECIMALS}.')
    if description.get('regex_format') is not None:
        _check_regex(description['regex_format'])


def _check_sdtype(sdtype: Any) -> None:
    if not _is_like(_SDTYPE, sdtype):
        raise ReleaseError('metadata.json of the release holds an invalid sdtype.')
    if sdtype in _LARGE_SDTYPES or sdtype.startswith(_LARGE_PREFIX):
        raise ReleaseError(
            f"The sdtype '{sdtype}' cannot be in a release: opening it would generate files or "
            "data structures. Use 'unknown' instead."
        )


def _is_like(pattern: re.Pattern[str], value: Any) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _check_regex(written: Any) -> None:
    if not isinstance(written, str) or len(written) > _MOST_LETTERS:
        raise ReleaseError('metadata.json of the release holds a regex_format that is too long.')
    try:
        generators = _count_generators(regex_parser.parse(written))
    except (re.error, ValueError, OverflowError, RecursionError):
        generators = None
    if generators is None or generators > _MOST_GENERATORS:
        raise ReleaseError(
            'metadata.json of the release holds a regex_format that cannot be generated, or only '
            'with too many repetitions.'
        )


def _count_generators(pattern: Any) -> int:
    """Return how many generators RDT makes for a pattern: one per repetition, for every number."""
    total = 0
    for kind, arguments in pattern:
        if kind in {regex_parser.MAX_REPEAT, regex_parser.MIN_REPEAT}:
            least, most, repeated = arguments
            most = _ENDLESS if most == regex_parser.MAXREPEAT else most
            repetitions = (least + most) * max(0, most - least + 1) // 2
            total += (repetitions + 1) * _count_generators(repeated)
        elif kind == regex_parser.SUBPATTERN:
            total += _count_generators(arguments[3])
        else:
            total += 1
    return total


# -- Rebuilds transformers and SDV's processor from the columns of a release, as in a fit ----------


def given_dtypes(fitted: Fitted) -> dict[str, Any]:
    """Return the dtypes of the fitted table, as far as they are public.

    Transformers have those of modelled columns, SDV's processor has the others. Columns that
    constraints have replaced are restored from one row of codes, only to determine their dtypes.
    """
    plan, transformers = fitted.plan, fitted.encoding.transformers
    dtypes = dict(fitted.prepared.processor._dtypes)
    dtypes |= {column: transformers[column].dtype for column in fitted.settings.unchosen}
    dtypes |= plan.consumed_dtypes(transformers)
    return {column: dtypes[column] for column in single_table(plan.original_metadata).columns}


def rebuild_encoders(settings: Settings, fields: Fields, learning: Sequence[Debit]) -> Prepared:
    """Construct transformers and processor as they are after a fit.

    Args:
        settings: The settings of an unfitted synthesizer with its arguments and constraints.
        fields: The release.
        learning: The ledger lines of learning domains.
    """
    given = read_dtypes(fields.raw('columns'))
    if list(given) != list(single_table(settings.plan.original_metadata).columns):
        raise ReleaseError('The columns of the release are not those of its metadata.')
    dtypes = pd.Series(given, dtype=object)
    settings = settings.for_table(dtypes)
    plan = settings.plan
    settings = replace(settings, chosen=read_chosen(fields.raw('chosen'), plan.domains))
    learnt = read_learnt(fields.raw('learnt'), settings.unchosen)
    learnt |= read_combinations(fields.raw('constraints'), plan)
    shapes = read_shapes(fields.raw('shapes'), settings.unchosen)
    edges = plan.edges(settings.numeric_bins) | shapes
    modelled = _modelled_dtypes(plan, dtypes)
    return make_encoders(settings, plan.settle(learnt), edges, modelled, learning)


def _modelled_dtypes(plan: ConstraintPlan, dtypes: pd.Series) -> pd.Series:
    if not plan.chain:
        return dtypes
    public = public_frame(plan.original_domains, dtypes, plan.original_metadata)
    modelled = plan.transform(public).dtypes
    kept = [c for c in modelled.index if c in dtypes.index and c not in plan.consumed]
    return pd.Series(dict(modelled) | {c: dtypes[c] for c in kept}, dtype=object)
