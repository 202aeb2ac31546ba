"""The modelled columns' transformers, and SDV's DataProcessor fitted on public facts only."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from rdt.transformers import BaseTransformer, PseudoAnonymizedFaker
from sdv.data_processing.data_processor import DataProcessor
from sdv.errors import SynthesizerInputError

from sdv_prefair.domain import ColumnDomain
from sdv_prefair.encoding._generators import generators_of_unknown
from sdv_prefair.encoding._keys import check_keys, id_generators
from sdv_prefair.encoding._public_frame import public_frame
from sdv_prefair.errors import DomainError, PrivateDataError
from sdv_prefair.privacy._private_table import HiddenCode
from sdv_prefair.transformers import ColumnCodes
from sdv_prefair.transformers._misreading import misread_columns
from sdv_prefair.transformers._telling import untold_columns
from sdv_prefair.values._dtypes import unlisted_category

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
