"""Tables that differ by a row, and what may differ between fits of them: one row's cells."""

from sdv_prefair import PreFairSynthesizer


class Recording(PreFairSynthesizer):
    """Keeps the exact counts that a fit has read."""

    def _fit_counts(self, counts, progress):
        self.recorded = counts
        super()._fit_counts(counts, progress)


def assert_one_row_more(plain, beside):
    """Check that two fits counted the same rows, of which the second has one more."""
    assert beside._encoding.domain == plain._encoding.domain
    for clique in plain._cliques():
        more = beside.recorded.project(clique) - plain.recorded.project(clique)
        assert more.min() >= 0, clique
        assert more.sum() == 1, clique


def assert_same_types(plain, beside, rows=20):
    (one,), (other,) = plain.sample(rows).values(), beside.sample(rows).values()
    assert other.dtypes.equals(one.dtypes)
