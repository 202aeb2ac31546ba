"""A table on its way through SDV's data processor, without a look at its rows."""

from collections.abc import Iterable, Mapping
from itertools import cycle, islice
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.api import types
from rdt.transformers import BaseTransformer, PseudoAnonymizedFaker
from sdv.data_processing.data_processor import DataProcessor
from sdv.data_processing.errors import NotFittedError
from sdv.errors import SynthesizerInputError
from sdv.metadata.errors import InvalidMetadataError

from sdv_prefair._arrays import HiddenCode
from sdv_prefair.columns import ColumnCodes, single_table
from sdv_prefair.columns._cells import digits_of_format, micros_of_timestamp
from sdv_prefair.columns._dtypes import (
    cast,
    decimal_scale,
    is_integer,
    natural_array,
    public_dtype,
    unlisted_category,
    with_columns,
)
from sdv_prefair.columns._facts import Categories, ColumnDomain, Datetimes, Numbers, Undeclared
from sdv_prefair.columns._generated import (
    check_distinct,
    check_each_once,
    check_keys,
    check_room,
    generators_of_unknown,
    id_generators,
    key_columns,
    quick_fakers,
)
from sdv_prefair.columns._moments import grid_unit, is_temporal, write_micros
from sdv_prefair.columns._telling import misread_columns, untold_columns
from sdv_prefair.errors import DataFormError, DomainError, PrivateDataError

# -- Checks of a frame against the metadata, by names and types alone ------------------------------
#
# SDV's own validation reads values and prints them, and whether it fails may depend on a single
# row. Here column names and types are public and the contents of rows are not, so nothing else is
# read.


def one_frame(data: dict[str, pd.DataFrame], table_name: str) -> pd.DataFrame:
    """Return a shallow copy of the one table in ``data``, with string column names.

    The caller's frame stays unchanged, even if a later step fails.
    """
    if not isinstance(data, dict) or not all(isinstance(t, pd.DataFrame) for t in data.values()):
        raise DataFormError(
            f'The data must be a DataFrame, or a dictionary of DataFrames such as '
            f"{{'{table_name}': df}}."
        )
    if list(data) != [table_name]:
        raise DataFormError(
            f"The data must hold the one table '{table_name}' that the metadata describes, not "
            f'{list(data)}.'
        )
    table = data[table_name].copy(deep=False)
    table.columns = [str(column) for column in table.columns]
    return table


def integer_names(given: pd.Index, columns: Iterable[str]) -> pd.Index:
    """Return the caller's column names in the metadata's order if any is an integer.

    SDV restores these names in sampled tables; an empty index means that there are none to restore.
    """
    if not any(isinstance(name, int) for name in given):
        return pd.Index([])
    by_text = {str(name): name for name in given}
    found: pd.Index = pd.Index([by_text[column] for column in columns])
    return found


def check_frame(table: pd.DataFrame, columns: Mapping[str, dict[str, Any]]) -> None:
    """Raise unless names and dtypes of the table fit the metadata's columns, and it has rows.

    Args:
        table: The private table. Its values are not read.
        columns: The metadata of each column.
    """
    check_columns(table, columns)
    if table.empty:
        raise PrivateDataError('The table has no rows. Give at least one.')


def check_columns(table: pd.DataFrame, columns: Mapping[str, dict[str, Any]]) -> None:
    """Raise unless names and dtypes of the table fit the metadata's columns."""
    if not columns:
        raise InvalidMetadataError('The metadata is empty. Add at least one column to it.')
    problems = _name_problems(list(table.columns), list(columns))
    if not problems:
        problems = [
            problem
            for column, column_metadata in columns.items()
            if (problem := _type_problem(column, table[column].dtype, column_metadata))
        ]
    if problems:
        raise PrivateDataError(problems)


def _name_problems(given: list[str], expected: list[str]) -> list[str]:
    problems = []
    if missing := [column for column in expected if column not in given]:
        problems.append(
            f'Columns {missing} are in the metadata but not in the data. Add them to '
            'the data or take them out of the metadata.'
        )
    if unknown := [column for column in given if column not in expected]:
        problems.append(
            f'Columns {unknown} are in the data but not in the metadata. Add them to the '
            'metadata or drop them from the data.'
        )
    if repeated := sorted({column for column in given if given.count(column) > 1}):
        problems.append(f'Columns {repeated} appear more than once in the data. Keep one of each.')
    return problems


