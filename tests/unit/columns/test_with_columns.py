"""About ``_dtypes.py``."""

import ast
import inspect
from pathlib import Path

import pandas as pd

import sdv_prefair
from sdv_prefair.columns._dtypes import with_columns

BY_KEYWORD = {'assign', 'mutate', 'select', 'aggregate', 'agg', 'rename', 'filter', 'insert'}


def test_a_column_may_have_any_name():
    frame = pd.DataFrame({'self': [1]})
    names = ['self', 'cls', 'other', '', 'é', 7, *inspect.signature(frame.merge).parameters]
    made = with_columns(frame, {name: [2] for name in names})
    assert made.columns.tolist() == list(dict.fromkeys(['self', *names]))
    assert (made == 2).to_numpy().all()
    assert frame.to_dict('list') == {'self': [1]}


def test_no_name_of_a_user_is_a_keyword():
    """A column named 'self' would be a second value for the method's own parameter."""
    found = []
    for path in Path(sdv_prefair.__path__[0]).rglob('*.py'):
        for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
            is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            if is_method and node.func.attr in BY_KEYWORD:
                found += [f'{path}:{node.lineno}' for k in node.keywords if k.arg is None]
    assert not found
