"""Text for figures."""


def plain_text(text: object) -> str:
    """Return a text in which plotly sees no tags: names and values are the user's own."""
    return str(text).replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')