def _type_problem(column: str, dtype: Any, column_metadata: dict[str, Any]) -> str | None:
    sdtype = column_metadata['sdtype']
    if types.is_object_dtype(dtype) or isinstance(dtype, pd.CategoricalDtype):
        return None  # the types of cells or categories depend on the rows
    if sdtype == 'numerical' and not types.is_numeric_dtype(dtype):
        return _mismatch(column, sdtype, 'convert it with pandas.to_numeric')
    if sdtype == 'datetime':
        written = column_metadata.get('datetime_format')
        if not _may_hold_datetimes(dtype, written):
            return _mismatch(column, sdtype, 'convert it with pandas.to_datetime')
    return None


def _mismatch(column: str, sdtype: str, remedy: str) -> str:
    return (
        f"Column '{column}' is declared as '{sdtype}' but its dtype does not match: {remedy}, or "
        'change its sdtype in the metadata.'
    )


def _may_hold_datetimes(dtype: Any, datetime_format: str | None) -> bool:
    if types.is_numeric_dtype(dtype):  # such as 20240131
        return digits_of_format(datetime_format) is not None
    return (
        types.is_datetime64_any_dtype(dtype)
        or types.is_string_dtype(dtype)
        or any(word in str(dtype) for word in ('date', 'timestamp'))
    )


# -- A few rows made from public facts alone, for fitting SDV's preprocessing ----------------------
#
# SDV learns dtypes, formats, ranges and seeds from the frame its ``DataProcessor`` is fitted to,
# and keeps them. Fitted to this frame, it learns only what the metadata and the dtypes say.


ROWS = 3
_PLACEHOLDER_DAY = pd.Timestamp('2000-01-01')
_PLACEHOLDER_DIGITS = 5


def public_frame(
    domains: Mapping[str, ColumnDomain], dtypes: Mapping[str, Any] | pd.Series, table_metadata: Any
) -> pd.DataFrame:
    """Return a frame with the columns and dtypes of the private one, and none of its values.

    Args:
        domains: The domains of the modelled columns that are known so far.
        dtypes: The private frame's dtypes by column (``frame.dtypes``).
        table_metadata: SDV's ``Metadata`` with one table, or that table's metadata.

    Returns:
        A few rows with the declared values or bounds; placeholders in all other columns. Only the
        dtype category differs, because it lists the values of the data: it becomes a category of
        the declared values or, if there are none, the dtype that suits the metadata.
    """
    descriptions = single_table(table_metadata).columns
    columns = {}
    for column, dtype in dtypes.items():
        domain = domains.get(column)  # type: ignore[call-overload]  # names are texts
        if domain is None and descriptions[column]['sdtype'] == 'datetime':
            written = descriptions[column].get('datetime_format')
            domain = Undeclared('datetimes', datetime_format=written)
        try:
            columns[column] = _column(domain, dtype)
        except (TypeError, ValueError, OverflowError, IndexError, pa.ArrowException):
            raise DomainError(
                f"Column '{column}': dtype {str(public_dtype(dtype))!r} cannot hold what the "
                'metadata declares. Convert the column or correct its sdtype.'
            ) from None
    return pd.DataFrame(columns)


def _column(domain: ColumnDomain | None, dtype: Any) -> Any:
    if isinstance(domain, Categories) and domain.shown:
        values = natural_array(list(islice(cycle(domain.shown), ROWS)))
        return cast(values, np.zeros(ROWS, bool), public_dtype(dtype, domain.shown))
    dtype = public_dtype(dtype)
    if isinstance(domain, Numbers):
        numbers = _numbers(domain, dtype)
        if dtype is None and numbers.dtype == np.int64 and domain.nullable:
            dtype = pd.Int64Dtype()
        return cast(numbers, np.zeros(ROWS, bool), dtype)
    if isinstance(domain, Datetimes):
        return _moments(domain, dtype)
    if isinstance(domain, Undeclared) and domain.kind == 'datetimes':
        written = domain.datetime_format
        return _moments(Datetimes(_PLACEHOLDER_DAY, _PLACEHOLDER_DAY, written), dtype)
    if isinstance(domain, Undeclared) and domain.kind == 'numbers' and dtype is None:
        dtype = np.dtype('float64')
    return _placeholders(dtype)


