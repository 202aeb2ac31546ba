"""SDV's DataProcessor, with faster decoding of codes."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
from sdv.data_processing.data_processor import DataProcessor
from sdv.data_processing.errors import NotFittedError

from sdv_prefair.encoding._keys import check_distinct, check_each_once, check_room, key_columns
from sdv_prefair.encoding._quick_fakers import quick_fakers
from sdv_prefair.transformers import ColumnCodes
from sdv_prefair.values._dtypes import decimal_scale
from sdv_prefair.values._with_columns import with_columns


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
        self, data: pd.DataFrame, reset_keys: bool = False, conditions: dict | None = None
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

    def complete(self, rows: pd.DataFrame, conditions: dict | None = None) -> pd.DataFrame:
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
