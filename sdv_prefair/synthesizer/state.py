"""The part of a synthesizer that holds what is fitted, and swaps it in one place.

An attempt works on values of its own. Until it is finished, and if it fails, what is fitted is
what it was. What attempts share is the account, in which each is entered before it reads a row.
"""

import copy
import datetime
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import pandas as pd
from sdv import version
from sdv._utils import check_synthesizer_version
from sdv.single_table.base import BaseSingleTableSynthesizer

from sdv_prefair.encoding.table import Encoding
from sdv_prefair.fitting import cautions
from sdv_prefair.fitting.fitted import Fitted, Prepared
from sdv_prefair.model import GraphicalModel
from sdv_prefair.privacy import Account, Attempt, Ledger


@dataclass(frozen=True)
class Preparation:
    """What ``preprocess`` leaves for ``fit_processed_data``.

    Attributes:
        prepared: How rows were encoded.
        attempt: The attempt that did it.
        names: The names that the user's frame had, if they were not all texts.
    """

    prepared: Prepared
    attempt: Attempt
    names: pd.Index

    def continued(self, account: Account) -> Attempt:
        """Return the attempt that has encoded the rows, or a new one if that is over."""
        if not self.attempt.is_over:
            return self.attempt
        learning = len(self.prepared.learning)
        return account.open('fit_processed_data', self.prepared.open_ledger(), learning)


class FittedState(BaseSingleTableSynthesizer):
    """The last finished fit, what is prepared for the next one, and the account of all.

    What the synthesizer provides: ``_account``, and what a fit rests on: its arguments, the plan
    of its constraints, and SDV's processor.
    """

    _result: Fitted | None = None
    """The last finished fit."""
    _preparation: Preparation | None = None
    """What rows encoded before mean, if they still mean something."""
    _is_opened = False
    """Whether it came from a file, and nothing was sampled since."""

    @property
    def _model(self) -> GraphicalModel | None:
        return None if self._result is None else self._result.model

    @property
    def _encoding(self) -> Encoding | None:
        return None if self._result is None else self._result.encoding

    @property
    def _ledger(self) -> Ledger | None:
        return None if self._result is None else self._result.ledger

    def _check_before_fit(self) -> None:
        check_synthesizer_version(self, is_fit_method=True, compare_operator=operator.lt)
        self._check_input_metadata_updated()

    def _warn_before_reading(self) -> None:
        cautions.warn_of_seed(self.seed)
        if self._account.spent:
            cautions.warn_of_refit(self._account, self._settings().open_ledger())

    def _adopt(self, fitted: Fitted, attempt: Attempt, names: pd.Index) -> None:
        """Take over a finished fit: the one place where what is fitted changes."""
        attempt.finish()
        self._show(fitted.prepared, names)
        self._result = fitted
        self._preparation = Preparation(fitted.prepared, attempt, names)
        self._random_state_set = self._is_opened = False
        self._fitted = True
        self._fitted_date = datetime.datetime.today().strftime('%Y-%m-%d')
        self._fitted_sdv_version = getattr(version, 'community', None)
        self._fitted_sdv_enterprise_version = getattr(version, 'enterprise', None)

    def _open(self, fitted: Fitted, account: Account, names: pd.Index) -> None:
        """Take over a fit from a release; nothing was spent here."""
        self._account = account
        self._chosen_transformers = dict(fitted.settings.chosen)
        self._show(fitted.prepared, names)
        self._result, self._fitted = fitted, True
        attempt = Attempt('fit', fitted.ledger)
        attempt.finish()
        self._preparation = Preparation(fitted.prepared, attempt, names)

    def _keep(self, preparation: Preparation) -> None:
        """Keep what is prepared for ``fit_processed_data``, apart from what is fitted."""
        self._preparation = preparation
        if not self._fitted:
            self._show(preparation.prepared, preparation.names)

    def _show(self, prepared: Prepared, names: pd.Index) -> None:
        """Let SDV's methods see the constraints and the processor of a fit."""
        self._plan, self._domains = prepared.plan, prepared.plan.domains
        self._constraints_fitted = bool(prepared.plan.tied)
        self._data_processor = prepared.processor
        self._original_columns = names

    def _forget_preparation(self) -> None:
        """Take no codes made before: what was just changed decides how rows are encoded."""
        self._preparation = None

    # -- copies and files -------------------------------------------------------------------

    def __copy__(self) -> Self:
        twin = type(self).__new__(type(self))
        twin.__dict__ = dict(vars(self))
        return twin

    def __deepcopy__(self, memo: dict) -> Self:
        twin = memo[id(self)] = type(self).__new__(type(self))
        twin.__dict__ = copy.deepcopy(vars(self), memo)
        return twin

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self._mark_opened()

    def _mark_opened(self) -> None:
        self._is_opened = self._fitted
        if self._fitted:
            cautions.warn_of_seeded_file(self._ledger.seeded)

    def _validate_fit_before_sample(self) -> None:
        super()._validate_fit_before_sample()
        if self._is_opened and self._ledger.seeded:
            self._is_opened = False
            cautions.warn_of_seeded_sample()