def _numbers(domain: Numbers, dtype: Any) -> np.ndarray:
    """Return the bounds and a number between them with the largest possible number of decimals."""
    places = decimal_scale(dtype) if is_integer(dtype) else domain.decimal_places
    if places is not None:
        grid = domain.grid(places)
        whole = [grid[0], grid[-1], grid[min(1, grid[-1] - grid[0])]]
        return natural_array(whole if places == 0 else [step / 10**places for step in whole])
    return np.array([domain.low, domain.high, domain.low + (domain.high - domain.low) / 3.0])


def _moments(domain: Datetimes, dtype: Any) -> Any:
    low, high = micros_of_timestamp(domain.low), micros_of_timestamp(domain.high)
    micros = np.array([low, high, low])
    unit = grid_unit(domain.datetime_format, domain.low, domain.high, dtype)
    instants = domain.low.tzinfo is not None
    return write_micros(micros, dtype, domain.datetime_format, unit, instants)


def _placeholders(dtype: Any) -> Any:
    """Return distinct values of any dtype; strings for dtypes that have no placeholders."""
    if is_temporal(dtype):
        return _moments(Datetimes(_PLACEHOLDER_DAY, _PLACEHOLDER_DAY), dtype)
    values = natural_array([f'placeholder {row}' for row in range(ROWS)])
    if pd.api.types.is_bool_dtype(dtype):
        values = np.arange(ROWS) % 2 == 1
    elif pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype):
        values = 10 ** _digits(dtype) - 1 - np.arange(ROWS)
    try:
        return cast(values, np.zeros(ROWS, bool), dtype)
    except (TypeError, ValueError, pa.ArrowException):
        return values


def _digits(dtype: Any) -> int:
    """Return the number of digits to generate: SDV counts those of the largest number it sees."""
    if is_integer(dtype):
        limit = np.iinfo(getattr(dtype, 'numpy_dtype', dtype)).max
        return min(_PLACEHOLDER_DIGITS, len(str(limit)) - 1)
    if isinstance(dtype, pd.ArrowDtype) and pa.types.is_decimal(dtype.pyarrow_dtype):
        decimals = dtype.pyarrow_dtype
        # SDV also counts decimals and the point: for SDV, 9.00 has four digits.
        room = decimals.precision - 2 * decimals.scale - bool(decimals.scale)
        found: int = max(1, min(_PLACEHOLDER_DIGITS, room))
        return found
    return _PLACEHOLDER_DIGITS


# -- SDV's DataProcessor, with faster decoding of codes --------------------------------------------


