"""Which pairs of columns a fit may read: those that a strategy declares and that can be measured.

The histogram of two columns with very many values has too many cells to measure. Such a pair is
never declared. Domain sizes are public, or were paid for when they were learnt, so this reveals
nothing about the rows. Columns without any other pair stay independent, which is fair. In a
table with very many columns not all pairs are considered, see ``wide_tables``.
"""

from collections.abc import Mapping, Sequence

from sdv_prefair.counts import is_measurable
from sdv_prefair.errors import StructureError
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.selection._tree import Pair, Strategy
from sdv_prefair.selection._wide_tables import looked_at


def declared_pairs(domain: Mapping[str, int], roles: Statements, strategy: Strategy) -> list[Pair]:
    """Return the pairs that the strategy declares and whose histograms can be measured.

    Args:
        domain: Number of codes of every column, before any are merged.
        roles: The roles of the columns.
        strategy: How the tree is selected.

    Raises:
        StructureError: If a given tree contains a pair that cannot be measured.
    """
    pairs = looked_at(strategy.declare(list(domain), roles), list(domain), roles)
    _check_given(strategy, domain)
    return [pair for pair in pairs if is_measurable(pair, domain)]


def _check_given(strategy: Strategy, domain: Mapping[str, int]) -> None:
    for first, second in _given_pairs(strategy):
        if not domain.keys() >= {first, second}:
            continue  # a column that constraints have yet to make
        if not is_measurable((first, second), domain):
            raise StructureError(
                f'structure joins {first!r} and {second!r}, which have {domain[first]:,} and '
                f'{domain[second]:,} codes: too many combinations to measure. Coarsen one of these '
                'columns with fewer range_values or a smaller numeric_bins, join them through '
                "others, or use structure='adaptive', which goes around such pairs."
            )


def _given_pairs(strategy: Strategy) -> Sequence[Pair]:
    """Return the pairs of a given tree: the strategy's own, or the one that it starts from."""
    return getattr(getattr(strategy, 'tree', strategy), 'edges', ())
