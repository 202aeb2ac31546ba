"""Whether a private look could choose the pairs of a very wide table better than their order does.

    python benchmarks/wide_preselection.py

A thousand columns in any order, in a hundred groups that depend on each other. Of the half million
pairs 50,000 are kept: those of near columns, which costs nothing; those whose noisy product of one
bit a column is largest; or all pairs of blocks of ten columns whose noisy product of one random
sum is. Each look has a twentieth of what epsilon 1 pays for. What counts is how many of the pairs
that depend on each other are among those kept. Noise is drawn for several numbers of rows.
"""

import math

import numpy as np

from sdv_prefair.privacy._accounting import gaussian_rho_of

COLUMNS, GROUPS, SAMPLE, KEPT, BLOCK = 1000, 100, 20_000, 50_000, 10


def bits(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return one centred bit a column of some rows, and the group of each column."""
    groups = rng.integers(0, 4, (GROUPS, SAMPLE))
    found = np.empty((SAMPLE, COLUMNS), np.float32)
    for place in range(COLUMNS):
        size = 2 + place % 7
        alone = rng.integers(0, size, SAMPLE)
        codes = np.where(rng.random(SAMPLE) < 0.7, groups[place % GROUPS] * size // 4, alone)
        found[:, place] = np.where(codes >= (size + 1) // 2, 1, -1)
    order = rng.permutation(COLUMNS)
    return (found - found.mean(axis=0))[:, order], (np.arange(COLUMNS) % GROUPS)[order]


def products(columns: np.ndarray) -> np.ndarray:
    """Return how far each two columns are from independence, for a row."""
    first, second = np.triu_indices(columns.shape[1], 1)
    return np.abs(columns.T @ columns)[first, second] / len(columns)


def largest(values: np.ndarray, rho: float, rows: int, most: int, rng: np.random.Generator):
    """Return the places of the largest values, of which all are seen with noise at once."""
    sigma = math.sqrt(len(values) / (2 * rho)) / rows
    return np.argsort(-np.abs(values + rng.normal(0, sigma, len(values))))[:most]


def main() -> None:
    """Print the share of dependent pairs that each way keeps."""
    rng = np.random.default_rng(0)
    rho = float(gaussian_rho_of(1.0, 1e-9)) / 20
    columns, group = bits(rng)
    first, second = np.triu_indices(COLUMNS, 1)
    dependent = group[first] == group[second]
    near = np.argsort(second - first, kind='stable')[:KEPT]
    sums = np.sign((columns.reshape(SAMPLE, -1, BLOCK) * rng.choice([-1, 1], BLOCK)).sum(axis=2))
    of_pairs, of_blocks = products(columns), products(sums - sums.mean(axis=0))
    number = COLUMNS // BLOCK
    upper = np.triu_indices(number, 1)
    print('rows, near columns, products of all pairs, products of blocks')
    for rows in (20_000, 50_000, 100_000, 200_000, 1_000_000):
        by_pairs = largest(of_pairs, rho, rows, KEPT, rng)
        by_blocks = largest(of_blocks, rho, rows, KEPT // BLOCK**2, rng)
        kept = np.eye(number, dtype=bool)
        kept[upper[0][by_blocks], upper[1][by_blocks]] = True
        in_blocks = dependent & kept[first // BLOCK, second // BLOCK]
        found = [dependent[near].sum(), dependent[by_pairs].sum(), in_blocks.sum()]
        print(rows, *(f'{number / dependent.sum():.2f}' for number in found), sep=', ')


if __name__ == '__main__':
    main()
