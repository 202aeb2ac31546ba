"""Belief propagation on a junction tree: from a product of factors to each clique's marginal."""

from collections.abc import Sequence

import numpy as np

from sdv_prefair._arrays import Floats
from sdv_prefair.model._junction import Place
from sdv_prefair.model._sampling import broadcast_to, sum_to


def calibrate(places: Sequence[Place], logarithms: Sequence[Floats]) -> tuple[float, list[Floats]]:
    """Return the logarithm of the total mass, and each clique's share of it.

    Messages up the tree are logarithms, because factors of neighbours may differ by more than the
    largest float; messages down are probabilities.

    Args:
        places: The junction tree, parents before children.
        logarithms: Logarithms of non-negative factors, one for each clique, whose product is the
            distribution; minus infinity for zero.
    """
    logarithms, log_mass = list(logarithms), 0.0
    beliefs: dict[int, Floats] = {}
    for position in reversed(range(len(places))):
        clique, separator, parent = places[position]
        axes = tuple(axis for axis, column in enumerate(clique) if column not in separator)
        beliefs[position], message = _given_the_rest(logarithms[position], axes)
        if parent is None:
            log_mass += float(message)
        else:
            spread = broadcast_to(message, separator, places[parent].clique)
            logarithms[parent] = logarithms[parent] + spread
    for position, (clique, separator, parent) in enumerate(places):
        if parent is not None:
            above = sum_to(beliefs[parent], places[parent].clique, separator)
            beliefs[position] = beliefs[position] * broadcast_to(above, separator, clique)
    return log_mass, [beliefs[position] for position in range(len(places))]


def _given_the_rest(logarithm: Floats, axes: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return the distribution along some axes given the others, and the logarithm of its mass."""
    largest = logarithm.max(axis=axes, keepdims=True)
    largest = np.where(np.isfinite(largest), largest, 0.0)  # minus infinity: no mass at all
    table = np.exp(logarithm - largest)
    mass = table.sum(axis=axes, keepdims=True)
    np.divide(table, mass, out=table, where=mass > 0)
    return table, (logarithm_of(mass) + largest).squeeze(axes)


def logarithm_of(table: Floats) -> Floats:
    """Return logarithms; minus infinity for zero."""
    with np.errstate(divide='ignore'):
        logarithm: Floats = np.log(table)
    return logarithm
