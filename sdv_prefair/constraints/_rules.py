"""Whether rows satisfy a constraint: sampled rows are accepted or rejected by this test.

The test is SDV's own unless that needs rows. A fit applies it to synthetic rows only; ``check``
applies it to real ones, for their owner.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from sdv.cag import ProgrammableConstraint
from sdv.cag.base import BaseConstraint
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_prefair._sdv_versions import accepted
from sdv_prefair.constraints._joint import JointColumn
from sdv_prefair.constraints._programmable import call
from sdv_prefair.fairness._statements import Independent, Statements
from sdv_prefair.roles import ADMISSIBLE, OUTCOME, PROTECTED, UNLABELLED, Roles

# -- The effect of constraints on fairness, and the roles of the columns they make -----------------
#
# A constraint is one more factor over its columns, whether rows are transformed or rejected. Let
# every modelled column m be a function of its sources S(m), the original columns it was made from,
# in each row that leaves the synthesizer (rows where the codes cannot be read back from the values
# are rejected, see ``plan``). Then the density of a synthetic row is a product of
#
# - one factor for each clique of the model, over the union of the sources of its columns;
# - one factor for each constraint, over its original columns: which rows are rejected, and how
#   values are sampled within bins.
#
# So the synthetic table is justifiably fair if the admissible columns separate protected from
# outcome columns in the graph whose cliques are these unions and the constraints' columns.
# `cliques_in_original_columns` returns them, and the one predicate tests them after every fit.
#
# The strategies select a graph over the modelled columns and have no access to sources. They
# receive roles for which whatever they select passes the test. Each of several statements is
# translated on its own, its left side as protected, its right side as outcomes and its
# conditioning set as admissible:
#
# 1. Delete the admissible columns. Constraints connect the rest into groups; a group with a
#    protected and an outcome column is refused, since no graph could repair it.
# 2. A modelled column derived from admissible columns alone is admissible: they determine it.
# 3. Every other modelled column represents one group. It is protected or an outcome if its group
#    contains such a column, because a column adjacent to one of the group is connected to all of
#    it.
# 4. If one modelled column represents a group of unlabelled columns, it is unlabelled. If several
#    do, they are all protected, because Greedy-PreFair does not join unlabelled columns to
#    outcomes: if they were unlabelled, a strategy could join one to a protected column and another
#    to an outcome.
#
# Proof that this suffices: a path that avoids the admissible columns passes from group to group
# along edges between modelled columns that are not admissible. Between the last protected group
# and the first outcome group after it, all groups are unlabelled with one modelled column each,
# so these edges form a path in the graph from a protected to an outcome column. A fair graph has
# none. The proof is about one statement, so a graph that satisfies every translated statement
# satisfies every original one.
#
# If no modelled column represents a side, only constraints connect its columns to others, and
# step 1 has checked these. Its statement holds whatever is selected, and is not translated.

Sources = Mapping[str, frozenset[str]]


def modelled_roles(
    sources: Sources, tied: Iterable[Iterable[str]], roles: Statements
) -> dict[str, str]:
    """Return the role of each modelled column.

    Args:
        sources: The original columns each modelled column was made from.
        tied: The original columns of each constraint; they do not connect protected and outcome
            columns.
        roles: The roles of the original columns, or one statement about them.
    """
    group_of = _groups([*map(tuple, sources.values()), *map(tuple, tied)], roles)
    groups = {
        column: {group_of[source] for source in made_from if source in group_of}
        for column, made_from in sources.items()
    }
    stands_for = {column: next(iter(found)) for column, found in groups.items() if found}
    return {
        column: _role_of_group(stands_for[column], stands_for, group_of, roles)
        if column in stands_for
        else ADMISSIBLE
        for column in sources
    }


def _groups(cliques: list[tuple[str, ...]], roles: Statements) -> dict[str, int]:
    """Return the group of every column that is not admissible."""
    graph: nx.Graph[str] = nx.Graph()
    for clique in cliques:
        graph.add_nodes_from(clique)
        graph.add_edges_from(combinations(clique, 2))
    graph.remove_nodes_from(roles.admissible)
    return {
        column: number
        for number, group in enumerate(nx.connected_components(graph))
        for column in group
    }


def _role_of_group(
    group: int, stands_for: Mapping[str, int], group_of: Mapping[str, int], roles: Statements
) -> str:
    held = {roles.of(column) for column, number in group_of.items() if number == group}
    for role in (PROTECTED, OUTCOME):
        if role in held:
            return role
    return PROTECTED if list(stands_for.values()).count(group) > 1 else UNLABELLED


def as_roles(role_of: Mapping[str, str]) -> Roles | None:
    """Return the roles of the modelled columns, or None if one of the three kinds is missing."""
    lists = _by_role(role_of)
    return Roles(**lists) if all(lists.values()) else None


def modelled_statements(
    sources: Sources, tied: Sequence[Iterable[str]], statements: Statements
) -> Statements:
    """Return the statements about original columns, translated to modelled ones.

    Args:
        sources: The original columns each modelled column was made from.
        tied: The original columns of each constraint; they break no statement.
        statements: The statements about the original columns.
    """
    by_role = [
        _by_role(modelled_roles(sources, tied, Statements([statement])))
        for statement in statements.statements
    ]
    return Statements(
        Independent(lists[PROTECTED], lists[OUTCOME], lists[ADMISSIBLE])
        for lists in by_role
        if lists[PROTECTED] and lists[OUTCOME]
    )


def _by_role(role_of: Mapping[str, str]) -> dict[str, list[str]]:
    return {
        role: [column for column, given in role_of.items() if given == role]
        for role in (PROTECTED, ADMISSIBLE, OUTCOME)
    }


def cliques_in_original_columns(
    cliques: Iterable[Sequence[str]], sources: Sources, tied: Iterable[Sequence[str]]
) -> list[tuple[str, ...]]:
    """Return the cliques of original columns: those of the model and those of the constraints.

    Args:
        cliques: The model's cliques of modelled columns.
        sources: The original columns each modelled column was made from.
        tied: The original columns of each constraint.
    """
    united = [
        tuple(sorted(frozenset().union(*(sources[column] for column in clique))))
        for clique in cliques
    ]
    return united + [tuple(columns) for columns in tied]


# -- Whether rows satisfy a constraint: sampled rows are accepted or rejected by this test ---------


class Rule:
    """One of SDV's constraints on columns.

    Args:
        constraint: The constraint. It is fitted to an empty frame.
        columns: The columns that it reads.
    """

    def __init__(self, constraint: Any, columns: Iterable[str]):
        self.constraint: BaseConstraint = constraint
        self.columns = tuple(columns)

    def fit(self, public: pd.DataFrame, metadata: Metadata) -> None:
        """Prepare for a table like this one.

        Args:
            public: A few rows made from public facts.
            metadata: Their metadata.
        """
        self.constraint.fit(_plain(public[list(self.columns)].iloc[:0]), accepted(metadata))

    @property
    def is_known(self) -> bool:
        """Whether it can be tested: nothing about it remains to be learnt."""
        return True

    def holds(self, frame: pd.DataFrame) -> np.ndarray:
        """Return which rows satisfy the constraint."""
        if frame.empty:  # SDV changes the dtypes of an empty frame
            return np.ones(0, dtype=bool)
        return np.asarray(self.constraint.is_valid(_plain(frame[list(self.columns)])), dtype=bool)


class JointRule(Rule):
    """The combinations that are allowed.

    Args:
        joint: The transformation that holds them once they are known.
    """

    def __init__(self, joint: JointColumn):
        super().__init__(joint.constraint, joint.columns)
        self.joint = joint

    def fit(self, public: pd.DataFrame, metadata: Metadata) -> None:
        """Do nothing: SDV would treat the combinations in these rows as the allowed ones."""

    @property
    def is_known(self) -> bool:
        """Whether the allowed combinations are known."""
        return self.joint.is_settled

    def holds(self, frame: pd.DataFrame) -> np.ndarray:
        """Return which rows satisfy the constraint."""
        return self.joint.allows(frame)


class ProgrammedRule(Rule):
    """A user-defined constraint.

    It receives only the columns that it names, so it cannot make any others dependent.

    Args:
        constraint: The user's constraint.
        columns: The columns that it reads.
        table_name: The name of the table.
    """

    constraint: ProgrammableConstraint

    def __init__(self, constraint: Any, columns: Iterable[str], table_name: str):
        super().__init__(constraint, columns)
        self.table_name = table_name

    def fit(self, public: pd.DataFrame, metadata: Metadata) -> None:
        """Fit the constraint to public rows, and check that it reads no other columns."""
        shown = public[list(self.columns)]
        self._call('fit', shown.copy(), metadata)
        self.holds(shown)

    def holds(self, frame: pd.DataFrame) -> np.ndarray:
        """Return which rows satisfy the constraint."""
        verdict = self._call('is_valid', frame[list(self.columns)].copy())
        if np.shape(verdict) != (len(frame),):
            raise SynthesizerInputError(
                f'{type(self.constraint).__name__}.is_valid must return one True or False for '
                'each row. Compare columns, as in data[low] < data[high].'
            )
        return np.asarray(verdict, dtype=bool)

    def _call(self, method: str, *arguments: Any) -> Any:
        try:
            return call(self.constraint, method, self.table_name, *arguments)
        except KeyError as error:
            name = type(self.constraint).__name__
            raise SynthesizerInputError(
                f'{name}.{method} reads {error}, but {name} is only shown the columns it names: '
                f"{list(self.columns)}. List all columns it reads in an attribute 'column_names'."
            ) from None


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with numpy's dtypes: SDV's comparisons fail on pandas' own nulls."""
    return pd.DataFrame(
        {column: _plain_column(values) for column, values in frame.items()}, index=frame.index
    )


def _plain_column(values: pd.Series) -> pd.Series:
    dtype = values.dtype
    if isinstance(dtype, np.dtype):
        return values
    if isinstance(dtype, pd.CategoricalDtype):
        return values.astype(object)
    if pd.api.types.is_numeric_dtype(dtype):
        return pd.Series(values.to_numpy(np.float64, na_value=np.nan), index=values.index)
    if any(kind in str(dtype) for kind in ('date', 'timestamp')):
        zone = getattr(getattr(dtype, 'pyarrow_dtype', dtype), 'tz', None)
        if zone is None:
            return values.astype('datetime64[us]')
        local: pd.Series = values.astype(pd.DatetimeTZDtype('us', zone)).dt.tz_localize(None)
        return local
    return values.astype(object).where(values.notna(), None)
