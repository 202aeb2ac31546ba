"""The page around the sections: one file that makes no network requests."""

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files
from xml.etree.ElementTree import Element, tostring

from plotly.offline import get_plotlyjs

from sdv_prefair.report._elements import Content, paragraph, tag


def page(title: str, opening: Content, sections: Sequence[Element], closing: str) -> bytes:
    """Return the page as UTF-8.

    The policy in its head lets the two scripts of this package run and nothing else: no other
    script, even if one got past the escaping, and no request to anywhere.

    Args:
        title: Title of the page.
        opening: The elements between the heading and the table of contents.
        sections: The sections, in order; each with an id and a heading.
        closing: The last line.
    """
    scripts = [_normal(get_plotlyjs()), _own('draw.js')]
    head = tag(
        'head',
        tag('meta', charset='utf-8'),
        tag('meta', http_equiv='Content-Security-Policy', content=_policy(scripts)),
        tag('meta', name='viewport', content='width=device-width, initial-scale=1'),
        tag('title', title),
        tag('style', _own('page.css')),
    )
    body = tag(
        'body',
        tag('a', 'Skip to the contents', href=f'#{sections[0].get("id")}', class_='skip'),
        tag('header', tag('h1', title), opening),
        _contents(sections),
        tag('main', sections),
        tag('footer', paragraph(closing)),
        [tag('script', script) for script in scripts],
    )
    text = tostring(tag('html', head, body, lang='en'), encoding='unicode', method='html')
    # Names may contain lone surrogates, which UTF-8 cannot encode.
    return ('<!DOCTYPE html>\n' + text + '\n').encode('utf-8', 'replace')


def _contents(sections: Sequence[Element]) -> Element:
    links = [
        tag('li', tag('a', heading.text, href=f'#{section.get("id")}'))
        for section in sections
        if (heading := section.find('h2')) is not None
    ]
    return tag('nav', tag('ol', links), aria_label='Contents')


def _policy(scripts: Sequence[str]) -> str:
    digests = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts]
    allowed = ' '.join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _own(name: str) -> str:
    return _normal(files('sdv_prefair.report').joinpath(name).read_text(encoding='utf-8'))


def _normal(text: str) -> str:
    """Return a text with the line ends that a browser uses, so that its digest is the same."""
    return text.replace('\r\n', '\n').replace('\r', '\n')
