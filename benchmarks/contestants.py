"""Who is compared: each fits a table of integer codes and samples from what it learnt.

Every contestant gets a table in the form it works on; mbi takes small integers alone. The mbi
baseline does what mbi's own MST example does, written on mbi's public API. dpmm and
smartnoise-synth cannot be installed beside SDV 2.0: their pins exclude its pandas and numpy.
"""

import importlib.util
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from networkx.utils import UnionFind

EPSILON, DELTA = 1.0, 1e-9


@dataclass
class Fitted:
    """A fitted contestant: draws a frame of so many rows. Of ours, with the synthesizer."""

    sample: Callable[[int], pd.DataFrame]
    synthesizer: Any = None


def prefair(data, metadata, roles, epsilon=EPSILON, structure='planned') -> Fitted:
    """Ours, as a user calls it: from the frame of codes to a fitted synthesizer."""
    from sdv_prefair import PreFairSynthesizer

    (name,) = data
    synthesizer = PreFairSynthesizer(
        metadata,
        epsilon=epsilon,
        delta=DELTA,
        public_ranges=True,
        structure=structure,
        **roles.as_dict(),
    )
    synthesizer.fit(data)
    return Fitted(lambda num_rows: synthesizer.sample(num_rows)[name], synthesizer)


def gaussian_copula(data, metadata, roles, epsilon=None) -> Fitted:
    """SDV's default synthesizer, which is not private."""
    from sdv.single_table import GaussianCopulaSynthesizer

    (name,) = data
    synthesizer = GaussianCopulaSynthesizer(metadata)
    synthesizer.fit(data)
    return Fitted(lambda num_rows: synthesizer.sample(num_rows)[name])


def mbi_mst(data, metadata, roles, epsilon=EPSILON) -> Fitted:
    """MST on mbi: one-ways, rare codes merged, private Kruskal, two-ways, 10,000 mirror steps."""
    import mbi

    from sdv_prefair.privacy import rho_of

    (frame,) = data.values()
    domain = mbi.Domain(list(frame.columns), [int(frame[c].max()) + 1 for c in frame])
    dataset = mbi.Dataset({c: frame[c].to_numpy() for c in frame}, domain)
    rng = np.random.default_rng()
    rho = float(rho_of(epsilon, DELTA))
    one_ways = _measure(mbi, dataset, [(column,) for column in frame], rho / 3, rng)
    groups = {m.clique[0]: _merge_rare(np.asarray(m.noisy_measurement), m.stddev) for m in one_ways}
    dataset = dataset.compress(groups)
    one_ways = [_merge_measured(mbi, m, groups[m.clique[0]]) for m in one_ways]
    model = mbi.estimation.MirrorDescent().estimate(dataset.domain, one_ways)
    edges = _private_kruskal(dataset, model, list(frame.columns), rho / 3, rng)
    measured = one_ways + _measure(mbi, dataset, edges, rho / 3, rng)
    model = mbi.estimation.MirrorDescent().estimate(dataset.domain, measured, iters=10_000)

    def sample(num_rows):
        drawn = model.synthetic_data(rows=num_rows).decompress(groups).to_dict()
        return pd.DataFrame({column: np.asarray(drawn[column]) for column in frame})

    return Fitted(sample)


def _measure(mbi, dataset, cliques, rho, rng) -> list:
    sigma = np.sqrt(len(cliques) / (2 * rho))
    counts = [np.asarray(dataset.project(clique).datavector()) for clique in cliques]
    return [
        mbi.LinearMeasurement(x + rng.normal(0, sigma, x.size), clique, sigma)
        for clique, x in zip(cliques, counts, strict=True)
    ]


def _merge_rare(noisy: np.ndarray, sigma: float) -> np.ndarray:
    frequent = noisy >= 3 * sigma
    return np.where(frequent, np.cumsum(frequent) - 1, frequent.sum())


def _merge_measured(mbi, measurement, groups: np.ndarray):
    noisy = np.bincount(groups, weights=np.asarray(measurement.noisy_measurement))
    return mbi.LinearMeasurement(noisy, measurement.clique, measurement.stddev)


def _private_kruskal(dataset, model, columns, rho, rng) -> list:
    scores = {
        pair: np.abs(
            np.asarray(model.project(pair).datavector())
            - np.asarray(dataset.project(pair).datavector())
        ).sum()
        for pair in combinations(columns, 2)
    }
    epsilon = np.sqrt(8 * rho / (len(columns) - 1))
    forest, edges = UnionFind(columns), []
    for _ in range(len(columns) - 1):
        candidates = [pair for pair in scores if forest[pair[0]] != forest[pair[1]]]
        noisy = [epsilon / 2 * scores[pair] + rng.gumbel() for pair in candidates]
        edges.append(candidates[int(np.argmax(noisy))])
        forest.union(*edges[-1])
    return edges


CONTESTANTS = {
    'sdv-prefair': prefair,
    "sdv-prefair, 'adaptive'": partial(prefair, structure='adaptive'),
    "sdv-prefair, 'aim'": partial(prefair, structure='aim'),
    'mbi MST': mbi_mst,
    'GaussianCopula (not private)': gaussian_copula,
}


def is_available(name: str) -> bool:
    """Whether the contestant's package can be imported."""
    needed = {'mbi MST': 'mbi'}.get(name, 'sdv')
    return importlib.util.find_spec(needed) is not None


def quiet() -> None:
    """Leave out advice that contestants give to users."""
    warnings.simplefilter('ignore')
