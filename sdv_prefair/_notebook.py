"""What notebooks show of an object: its words as they are printed, and its table as a table."""

import html

import pandas as pd

_TEXT = '<pre style="white-space: pre-wrap; border-left: 3px solid {}; padding-left: 1em">{}</pre>'
_PLAIN, _CAUTION = '#888', '#c00'


def as_html(text: str, table: pd.DataFrame | None = None, caution: bool = False) -> str:
    """Return text and a table as HTML, in which names and values are text and nothing else.

    Args:
        text: The lines to show.
        table: What to show below them, if anything.
        caution: Whether the text is marked in red.
    """
    shown = _TEXT.format(_CAUTION if caution else _PLAIN, html.escape(text))
    if table is None or table.empty:
        return shown
    with pd.option_context('display.max_colwidth', None):
        return shown + table.to_html(index=False, escape=True, border=0)
