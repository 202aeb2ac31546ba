"""Tables that nobody tuned on: drawn from random networks whose parameters follow from a seed.

A `Shape` says in public terms what a table is like; with a seed it makes a `Network`, and that
draws as many rows as are asked for: some to fit, fresh ones to test a classifier on. Arrows::

    PROTECTED -> [admissible] -> outcome        legitimate paths
    PROTECTED -> outcome                        the direct, unfair path (`bias`)
    PROTECTED -> stand-ins                      unlabelled columns that tell the protected ones
    any columns -> unlabelled columns           one in five of them is caused by an outcome

In a network every column has up to two causes among the earlier ones. With hidden classes
(`classes`) all columns but the outcomes depend on one column that is not in the table, so that
everything is tied to everything. Columns are integer codes, outcomes are 0 or 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit, softmax

from sdv_prefair.datasets import Dataset
from sdv_prefair.datasets._dataset import categorical, public_metadata
from sdv_prefair.roles import Roles

HIDDEN = 'hidden class'
_PROTECTED_CODES = (2, 4)
_MOST_REASONS = 4
_STAND_IN_STRENGTH = 3.0
_JOINT_STRENGTH = 2.0
_PILOT_ROWS = 20_000
_BATCH = 50_000

Codes = dict[str, np.ndarray]


@dataclass(frozen=True)
class Shape:
    """What the tables of one kind have in common.

    Attributes:
        name: What it is called.
        rows: Rows to fit.
        columns: Columns in all: two protected ones, admissible ones, outcomes, stand-ins, and
            unlabelled ones for the rest.
        admissible: Admissible columns, of which up to four have an effect on each outcome.
        outcomes: Outcome columns; later ones depend on earlier ones too.
        stand_ins: Unlabelled columns that follow a protected one closely.
        most_codes: Sizes of columns are log-uniform between two and so many codes.
        skew: The i-th commonest code is about as frequent as i to the power of minus this.
        strength: Standard deviation of what a cause adds to the log-odds of a code.
        reason: The same for what the admissible columns together add to an outcome.
        bias: The same for what each protected column adds to an outcome.
        share: How many rows have the outcome 1.
        joint: Whether two admissible columns matter only together, as in an exclusive or.
        classes: Hidden classes; none for a network.
    """

    name: str
    rows: int
    columns: int
    admissible: int = 4
    outcomes: int = 1
    stand_ins: int = 0
    most_codes: int = 12
    skew: float = 0.5
    strength: float = 1.0
    reason: float = 1.5
    bias: float = 0.7
    share: float = 0.3
    joint: bool = False
    classes: int = 0


SHAPES = (
    Shape('500 rows', 500, 6, admissible=2, most_codes=6),
    Shape('1,000 rows, 20 columns', 1_000, 20),
    Shape('2,000 rows, strong ties', 2_000, 10, strength=2.0),
    Shape('5,000 rows, hidden classes', 5_000, 12, classes=6),
    Shape('nothing to learn', 10_000, 10, strength=0.0, reason=0.0, bias=0.0),
    Shape('weak reasons', 20_000, 15, reason=0.4),
    Shape('strong reasons', 20_000, 15, admissible=6, reason=3.0),
    Shape('rare outcome', 20_000, 15, share=0.01),
    Shape('skewed, up to 100 codes', 20_000, 15, most_codes=100, skew=1.5),
    Shape('joint effect', 20_000, 12, joint=True),
    Shape('three outcomes', 20_000, 16, outcomes=3),
    Shape('stand-ins', 20_000, 14, stand_ins=4, bias=1.5),
    Shape('60 columns', 50_000, 60, admissible=12, most_codes=8),
    Shape('hidden classes, 30 columns', 50_000, 30, admissible=8, classes=10),
    Shape('5 columns', 100_000, 5, admissible=2, most_codes=40),
    Shape('a million rows', 1_000_000, 20, admissible=6, most_codes=30, skew=1.0),
)


@dataclass(frozen=True)
class Column:
    """A column given its causes: log-odds of its codes, and what each cause adds to them.

    Attributes:
        base: Log-odds of each code.
        causes: For each cause a table, one row for each of its codes.
        together: Two columns with a sign for each of their codes: the product of the signs is
            added to the log-odds of code 1.
    """

    base: np.ndarray
    causes: Mapping[str, np.ndarray]
    together: Mapping[str, np.ndarray] = field(default_factory=dict)

    def log_odds(self, codes: Codes, rows: slice) -> np.ndarray:
        """Return the log-odds of each code for some rows whose causes have been drawn."""
        added = [effect[codes[name][rows]] for name, effect in self.causes.items()]
        total = self.base + sum(added, np.zeros(1))
        if self.together:
            signs = [sign[codes[name][rows]] for name, sign in self.together.items()]
            total[:, 1] += _JOINT_STRENGTH * np.prod(signs, axis=0)
        return total

    def draw(self, codes: Codes, num_rows: int, rng: np.random.Generator) -> np.ndarray:
        """Draw a code for each row."""
        drawn = np.empty(num_rows, dtype=np.int64)
        for start in range(0, num_rows, _BATCH):
            rows = slice(start, min(start + _BATCH, num_rows))
            log_odds = self.log_odds(codes, rows)
            shape = (rows.stop - rows.start, self.base.size)
            cumulative = softmax(np.broadcast_to(log_odds, shape), axis=1).cumsum(axis=1)
            drawn[rows] = (rng.random((shape[0], 1)) > cumulative[:, :-1]).sum(axis=1)
        return drawn


@dataclass(frozen=True)
class Network:
    """Columns in the order in which they are drawn, and the roles of those that are shown."""

    columns: Mapping[str, Column]
    roles: Roles

    def draw(self, num_rows: int, seed: int) -> Dataset:
        """Draw rows; the same seed gives the same rows."""
        codes = draw_codes(self.columns, num_rows, np.random.default_rng(seed))
        shown = [name for name in self.columns if name != HIDDEN]
        described = {name: categorical(range(self.columns[name].base.size)) for name in shown}
        table = pd.DataFrame({name: codes[name] for name in shown})
        return Dataset({'generated': table}, public_metadata('generated', described), self.roles)


def make_network(shape: Shape, seed: int) -> Network:
    """Make the parameters of a network of some shape; the same seed gives the same ones."""
    rng = np.random.default_rng([seed, *shape.name.encode()])
    names = {
        'protected': [f'protected {i}' for i in range(2)],
        'admissible': [f'admissible {i}' for i in range(shape.admissible)],
        'outcome': [f'outcome {i}' for i in range(shape.outcomes)],
    }
    columns: dict[str, Column] = {}
    if shape.classes:
        columns[HIDDEN] = Column(np.zeros(shape.classes), {})
    for name, size in zip(names['protected'], _PROTECTED_CODES, strict=True):
        columns[name] = _column(shape, size, columns, rng)
    for name in names['admissible']:
        columns[name] = _column(shape, _size(shape, rng), columns, rng)
    for name in names['outcome']:
        columns[name] = _outcome(shape, columns, names, rng)
    _add_unlabelled(shape, columns, names, rng)
    return Network(columns, Roles(**{role: tuple(named) for role, named in names.items()}))


def draw_codes(columns: Mapping[str, Column], num_rows: int, rng: np.random.Generator) -> Codes:
    """Draw every column after its causes."""
    codes: Codes = {}
    for name, column in columns.items():
        codes[name] = column.draw(codes, num_rows, rng)
    return codes


def _size(shape: Shape, rng: np.random.Generator) -> int:
    return round(2 * (shape.most_codes / 2) ** rng.random())


def _column(shape: Shape, size: int, earlier: Mapping[str, Column], rng) -> Column:
    """Return a column with up to two causes among the earlier ones, or the hidden class."""
    some = rng.permutation([name for name in earlier if not name.startswith('outcome')])[:2]
    causes = [HIDDEN] if HIDDEN in earlier else some
    return Column(_base(shape, size, rng), _effects(shape.strength, size, causes, earlier, rng))


def _base(shape: Shape, size: int, rng) -> np.ndarray:
    return -shape.skew * np.log(1 + rng.permutation(size))


def _effects(strength: float, size: int, causes, earlier: Mapping[str, Column], rng) -> dict:
    """Return a table of effects for each cause: two hidden traits of its codes and of ours."""
    return {
        str(cause): strength
        * rng.normal(size=(earlier[cause].base.size, 2))
        @ rng.normal(size=(2, size))
        / np.sqrt(2)
        for cause in causes
    }


def _outcome(shape: Shape, earlier: Mapping[str, Column], names: dict, rng) -> Column:
    reasons = rng.permutation(names['admissible'])[:_MOST_REASONS]
    together, reasons = np.split(reasons, [2 if shape.joint else 0])
    before = [name for name in earlier if name.startswith('outcome')]
    sizes = {
        **dict.fromkeys(names['protected'], shape.bias),
        **dict.fromkeys(before, shape.reason),
        **dict.fromkeys(reasons, shape.reason / np.sqrt(max(1, len(reasons)))),
    }
    causes = {
        str(name): size * _towards_one(earlier[name].base.size, rng) for name, size in sizes.items()
    }
    signs = {str(name): _signs(earlier[name].base.size, rng) for name in together}
    return _with_share(Column(np.zeros(2), causes, signs), shape.share, earlier, rng)


def _towards_one(size: int, rng) -> np.ndarray:
    """Return what each code of a cause adds to the log-odds of an outcome: mean 0, variance 1."""
    effect = rng.normal(size=size)
    effect = (effect - effect.mean()) / effect.std()
    return np.stack([np.zeros(size), effect], axis=1)


def _signs(size: int, rng) -> np.ndarray:
    return rng.permutation(np.where(np.arange(size) < size / 2, -1.0, 1.0))


def _with_share(outcome: Column, share: float, earlier: Mapping[str, Column], rng) -> Column:
    """Return the outcome with a base that gives it the share, on rows drawn to find it."""
    log_odds = outcome.log_odds(draw_codes(earlier, _PILOT_ROWS, rng), slice(None))[:, 1]
    base = brentq(lambda shift: expit(log_odds + shift).mean() - share, -50, 50)
    return Column(np.array([0.0, base]), outcome.causes, outcome.together)


def _add_unlabelled(shape: Shape, columns: dict[str, Column], names: dict, rng) -> None:
    for i in range(shape.stand_ins):
        size, cause = _size(shape, rng), names['protected'][i % 2]
        effects = _effects(_STAND_IN_STRENGTH, size, [cause], columns, rng)
        columns[f'stand-in {i}'] = Column(_base(shape, size, rng), effects)
    left = shape.columns - len(columns) + (HIDDEN in columns)
    for i in range(left):
        size = _size(shape, rng)
        column = _column(shape, size, columns, rng)
        if i % 5 == 4:
            cause = [rng.choice(names['outcome'])]
            effects = _effects(shape.strength, size, cause, columns, rng)
            column = Column(column.base, {**column.causes, **effects})
        columns[f'unlabelled {i}'] = column
