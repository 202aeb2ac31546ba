"""Measures of raw_numbers.py that look at values, on a grid that no synthesizer knows."""

from itertools import combinations

import numpy as np
import pandas as pd
from numbers_tables import Split
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score

from sdv_prefair.metrics import FrequentValueDifference, KolmogorovSmirnovDistance
from sdv_prefair.metrics._codes import as_numbers
from sdv_prefair.metrics._quality import total_variation
from sdv_prefair.metrics._tables import Tables, read_tables

_ATOM = 0.01
_QUANTILES = 20


def column_measures(tables: Tables) -> dict[str, dict[str, float]]:
    """Return the KS distance and the largest error of a frequent value's share, by column."""
    frames = tables.real, tables.synthetic, {'columns': tables.columns}
    found = {
        'KS': KolmogorovSmirnovDistance.compute_breakdown(*frames)['marginals'],
        'atoms': FrequentValueDifference.compute_breakdown(*frames)['marginals'],
    }
    return {
        name: {measure: round(found[measure][name,], 5) for measure in found}
        for name in tables.numbers_and_dates
    }


def fine_two_way_distance(tables: Tables) -> float:
    """Return the mean total variation distance of all pairs, on the grid of the real values."""
    numbers = set(tables.numbers_and_dates)
    codes = {
        name: _on_grid(tables, name) if name in numbers else _by_value(tables, name)
        for name in tables.columns
    }
    distances = [_distance(codes[a], codes[b]) for a, b in combinations(codes, 2)]
    return float(np.mean(distances))


def _by_value(tables: Tables, name: str) -> tuple[np.ndarray, np.ndarray]:
    both = pd.concat([tables.real[name], tables.synthetic[name]]).astype(object)
    real, synthetic = np.split(pd.factorize(both)[0] + 1, [len(tables.real)])
    return real, synthetic


def _on_grid(tables: Tables, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Put values in cells: each that many real rows share in its own, others by quantiles."""
    real, synthetic = (as_numbers(frame[name]) for frame in (tables.real, tables.synthetic))
    shares = pd.Series(real).value_counts(normalize=True)
    atoms = np.sort(shares.index[shares >= _ATOM].to_numpy())
    others = real[~np.isin(real, atoms)]
    levels = np.linspace(0, 1, _QUANTILES + 1)[1:-1]
    edges = np.unique(np.nanquantile(others, levels)) if len(others) else np.array([])
    return _cells(real, atoms, edges), _cells(synthetic, atoms, edges)


def _cells(numbers: np.ndarray, atoms: np.ndarray, edges: np.ndarray) -> np.ndarray:
    cells = 1 + len(atoms) + np.searchsorted(edges, numbers, side='right')
    for place, atom in enumerate(atoms):
        cells[numbers == atom] = 1 + place
    cells[np.isnan(numbers)] = 0
    return cells


def _distance(first: tuple, second: tuple) -> float:
    size = 1 + max(part.max() for part in second)
    joint = [a.astype(np.int64) * size + b for a, b in zip(first, second, strict=True)]
    length = 1 + max(part.max() for part in joint)
    return total_variation(*(np.bincount(part, minlength=length) for part in joint))


def classifier_auc(tables: Tables, rows: Split, seed: int) -> float:
    """Return the AUC on rows held out of a classifier trained on synthetic ones."""
    held_out = read_tables(None, rows.held_out, rows.fitted.metadata).synthetic
    is_positive = tables.synthetic[rows.outcome] == rows.positive
    if is_positive.nunique() < 2:
        return 0.5
    model = HistGradientBoostingClassifier(random_state=seed)
    model.fit(_features(tables.synthetic, tables, rows), is_positive)
    chance = model.predict_proba(_features(held_out, tables, rows))[:, 1]
    return float(roc_auc_score(held_out[rows.outcome] == rows.positive, chance))


def _features(frame: pd.DataFrame, tables: Tables, rows: Split) -> np.ndarray:
    columns = []
    for name, about in tables.columns.items():
        if name == rows.outcome:
            continue
        if about['sdtype'] in {'numerical', 'datetime'}:
            columns.append(as_numbers(frame[name]))
        else:
            place = {value: code for code, value in enumerate(about['range_values'])}
            columns.append(frame[name].map(place).to_numpy(dtype=float))
    return np.column_stack(columns)
