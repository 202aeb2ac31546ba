"""Which statements a graph does not keep, each with a path that breaks it."""

from collections.abc import Iterable
from typing import NamedTuple

from sdv_prefair.fairness.predicate import markov_graph, path_around
from sdv_prefair.fairness.statements import Independent, Statements


class Broken(NamedTuple):
    """A statement that is not kept.

    Attributes:
        statement: The statement.
        path: Columns that join its two sides around what it is given, a left one first.
    """

    statement: Independent
    path: list[str]

    def __str__(self) -> str:
        around = f' around {", ".join(map(str, self.statement.given))}'
        return (
            f'{" - ".join(map(str, self.path))} joins the two sides'
            f'{around if self.statement.given else ""}'
        )


def broken_statements(cliques: Iterable[Iterable[str]], statements: Statements) -> list[Broken]:
    """Return the statements that the graph of the cliques does not keep, in their order.

    Args:
        cliques: As for ``is_justifiably_fair``.
        statements: What is asked.
    """
    graph = markov_graph(cliques)
    paths = [(statement, path_around(graph, statement)) for statement in statements.statements]
    return [Broken(statement, path) for statement, path in paths if path is not None]
