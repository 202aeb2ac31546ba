"""Writes the table of risks in choosing.md: python docs/make_risk_table.py."""

import re
from pathlib import Path

from sdv_prefair.privacy import Ledger, PrivacyCurve
from sdv_prefair.privacy._curve import at_most, strength_of

PAGE = Path(__file__).parent / 'choosing.md'
PAIRS = [(0.3, 1e-9), (1.0, 1e-9), (1.0, 1e-5), (3.0, 1e-9), (10.0, 1e-9)]
_PLACE = re.compile('(?<=<!-- risk table -->\n).*?(?=<!-- end -->)', re.DOTALL)
_HEADER = (
    '| epsilon | delta | mu | a guess at even odds is right at most | members found at 1 in 1,000 '
    'false ones, at most | loss of the noise exceeds epsilon with probability | promise |\n'
    '|---|---|---|---|---|---|---|\n'
)


def table() -> str:
    """Return the table."""
    return _HEADER + ''.join(_line(*pair) for pair in PAIRS)


def _line(epsilon: float, delta: float) -> str:
    curve = PrivacyCurve.of(Ledger(epsilon, delta, all_gaussian=True))
    cells = (
        f'{epsilon:g}', f'{delta:.0e}', f'{curve.mu:.4f}', at_most(curve.guess()),
        at_most(curve.true_positives(0.001)), f'{curve.exceeds(epsilon):.1e}',
        strength_of(curve).words,
    )  # fmt: skip
    return f'| {" | ".join(cells)} |\n'


def written(page: str) -> str:
    """Return the page with the table in its place."""
    return _PLACE.sub(lambda _: table(), page)


if __name__ == '__main__':
    PAGE.write_text(written(PAGE.read_text('utf-8')), 'utf-8')