class CodesProcessor(DataProcessor):
    """Decodes each modelled column once and lets SDV generate the rest.

    RDT copies the whole table for every column it reverses, and SDV casts, drops nulls and formats
    every column again. Our transformers return columns in their final form, so for a million rows
    most of that time is saved. SDV still generates keys, ids and personal data.

    Attributes:
        decoders: The transformers that the model was fitted with. Those that a user assigns later
            are for the next fit; they would decode the model's codes into other values.
    """

    decoders: Mapping[str, ColumnCodes] | None = None

    def reverse_transform(
        self, data: pd.DataFrame, reset_keys: bool = False, conditions: dict[str, Any] | None = None
    ) -> pd.DataFrame:
        """Return the decoded table, with generated columns filled in."""
        if not self.fitted:
            raise NotFittedError()
        return self.complete(self.decode(data), conditions)

    def reset_sampling(self) -> None:
        """Restart all random generators, including those within bins."""
        super().reset_sampling()
        for transformer in (self.decoders or {}).values():
            transformer.reset_randomization()

    def decode(self, data: pd.DataFrame) -> pd.DataFrame:
        """Return the modelled columns, decoded."""
        transformers = self.decoders or self._hyper_transformer.field_transformers
        columns: dict[str, Any] = {
            column: transformers[column].decode(data[column], transformers[column].generator)
            for column in data.columns
            if isinstance(transformers.get(column), ColumnCodes)
        }
        return pd.DataFrame(columns, index=data.index)

    def complete(
        self, rows: pd.DataFrame, conditions: dict[str, Any] | None = None
    ) -> pd.DataFrame:
        """Return rows with the columns that SDV generates, all in the order of the metadata.

        Args:
            rows: The modelled columns. Columns that constraints have restored are not returned.
            conditions: Values of columns that are not to be generated.
        """
        transformers = self._hyper_transformer.field_transformers
        for transformer in self.grouped_columns_to_transformers.values():
            if not transformer.output_columns:
                rows = transformer.reverse_transform(rows)
        asked = {c: v for c, v in (conditions or {}).items() if c not in rows}
        generated = [
            c
            for c in self.metadata.columns
            if c not in rows
            and c not in asked
            and c in transformers
            and not isinstance(transformers[c], ColumnCodes)
        ]
        rows = with_columns(rows, asked)
        if generated and len(rows):
            with quick_fakers(transformers[c] for c in generated):
                made = self._hyper_transformer.create_anonymized_columns(len(rows), generated)
            made = {c: self._in_dtype(made[c]) for c in generated}
            for column in self._single_keys(generated):
                check_distinct(made[column])
            rows = with_columns(rows, {c: values.array for c, values in made.items()})
        return rows[[column for column in self.metadata.columns if column in rows]]

    def check_room(self, num_rows: int, at_once: int | None = None) -> None:
        """Raise if there are fewer keys left than rows requested.

        Args:
            num_rows: How many.
            at_once: How many are sampled together, among which a key that comes twice is noticed;
                all of them if None.
        """
        transformers = self._hyper_transformer.field_transformers
        keys = {c: transformers[c] for c in self._single_keys(transformers)}
        check_room(keys, num_rows)
        if at_once is not None and at_once < num_rows:
            check_each_once(keys)

    def _single_keys(self, columns: Iterable[str]) -> list[str]:
        keys = key_columns(self.metadata)
        return [column for column in columns if column in keys]

    def _in_dtype(self, values: pd.Series) -> pd.Series:
        dtype = self._dtypes[values.name]
        try:
            if decimal_scale(dtype):  # Arrow converts no strings to decimals, and not all integers
                values = values.astype(float)
            return values.astype(dtype)
        except (TypeError, ValueError, OverflowError):  # a generator may return another type
            return values


# -- The modelled columns' transformers, and SDV's DataProcessor fitted on public facts only -------

# Rules of RDT's generators that count how often values repeat.
_COUNTING_RULES = ('match', 'scale')


