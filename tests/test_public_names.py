"""The names of the package are written down twice: for Python, and for type checkers."""

import ast
from pathlib import Path

import sdv_prefair


def _seen_by_type_checkers() -> dict[str, str]:
    """Return the home of each name that is imported for type checkers."""
    tree = ast.parse(Path(sdv_prefair.__file__).read_text('utf-8'))
    imports = [
        statement
        for block in tree.body
        if isinstance(block, ast.If) and ast.unparse(block.test) == 'TYPE_CHECKING'
        for statement in block.body
    ]
    return {
        # Without "as", checkers take a name for one that is not handed on.
        alias.asname: statement.module
        for statement in imports
        for alias in statement.names
        if alias.asname == alias.name
    }


def test_type_checkers_see_the_names_that_python_finds_where_it_finds_them():
    seen = _seen_by_type_checkers()
    assert set(seen) == set(sdv_prefair.__all__) - {'__version__'}
    assert seen == sdv_prefair._HOME
