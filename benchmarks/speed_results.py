"""What ``speed.py`` found, as a page and as figures."""

from pathlib import Path

import pandas as pd
import plotly.express as px

MEMORY = (
    'Memory is bounded by cells, not by rows. Only the declared columns and pairs are counted, at '
    '8 bytes a cell. Of a pair with more than 65,536 cells, only cells that contain rows are kept, '
    'at 16 bytes each; a pair with more than 10,000,000 is not counted. A clique of the model has '
    'at most 50,000 cells (`max_cells`), and there are no more cliques than columns; a fit holds '
    'about five tables of each, at 8 bytes a cell. `peak MB` is for the whole process, including '
    'the libraries and the table.'
)


def write(
    fits: pd.DataFrame,
    peers: pd.DataFrame,
    growth: pd.DataFrame,
    folder: Path,
    made: str,
    limits: tuple[str, str],
) -> None:
    """Write the page, and a figure for each kind of growth."""
    least, within = limits
    text = [
        '# Speed beside peers',
        '',
        f'Made by {made}: all in one run, so read the ratios. Every line is a separate process, '
        'and imports are not counted.',
        '',
        f'Processor seconds of a fit, {least}, and of the first. `sdv-prefair` is the default, '
        "`structure='planned'`. mbi's MST takes only integer codes. What did not finish "
        f'{within} has no figures.',
        '',
        *_block(fits.to_string(index=False, na_rep='', float_format='{:.4g}'.format)),
        MEMORY,
        '',
        'Adult in codes at epsilon 1, with sampling; seconds of wall time:',
        '',
        *_block(peers.T.to_string(na_rep='', float_format='{:.4g}'.format)),
        '`fit_table` on Parquet beside a plain Arrow scan and bincount of the same pairs:',
        '',
        *_block(growth.to_string(index=False, float_format='{:.4g}'.format)),
    ]
    (folder / 'speed.md').write_text('\n'.join(text))
    for kind, part in growth.groupby('growth'):
        figure = px.line(part, x=kind, y=['fit_table', 'plain scan'], log_x=True, log_y=True)
        figure.write_html(folder / f'speed_{kind}.html', include_plotlyjs='cdn')


def _block(text: str) -> list[str]:
    return ['```', text, '```', '']
