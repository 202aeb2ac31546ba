"""Columns as JSON: dtypes, learnt domains, and transformers that the user chose.

The encoding of a column follows from the metadata, its dtype and the arguments, as in a fit; only
the rest is stored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sdv_prefair.columns import (
    BinShape,
    CategoryCodes,
    ColumnCodes,
    DatetimeBins,
    NumberBins,
    TailedCodes,
)
from sdv_prefair.columns._bins import BinCodes, as_shape
from sdv_prefair.columns._facts import Categories, ColumnDomain, Datetimes, Numbers, Undeclared
from sdv_prefair.columns._texts import told_apart
from sdv_prefair.errors import ReleaseError
from sdv_prefair.release._dtype_names import read_dtype, write_dtype
from sdv_prefair.release._fields import MOST_CODES, MOST_COLUMNS, Fields, read_list
from sdv_prefair.release._values import read_value, write_value

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
_KINDS = {kind.__name__: kind for kind in _ARGUMENTS}


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
    kind = _KINDS[fields.choice('kind', tuple(_KINDS))]
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
