"""CSV files as parts of one table, typed by the metadata alone.

Nothing is inferred from the cells, see ``values.text_cells``: '007' stays a string, a date stays
as it is written and is parsed by its format. Each distinct string of a block is converted once.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from sdv_prefair.counts._csv_blocks import text_blocks
from sdv_prefair.counts._csv_lines import check_described, open_csv, read_names, reading_csv
from sdv_prefair.counts._file_types import check_same_columns
from sdv_prefair.values._text_cells import as_described


class CsvFiles:
    """CSV files, compressed or not, that form one table.

    Args:
        paths: The paths of the files, read in this order.
        columns: The metadata of each column.

    Raises:
        UnreadableCsv: If a first line names no columns.
        PrivateDataError: If files differ in their columns.
    """

    def __init__(self, paths: Sequence[Path], columns: Mapping[str, dict[str, Any]]):
        self._paths, self._columns = list(paths), columns
        of_files = [self._read_names(path) for path in self._paths]
        check_same_columns(of_files)
        self.names = [name for name in of_files[0] if name.strip()]

    @property
    def empty(self) -> pd.DataFrame:
        """The table without its rows: names and dtypes."""
        return as_described(pd.DataFrame(columns=self.names, dtype=object), self._columns)

    def parts(self, wanted: Sequence[str]) -> Iterator[pd.DataFrame]:
        """Yield some columns of all rows, part by part.

        Privacy: yields private rows.
        """
        for path in self._paths:
            with reading_csv(path), open_csv(path) as stream:
                names = read_names(path, stream)
                for block in text_blocks(stream, names):
                    yield self._typed(block.select(list(wanted)))

    def _read_names(self, path: Path) -> list[str]:
        with reading_csv(path), open_csv(path) as stream:
            names = read_names(path, stream)
        check_described(path, names, list(self._columns))
        return names

    def _typed(self, block: pa.Table) -> pd.DataFrame:
        typed = {name: self._column(name, block[name]) for name in block.column_names}
        return pd.DataFrame(typed, index=range(block.num_rows))

    def _column(self, name: str, cells: pa.ChunkedArray) -> pd.Series:
        encoded = cells.combine_chunks().dictionary_encode()
        # The index of a null is -1, which takes the last entry.
        texts = [*encoded.dictionary.to_pylist(), None]
        different = as_described(
            pd.DataFrame({name: pd.Series(texts, dtype=object)}), self._columns
        )
        places = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return (
            different[name]
            .take(np.where(places < 0, len(texts) - 1, places))
            .reset_index(drop=True)
        )
