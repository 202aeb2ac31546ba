"""Pages: templates, filled in with everything escaped, as one file that makes no requests."""

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.ext import Extension
from markupsafe import Markup

from sdv_prefair.fitting._explanation import could_be
from sdv_prefair.plots._svg import svg_of
from sdv_prefair.privacy._curve import at_most
from sdv_prefair.report._words import counted, listed, percent, short, some_of, whole

# What is folded on the screen belongs on paper.
_SCRIPT = """'use strict';
window.addEventListener('beforeprint', function () {
  for (const folded of document.querySelectorAll('details')) folded.open = true;
});"""


class _JoinedLines(Extension):
    """Lines of a template are joined by a space, or by nothing beside tags: names are left alone.

    So prose can be folded, and lists are without gaps.
    """

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        source = re.sub(r'(?<=>)\s*\n\s*(?=<)|(?<=[%#]})\s*\n\s*|\s*\n\s*(?={[%#])', '', source)
        return re.sub(r'\s*\n\s*', ' ', source)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader('sdv_prefair.report'), autoescape=True, undefined=StrictUndefined,
        extensions=[_JoinedLines],
    )  # fmt: skip
    words = (at_most, could_be, counted, listed, percent, short, some_of, whole)
    made.filters |= {word.__name__: word for word in words} | {'svg': svg_of}
    return made


def page(template: str, title: str, sections: Mapping[str, str], **shown: Any) -> bytes:
    """Return a page as UTF-8.

    The policy in its head lets the one script of this package run and nothing else: no other
    script, even if one got past the escaping, and no request to anywhere.

    Args:
        template: Name of the template.
        title: Title of the page.
        sections: The heading of each section by its id, in order.
        shown: What the template shows.
    """
    made = _environment()
    style, _, _ = made.loader.get_source(made, 'page.css')  # type: ignore[union-attr]
    text = made.get_template(f'{template}.html.j2').render(
        title=title, sections=sections, style=Markup(style.replace('\r\n', '\n')),
        script=Markup(_SCRIPT), policy=_policy(), **shown,
    )  # fmt: skip
    # Names may contain lone surrogates, which UTF-8 cannot encode.
    return (text + '\n').encode('utf-8', 'replace')


def plain_page(
    title: str, opening: Sequence[str], sections: Mapping[str, tuple[str, Sequence[Any]]],
    closing: str,
) -> bytes:  # fmt: skip
    """Return a page of sentences, tables and figures.

    Args:
        title: Title of the page.
        opening: Sentences at the top.
        sections: The heading of each by its id, and what follows: texts, ``rows`` with
            ``caption``, ``header`` and ``nums``, a ``figure`` that is ``described``, or ``lines``.
        closing: The last line.
    """
    headings = {name: heading for name, (heading, _) in sections.items()}
    pieces = {name: of for name, (_, of) in sections.items()}
    return page('plain', title, headings, opening=opening, pieces=pieces, closing=closing)


def _policy() -> str:
    digest = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'"
    )
