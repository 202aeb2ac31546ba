"""Both models of the demonstration on one page, with their metrics."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from sdv_prefair._atomic_write import write_whole
from sdv_prefair.report._page import plain_page

_ABOUT = (
    'Two synthesizers, the same rows, the same privacy budget. Plain MST connects whatever is '
    'dependent in the data; PreFair lets protected columns affect the outcome only through '
    'admissible ones.'
)


def write_demo_page(
    path: Path, pictures: Mapping[str, go.Figure], measured: pd.DataFrame, lines: Sequence[str]
) -> None:
    """Write the page; it needs no network.

    Args:
        path: Where to write.
        pictures: The drawing of each model, by name.
        measured: A line for each table, a column for each measure.
        lines: What to say about the numbers.
    """
    drawn = [
        {'figure': _titled(name, figure), 'described': f'The graph of {name} in lanes.'}
        for name, figure in pictures.items()
    ]
    sections = {
        'graphs': ('What each model connects', drawn),
        'numbers': (
            'What that means in numbers',
            [_table(measured), {'lines': '\n'.join(lines)}],
        ),
    }
    closing = "The table is simulated, so its real rows are nobody's."
    write_whole(path, plain_page('Plain MST and PreFair', [_ABOUT], sections, closing))


def _titled(name: str, figure: go.Figure) -> go.Figure:
    told = figure.layout.title.text.partition(': ')[2]
    return figure.update_layout(title_text=f'{name}: {told}')


def _table(measured: pd.DataFrame) -> dict[str, Any]:
    rows = [
        (name, *('–' if pd.isna(value) else f'{value:.3f}' for value in line))
        for name, *line in measured.itertuples(name=None)
    ]
    header, nums = ('', *measured), range(1, measured.shape[1] + 1)
    caption = 'Trained on, or measured of'
    return {'caption': caption, 'header': header, 'rows': rows, 'nums': nums}
