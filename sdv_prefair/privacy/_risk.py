"""A privacy budget as the risk that is acceptable, in place of an epsilon."""

import math
from dataclasses import dataclass
from functools import lru_cache

from scipy.optimize import brentq

from sdv_prefair.errors import BudgetError, shown
from sdv_prefair.privacy._curve import PrivacyCurve

# From almost no information to all of it.
_LEAST_LOG_RHO, _MOST_LOG_RHO = math.log(1e-60), math.log(1e9)
# More than what is lost on the way from rho to epsilon and back.
_FOR_ROUNDING = 1e-7


@dataclass(frozen=True)
class Risk:
    """What an attacker may achieve at most; made by ``risk``.

    Attributes:
        true_positives: The share of members that a test may find; None if the other is given.
        false_positives: The share of others that this test takes for members.
        advantage: How far apart the two may be for any test.
    """

    true_positives: float | None = None
    false_positives: float | None = None
    advantage: float | None = None

    def __repr__(self) -> str:
        given = {name: value for name, value in vars(self).items() if value is not None}
        return f'risk({", ".join(f"{name}={value!r}" for name, value in given.items())})'

    def epsilon_at(self, delta: float, all_gaussian: bool, reserved_delta: float) -> float:
        """Return the epsilon of the largest budget that keeps to it.

        Proof: proofs/curve.md

        Args:
            delta: The delta of the budget.
            all_gaussian: Whether all noise will be Gaussian.
            reserved_delta: The part of delta that thresholds use up.
        """
        return _epsilon_at(self, delta, all_gaussian, reserved_delta)

    def _excess(self, curve: PrivacyCurve) -> float:
        if self.advantage is not None:
            return curve.advantage() - self.advantage
        return curve.true_positives(self.false_positives or 0.0) - (self.true_positives or 0.0)


def risk(
    *,
    guess: float | None = None,
    advantage: float | None = None,
    true_positives: float | None = None,
    false_positives: float | None = None,
) -> Risk:
    """Return a privacy budget given as a risk, for the argument ``epsilon``. Give one of these.

    Args:
        guess: How often a guess whether someone is in the table may be right, if both are equally
            likely before; above 0.5.
        advantage: How far apart the true and the false positive rate of a test may be.
        true_positives: The share of members that a test may find, together with
        false_positives: The share of others that it takes for members.
    """
    if sum(value is not None for value in (guess, advantage, true_positives)) != 1 or (
        (true_positives is None) != (false_positives is None)
    ):
        raise BudgetError(
            'risk needs one of guess, advantage, or true_positives together with false_positives. '
            'Pass one, for example risk(guess=0.55).'
        )
    if guess is not None:
        return Risk(advantage=2 * _between('guess', guess, 0.5) - 1)
    if advantage is not None:
        return Risk(advantage=_between('advantage', advantage, 0.0))
    false_positives = _between('false_positives', false_positives, 0.0)
    return Risk(_between('true_positives', true_positives, false_positives), false_positives)


def _between(name: str, value: object, least: float) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not isinstance(value, int | float) or not is_number or not least < value < 1:
        raise BudgetError(f'{name} ({shown(value)}) must be above {least:g} and below 1.')
    return float(value)


@lru_cache(maxsize=256)
def _epsilon_at(asked: Risk, delta: float, all_gaussian: bool, reserved_delta: float) -> float:
    def excess(log_rho: float) -> float:
        return asked._excess(PrivacyCurve(math.exp(log_rho), all_gaussian, reserved_delta))

    epsilon = 0.0
    if excess(_LEAST_LOG_RHO) < 0:
        rho = math.exp(brentq(excess, _LEAST_LOG_RHO, _MOST_LOG_RHO, xtol=1e-13))
        rho *= 1 - _FOR_ROUNDING
        epsilon = PrivacyCurve(rho, all_gaussian, reserved_delta).epsilon_at(delta)
    if not epsilon > 0:
        raise BudgetError(
            f'{asked!r} is so small that delta ({delta:g}) alone allows as much. Ask for a larger '
            'risk, or for a smaller delta.'
        )
    return epsilon
