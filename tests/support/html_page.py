"""Reading a page of HTML as a browser would, by Python's own parser."""

from collections.abc import Iterator
from html.parser import HTMLParser

VOID = {'meta', 'link', 'br', 'img', 'input', 'hr'}


class Page(HTMLParser):
    """Elements with their attributes and their text, and the headings in order."""

    def __init__(self, text: str):
        super().__init__()
        self.elements, self._open = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        element = {'tag': tag, 'text': '', 'inside': [e['at'] for e in self._open]} | {
            'at': len(self.elements),
            'attributes': dict(attrs),
        }
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag):
        assert self._open.pop()['tag'] == tag, 'elements are closed in order'

    def handle_data(self, data):
        for element in self._open:
            element['text'] += data

    def all(self, *tags: str) -> Iterator[dict]:
        return (element for element in self.elements if element['tag'] in tags)

    def headings(self) -> list[tuple[str, str]]:
        return [(element['tag'], element['text']) for element in self.all('h1', 'h2', 'h3')]

    def with_class(self, name: str) -> list[dict]:
        return [e for e in self.elements if name in e['attributes'].get('class', '').split()]

    def section(self, name: str) -> dict:
        (found,) = (e for e in self.all('section') if e['attributes']['id'] == name)
        return found

    def visible_text(self) -> str:
        hidden = {e['at'] for e in self.all('script', 'style')}
        (body,) = self.all('body')
        text = body['text']
        for place in hidden:
            text = text.replace(self.elements[place]['text'], '')
        return text
