"""Tables that differ by a row, and what may differ between fits of them: one row's cells."""

from functools import partial

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.fitting import _pipeline as pipeline
from sdv_prefair.fitting._pipeline import declared_cliques


class Recording(PreFairSynthesizer):
    """Keeps the exact counts that a fit has read."""

    def fit(self, data):
        self._record(partial(super().fit, check=False), data)

    def fit_table(self, table, rows_stay=None):
        self._record(partial(super().fit_table, rows_stay=rows_stay, check=False), table)

    def fit_counts(self, counts):
        self._record(super().fit_counts, counts)

    def _record(self, fit, rows):
        private_table = pipeline.PrivateTable

        def kept(counts, *others):
            self.recorded = counts
            return private_table(counts, *others)

        pipeline.PrivateTable = kept
        try:
            fit(rows)
        finally:
            pipeline.PrivateTable = private_table


def assert_one_row_more(plain, beside):
    """Check that two fits counted the same rows, of which the second has one more."""
    assert beside.fitted.encoding.domain == plain.fitted.encoding.domain
    for clique in declared_cliques(plain.fitted.prepared):
        more = beside.recorded.project(clique) - plain.recorded.project(clique)
        assert more.min() >= 0, clique
        assert more.sum() == 1, clique


def assert_same_types(plain, beside, rows=20):
    (one,), (other,) = plain.sample(rows).values(), beside.sample(rows).values()
    assert other.dtypes.equals(one.dtypes)
