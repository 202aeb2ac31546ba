"""What figures share: colours, and text without tags.

Readers with any kind of colour vision can distinguish the colours (Okabe and Ito).
"""

BLUE, ORANGE, GREEN, VERMILION = '#0072B2', '#E69F00', '#009E73', '#D55E00'
PURPLE, SKY, BLACK = '#CC79A7', '#56B4E9', '#222222'
GREY, LIGHT_GREY = '#8A8A8A', '#D0D0D0'

SEQUENCE = (BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY)
"""Qualitative colours; give each thing a pattern or symbol of its own as well."""

PATTERNS = ('', '/', '.', 'x', '-', '|')


def plain_text(text: object) -> str:
    """Return a text without plotly tags: names and values are the user's own."""
    return str(text).replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')
