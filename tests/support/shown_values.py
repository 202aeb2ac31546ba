"""An exact measure of what shown values hide: how much an outcome tells of a protected column.

A column's codes stand between the two in a small model with a strong tie on either side, so given
the code they are independent. Given the value that is shown they are so if, and only if, values
tell codes. Values are drawn and written as they leave; what follows is computed, not estimated.
"""

import io
from collections import defaultdict

import numpy as np
import pandas as pd
import pyarrow as pa
from sdv.metadata import Metadata

from sdv_prefair.columns._processor import Encoding
from sdv_prefair.domain import public_domain
from sdv_prefair.errors import DomainError
from sdv_prefair.transformers import transformers_for

DRAWS = 40
NOTHING, MUCH = 1e-12, 1e-3
FORMS = ('frame', 'parquet', 'csv')


def prepared(description, dtype=None, bins=32, edges=None, rounding=True):
    """Return the transformer of a described column as a fit makes it, or raise ``DomainError``."""
    metadata = Metadata.load_from_dict({'tables': {'t': {'columns': {'x': description}}}})
    domains = public_domain(metadata, True)
    return checked(transformers_for(domains, bins, {'x': dtype}, rounding, {'x': edges})['x'])


def checked(transformer):
    """Return a transformer that a fit takes, or raise ``DomainError``."""
    Encoding({'x': transformer}).check_values()
    return transformer


def hidden_dependence(transformer, form, seed=0):
    """Return the conditional mutual information of outcome and protected given shown values.

    In nats; None if a table in this form cannot be written at all.
    """
    drawn = [c for c in range(transformer.num_codes) if c != transformer.other_code]
    codes = np.repeat(drawn, DRAWS) if drawn else np.zeros(0, dtype=int)
    values = pd.Series(transformer.decode(codes, np.random.default_rng(seed)), name='x')
    cells = written(values, form)
    return None if cells is None else _information(codes, cells)


def written(values, form):
    """Return what a reader of the table sees, as things that are equal if they are the same."""
    if form == 'csv':
        text = pd.DataFrame({'x': values, 'end': 0}).to_csv(index=False)
        read = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
        return read['x'].tolist()
    if form == 'parquet':
        try:
            file = io.BytesIO(pd.DataFrame({'x': values}).to_parquet())
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            return None  # mixed types
        values = pd.read_parquet(file)['x']
    return [None if pd.api.types.is_scalar(v) and pd.isna(v) else v for v in values.tolist()]


def _information(codes, cells):
    # No two codes lean alike, and neighbours, which are mixed most easily, lean far apart.
    lean = 0.05 + 0.9 * (np.arange(codes.max(initial=0) + 1) * 0.618 % 1)
    shares = defaultdict(lambda: np.zeros((2, 2)))
    for code, cell in zip(codes.tolist(), cells, strict=True):
        side = np.array([lean[code], 1 - lean[code]])
        shares[cell] += np.outer(side, side)
    total = 0.0
    for table in shares.values():
        apart = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
        total += float((table * np.log(table / apart)).sum())
    return total / max(1, len(codes))


def assert_nothing_hidden(make):
    try:
        transformer = make()
    except DomainError:
        return
    for form in FORMS:
        hidden = hidden_dependence(transformer, form)
        assert hidden is None or hidden < NOTHING, (form, transformer)
