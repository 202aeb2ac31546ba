"""Two small tables that can be told apart by a sample, and fits that fail half way."""

import contextlib
import warnings
from fractions import Fraction

import pandas as pd
import pyarrow as pa
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.privacy import Ledger
from sdv_prefair.selection._trees import UnconstrainedStrategy
from sdv_prefair.structure import FairTree

SHAPES = {
    'first': pd.DataFrame({'place': ['north'] * 60, 'size': [1, 2, 3] * 20, 'won': [True] * 60}),
    'second': pd.DataFrame({'place': ['south'] * 40, 'size': [7.0, 8.0] * 20, 'won': [False] * 40}),
}


class Broken(Exception):
    """What a fit that fails half way raises."""


class Fragile(UnconstrainedStrategy):
    """Selects no tree while it is broken: by then one-way marginals have been paid for."""

    is_broken = False

    def select(self, *given) -> FairTree:
        if Fragile.is_broken:
            raise Broken
        return super().select(*given)


@contextlib.contextmanager
def breaking():
    """Let fits fail after they have spent a part."""
    Fragile.is_broken = True
    try:
        yield
    finally:
        Fragile.is_broken = False


@contextlib.contextmanager
def tally(monkeypatch):
    """Count everything that any ledger is debited, apart from what objects say of themselves."""
    drawn = {'rho': Fraction(0)}
    debit = Ledger.debit

    def counted(ledger, line):
        debit(ledger, line)
        drawn['rho'] += line.rho

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, 'debit', counted)
        yield drawn


def shapes_metadata(learns=False):
    place = {'sdtype': 'categorical'}
    place |= {} if learns else {'range_values': ['north', 'south'], 'range_is_nullable': False}
    columns = {
        'place': place,
        'size': {'sdtype': 'numerical', 'range_min': 0, 'range_max': 9, 'decimal_places': 0},
        'won': {'sdtype': 'boolean', 'range_is_nullable': False},
    }
    return Metadata.load_from_dict({'tables': {'shapes': {'columns': columns}}})


def new(learns=False, **changes):
    arguments = {'epsilon': 1e4, 'public_ranges': True, 'structure': Fragile()} | changes
    return PreFairSynthesizer(shapes_metadata(learns), **arguments)


def data(name):
    return {'shapes': SHAPES[name]}


def arrow(name):
    return pa.Table.from_pandas(SHAPES[name])


def stops_early(name):
    """Return a reader that breaks off after its first batch."""
    table = arrow(name)

    def batches():
        yield from table.slice(0, 20).to_batches()
        raise OSError('the disk is gone')

    return pa.RecordBatchReader.from_batches(table.schema, batches())


def counts(synthesizer, name):
    encoded = SHAPES[name].astype({'size': 'float64'})
    quiet = new()
    codes = quiet.preprocess({'shapes': encoded})['shapes']
    sizes = quiet._preparation.prepared.encoding.domain
    found = {}
    for clique in synthesizer.count_queries():
        cells = codes.groupby(list(clique)).size().rename('count').reset_index()
        found[clique] = cells
        assert all((cells[column] < sizes[column]).all() for column in clique)
    return found


def quietly(call, *given):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return call(*given)


def shown(synthesizer):
    """Return everything a fit shows and samples, for comparing."""
    synthesizer.reset_sampling()
    sampled = quietly(synthesizer.sample, 12)['shapes']
    synthesizer.reset_sampling()
    ledger = synthesizer.get_privacy_ledger()
    return {
        'rows': sampled.to_dict('list'),
        'dtypes': sampled.dtypes.astype(str).to_dict(),
        'ledger': ledger.drop(columns='scale').to_dict('list'),
        'promise': {k: v for k, v in ledger.attrs.items() if 'attempts' not in k},
        'graph': sorted(map(sorted, synthesizer.get_fair_graph().edges)),
        'codes': synthesizer.fitted.encoding.domain,
        'transformers': repr(synthesizer.get_transformers()),
        'info': synthesizer.get_info(),
    }
