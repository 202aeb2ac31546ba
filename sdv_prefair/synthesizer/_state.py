"""The state of a synthesizer, as one dictionary of attributes that is applied atomically.

An attempt to fit works on separate values. Until it finishes, and if it fails, the previous fit
stays. Attempts share only the account, in which each is entered before it reads a row.

Ours are ``_settings``, the input of the next fit; ``_result``, the last finished fit; and
``_preparation``, the meaning of rows encoded earlier. All others are SDV's, whose methods look for
them in the instance: each follows from one of ours and is set together with it.
"""

from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
from sdv.cag import ProgrammableConstraint
from sdv.cag.base import BaseConstraint
from sdv.cag.programmable_constraint import ProgrammableConstraintHarness

from sdv_prefair._sdv_versions import accepted
from sdv_prefair.fitting._fitted import Fitted, Prepared, Settings
from sdv_prefair.privacy import Account, Attempt


@dataclass(frozen=True)
class Preparation:
    """What ``preprocess`` leaves for ``fit_processed_data``.

    Attributes:
        prepared: How rows were encoded.
        attempt: The attempt that did it.
        names: The names that the user's frame had, if they were not all strings.
    """

    prepared: Prepared
    attempt: Attempt
    names: pd.Index

    def continued(self, account: Account) -> Attempt:
        """Return the attempt that encoded the rows, or a new one if that has ended."""
        if not self.attempt.is_over:
            return self.attempt
        learning = len(self.prepared.learning)
        return account.open('fit_processed_data', self.prepared.open_ledger(), learning)


def of_settings(settings: Settings) -> dict[str, Any]:
    """Return the attributes for other settings; earlier codes are invalid under these."""
    return {
        '_settings': settings,
        '_preparation': None,
        '_data_processor': settings.processor,
    }


def of_constraints(settings: Settings) -> dict[str, Any]:
    """Return the attributes for settings with other constraints, not fitted yet."""
    plan = settings.plan
    return of_settings(settings) | {
        '_result': None,
        '_fitted': False,
        'metadata': accepted(plan.metadata),
        '_chained_constraints': [_as_sdv(link.rule.constraint) for link in plan.chain],
        '_reject_sampling_constraints': [_as_sdv(rule.constraint) for rule in plan.rejections],
    }


def of_preparation(preparation: Preparation, beside_fit: bool) -> dict[str, Any]:
    """Return the attributes for rows that have been encoded; an earlier fit stays."""
    if beside_fit:
        return {'_preparation': preparation}
    prepared = preparation.prepared
    settings = replace(prepared.settings, processor=prepared.processor)
    return of_settings(settings) | {
        '_preparation': preparation,
        '_original_columns': preparation.names,
    }


def of_fit(fitted: Fitted, attempt: Attempt) -> dict[str, Any]:
    """Return the attributes for a finished fit."""
    return {
        '_result': fitted,
        '_is_opened': False,
        '_file_digest': None,
        '_carried_record': None,
        '_fitted': True,
        '_random_state_set': False,
        '_fitted_date': fitted.provenance.date,
        '_fitted_sdv_version': fitted.provenance.sdv_version,
        '_fitted_sdv_enterprise_version': fitted.provenance.sdv_enterprise_version,
    } | of_preparation(Preparation(fitted.prepared, attempt, fitted.names), beside_fit=False)


def of_release(
    fitted: Fitted,
    account: Account,
    created: str,
    digest: str | None,
    record: dict[str, Any],
) -> dict[str, Any]:
    """Return the attributes for a fit that was made elsewhere; nothing was spent here."""
    attempt = Attempt('fit', fitted.ledger)
    attempt.finish()
    return of_fit(fitted, attempt) | {
        '_account': account,
        '_creation_date': created,
        '_is_opened': True,
        '_file_digest': digest,
        '_carried_record': record,
    }


def _as_sdv(constraint: BaseConstraint | ProgrammableConstraint) -> BaseConstraint:
    if isinstance(constraint, ProgrammableConstraint):
        return ProgrammableConstraintHarness(constraint)
    return constraint
