"""The part of a synthesizer that keeps attempts to fit it apart from what is fitted.

An attempt works on a draft, which takes the synthesizer's place once it is finished. Until then,
and if it fails, model, encoding and ledger are those of the last fit that was finished. What
attempts share is the account, in which each is entered before it reads a row.
"""

import copy
import datetime
import operator
from collections.abc import Mapping
from typing import Any, Self

import pandas as pd
from sdv import version
from sdv._utils import check_synthesizer_version
from sdv.single_table.base import BaseSingleTableSynthesizer

from sdv_prefair.encoding.table import Encoding
from sdv_prefair.privacy import Account, Attempt, Ledger
from sdv_prefair.synthesizer import cautions

# What belongs to the last fit, and what is prepared for the next one; a draft has neither.
_OF_OTHER_ATTEMPTS = ('_model', '_ledger', '_domain_ledger', '_encoding', '_attempt', '_prepared')


class Attempts(BaseSingleTableSynthesizer):
    """The drafts and the account.

    What the synthesizer provides: ``_account``, its arguments and, once a draft is finished,
    ``_model``, ``_ledger``, ``_domain_ledger`` and ``_encoding``.
    """

    _prepared: Self | None = None
    """The draft that ``preprocess`` has left for ``fit_processed_data``."""
    _attempt: Attempt | None = None
    """The attempt that made what is here, or is making it."""
    _takes_codes = True
    """Whether rows encoded before still mean what they meant."""
    _is_opened = False
    """Whether it came from a file, and nothing was sampled since."""

    def _check_before_fit(self) -> None:
        check_synthesizer_version(self, is_fit_method=True, compare_operator=operator.lt)
        self._check_input_metadata_updated()

    def _warn_before_reading(self) -> None:
        cautions.warn_of_seed(self.seed)
        cautions.warn_of_refit(self._account, self.epsilon, self.delta)

    def _draft(self) -> Self:
        """Return a copy to work on; what the user has handed over stays the same object."""
        handed_over = [*self.get_parameters().values(), self.metadata, self._original_metadata]
        shared = [*handed_over, getattr(self, '_input_metadata', None), self._account]
        draft = copy.copy(self)
        draft.__dict__ |= dict.fromkeys(_OF_OTHER_ATTEMPTS)
        draft = copy.deepcopy(draft, {id(given): given for given in shared})
        draft._fitted, draft._takes_codes = False, True
        draft._original_columns = pd.Index([])
        return draft

    def _open_attempt(self, call: str, ledger: Ledger, paid_before: int = 0) -> Attempt:
        self._attempt = self._account.open(call, ledger, paid_before)
        return self._attempt

    def _continue_attempt(self, call: str, paid_before: int) -> Attempt:
        """Return the attempt that has prepared this draft, or a new one if that is over."""
        if self._attempt is None or self._attempt.is_over:
            ledger = copy.deepcopy(self._domain_ledger)
            ledger.seeded = ledger.seeded or self.seed is not None
            return self._open_attempt(call, ledger, paid_before)
        return self._attempt

    def _adopt(self, draft: Self) -> None:
        """Take over a finished draft: the one place where what is fitted changes."""
        draft._fitted = True
        draft._random_state_set = False
        draft._is_opened = False
        draft._prepared = None
        draft._fitted_date = datetime.datetime.today().strftime('%Y-%m-%d')
        draft._fitted_sdv_version = getattr(version, 'community', None)
        draft._fitted_sdv_enterprise_version = getattr(version, 'enterprise', None)
        draft._attempt.finish()
        self.__dict__ = draft.__dict__

    def _keep(self, draft: Self) -> None:
        """Keep what is prepared for ``fit_processed_data``, apart from what is fitted."""
        if self._fitted:
            self._prepared = draft
        else:
            self.__dict__ = draft.__dict__

    def _forget_preparation(self) -> None:
        """Take no codes made before: what was just changed decides how rows are encoded."""
        self._prepared, self._takes_codes = None, False

    def _encoding_of_codes(self) -> Encoding | None:
        return self._encoding if self._takes_codes else None

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
        if '_account' not in state:  # saved before there were accounts
            self._account = Account()
            if state.get('_ledger') is not None:
                self._attempt = self._account.open('fit', state['_ledger'])
                self._attempt.finish()
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