class Encoding:
    """Turns the modelled columns into integer codes.

    Args:
        transformers: One transformer of this package for each modelled column.
    """

    def __init__(self, transformers: Mapping[str, ColumnCodes]):
        self.transformers = dict(transformers)

    @property
    def domain(self) -> dict[str, int]:
        """Number of codes of each modelled column."""
        return {column: codes.num_codes for column, codes in self.transformers.items()}

    @property
    def counted_domain(self) -> dict[str, int]:
        """Number of codes of each modelled column that are counted, hidden ones included."""
        return {column: codes.num_counted for column, codes in self.transformers.items()}

    @property
    def hidden_codes(self) -> dict[str, HiddenCode]:
        """The codes that have no value to show, and the codes that replace them on decoding."""
        return {
            column: {'other': codes.hidden_code, 'stand_in': codes.stand_in_code}
            for column, codes in self.transformers.items()
            if codes.hidden_code is not None
        }

    @property
    def public_groups(self) -> dict[str, np.ndarray]:
        """The public group of each counted code, -1 for none, for columns that have groups."""
        groups = {c: codes.public_groups for c, codes in self.transformers.items()}
        return {c: of_codes for c, of_codes in groups.items() if of_codes is not None}

    def check_values(self) -> None:
        """Raise unless all values that can be shown determine their codes.

        Privacy: reads public facts and released values alone.
        """
        untold = untold_columns(self.transformers)
        if untold:
            raise DomainError(
                f'Values of {untold} would not determine their codes: two codes may look the same '
                'in a table or in a CSV file. Give these columns other transformers, whose values '
                'differ as text, or other dtypes.'
            )

    @property
    def misread_columns(self) -> list[str]:
        """Columns with two values that a CSV reader that infers types would take for one."""
        return misread_columns(self.transformers)

    def encode(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the codes of the modelled columns.

        Calls each transformer directly: RDT's own loop copies the whole table for every column.
        """
        return pd.DataFrame(
            {column: codes.encode(table[column]) for column, codes in self.transformers.items()},
            index=table.index,
        )


def check_codes(codes: pd.DataFrame, encoding: Encoding | None) -> None:
    """Raise unless a table holds codes as ``Encoding.encode`` makes them.

    Args:
        codes: Supposedly a preprocessed table.
        encoding: The encoding of the last preprocessing, if any.
    """
    if encoding is None:
        raise PrivateDataError('There is no preprocessed data yet. Call preprocess or fit first.')
    sizes = encoding.counted_domain
    strange = [column for column in sizes if column not in codes or codes[column].dtype.kind != 'u']
    if codes.empty or strange or any((codes[c] >= size).any() for c, size in sizes.items()):
        raise PrivateDataError(
            'The preprocessed data must be rows that preprocess returned, with the codes of '
            f'{list(sizes)} as they are.'
        )


def prepare_processor(
    processor: DataProcessor,
    dtypes: pd.Series,
    domains: Mapping[str, ColumnDomain],
    transformers: Mapping[str, ColumnCodes | None],
) -> None:
    """Fit SDV's DataProcessor on a frame made of metadata and dtypes, not on private rows.

    SDV's processor learns dtypes, formats, seeds and shares of missing values from the frame it is
    fitted to, and all of it goes into the pickle. It would learn ids that are not keys verbatim;
    they are generated instead.
    """
    check_keys(dtypes, processor.metadata)
    frame = public_frame(domains, dtypes, processor.metadata)
    processor._id_columns_use_old_behavior = [
        column for column, sdtype in processor.get_sdtypes().items() if sdtype == 'id'
    ]
    is_first = not processor._hyper_transformer.get_config()['sdtypes']
    processor._prepared_for_fitting = False
    processor.prepare_for_fitting(frame)
    if is_first:  # later, the user may have chosen others
        generators = generators_of_unknown(processor, frame)
        processor.update_transformers(generators | id_generators(processor.metadata, dtypes))
    processor.update_transformers(dict(transformers))
    processor.fit(frame)
    for column, dtype in dtypes.items():
        if column not in transformers and unlisted_category(dtype) is not None:
            processor._dtypes[column] = unlisted_category(dtype)
    # Our transformers return values already rounded, formatted and within the public range;
    # SDV's formatters would round to what they saw in the public frame, and cost more.
    for column in transformers:
        processor.formatters.pop(column, None)


def check_transformers(
    column_name_to_transformer: Mapping[str, BaseTransformer | None], modelled: set[str]
) -> dict[str, ColumnCodes]:
    """Return the transformers given for modelled columns; raise if any would learn from rows."""
    chosen: dict[str, ColumnCodes] = {}
    for column, transformer in column_name_to_transformer.items():
        if column in modelled and isinstance(transformer, ColumnCodes):
            chosen[column] = transformer
        elif column in modelled:
            raise SynthesizerInputError(
                f"Column '{column}' cannot use {type(transformer).__name__}: it would learn from "
                'the rows outside the privacy budget. Use CategoryCodes, NumberBins or '
                'DatetimeBins of sdv_prefair.transformers, which take public values and bounds.'
            )
        elif transformer is not None and not _makes_up(transformer):
            raise SynthesizerInputError(
                f"Column '{column}' is generated, not learnt, so it needs a transformer that "
                f'generates values; {type(transformer).__name__} does not. Use one such as '
                'AnonymizedFaker or RegexGenerator of rdt.transformers.'
            )
        elif (rule := getattr(transformer, 'cardinality_rule', None)) in _COUNTING_RULES:
            raise SynthesizerInputError(
                f"Column '{column}' cannot use {type(transformer).__name__} with "
                f"cardinality_rule='{rule}': it would count how often values repeat in the rows, "
                "which is private. Use cardinality_rule='unique', or None."
            )
    return chosen


def _makes_up(transformer: BaseTransformer) -> bool:
    """Whether a transformer needs no rows; pseudonyms do, though RDT calls them generated."""
    return transformer.is_generator() and not isinstance(transformer, PseudoAnonymizedFaker)
