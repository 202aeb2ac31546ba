"""The description for a package index: the README, whose relative links lead nowhere there.

A link to a file of the repository becomes its words and the path, a picture becomes its caption.
All else about the package is in pyproject.toml.
"""

import re
from pathlib import Path

from setuptools import setup

RELATIVE = r'\]\((?!\w+:|#)([^)#\s]+)[^)\s]*\)'
PATHS = (
    'Paths in brackets, such as docs/index.md, are files of the repository, which also has the '
    'pictures.\n'
)


def description() -> str:
    """Return the README without relative links."""
    text = Path(__file__).with_name('README.md').read_text(encoding='utf-8')
    captioned = re.sub(rf'!\[([^\]]*){RELATIVE}', r'*\1*', text)
    linked = re.sub(rf'\[([^\]]*){RELATIVE}', r'\1 (\2)', captioned)
    return f'{linked}\n{PATHS}'


setup(long_description=description(), long_description_content_type='text/markdown')
