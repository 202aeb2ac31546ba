"""Checks of an untrusted model: probabilities, an order to sample in, no hidden clique."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from sdv_prefair.errors import ReleaseError
from sdv_prefair.model import GraphicalModel
from sdv_prefair.model._junction import continues_tree
from sdv_prefair.model._sampling import CliqueTable

# Estimators stop slightly before tables agree; the difference is far too small for sampling to
# show.
_TOLERANCE = 1e-4


def check_compression(group_of: np.ndarray, weights: np.ndarray, num_groups: int) -> None:
    """Raise unless weights are probabilities, and every group has at least one code."""
    if group_of.min() < 0 or group_of.max() != num_groups - 1:
        raise ReleaseError('A column of the release has codes in groups that do not exist.')
    sums = np.bincount(group_of, weights, minlength=num_groups)
    if weights.min() < 0 or np.abs(sums - 1).max() > _TOLERANCE:
        raise ReleaseError('A column of the release has weights that are not probabilities.')


def check_hidden(model: GraphicalModel, hidden_codes: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise if the code of values outside the domain can be sampled.

    It would be decoded as some declared value, and mix codes that the model separates, see
    ``compress_rare_codes``.
    """
    for column, hidden in hidden_codes.items():
        if hidden['other'] >= model.domain[column] or model.domain[column] == 1:
            continue  # there is no such code, or no other code
        if model.compressions[column].weights[hidden['other']] != 0:
            raise ReleaseError('The release samples values outside the domain of a column.')


def check_order(
    columns: Sequence[str],
    separator: Sequence[str],
    parent: int | None,
    before: Sequence[CliqueTable],
) -> None:
    """Raise unless a node shares only columns of its parent with nodes before it, and not all."""
    if not continues_tree(columns, separator, before):
        raise ReleaseError('The nodes of the release do not form a junction tree.')
    if parent is not None and not separator:
        raise ReleaseError('A node of the release shares nothing with its parent.')


def check_node(node: CliqueTable, parent: CliqueTable | None) -> None:
    """Raise unless the table is a distribution that agrees with its parent's."""
    if node.table.min() < 0 or abs(node.table.sum() - 1) > _TOLERANCE:
        raise ReleaseError('A table of the release does not contain probabilities.')
    if parent is not None:
        apart = node.sum_to(node.separator) - parent.sum_to(node.separator)
        if np.abs(apart).sum() > _TOLERANCE:
            raise ReleaseError('Two tables of the release disagree on a column they share.')


def check_cliques(
    cliques: Sequence[Sequence[str]], nodes: Sequence[CliqueTable], columns: Iterable[str]
) -> None:
    """Raise unless cliques and nodes are the same graph over all columns.

    Fairness is checked on the cliques and rows are sampled from the nodes. A node that no clique
    contains would hide a dependence from the check.
    """
    if {column for node in nodes for column in node.columns} != set(columns):
        raise ReleaseError('The nodes of the release do not cover all columns.')
    sets = [set(clique) for clique in cliques]
    for node in nodes:
        if not any(clique.issuperset(node.columns) for clique in sets):
            raise ReleaseError('The model of the release connects columns that its cliques do not.')
    held = [set(node.columns) for node in nodes]
    if not all(any(clique <= node for node in held) for clique in sets):
        raise ReleaseError('The cliques of the release are not those of its model.')
