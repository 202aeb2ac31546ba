"""What a synthesizer does with a finished fit: sample, inspect, verify.

SDV divides its class in two: ``BaseSynthesizer``, which is constructed and fitted, and its subclass
``BaseSingleTableSynthesizer``, which samples. So do we: construction is in ``face``.
Each method here calls a plain function of one value, ``fitted``.
"""

import math
from typing import Any

import networkx as nx
import pandas as pd
import plotly.graph_objects as go
from sdv.metadata import Metadata
from sdv.single_table.base import FIXED_RNG_SEED, BaseSingleTableSynthesizer

from sdv_prefair._sdv_versions import Sampling
from sdv_prefair.errors import NotFittedError
from sdv_prefair.fair_metadata import FairMetadata
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.fitting import _cautions as cautions
from sdv_prefair.fitting._explanation import FairnessExplanation
from sdv_prefair.fitting._fitted import Fitted
from sdv_prefair.fitting._settings import Settings
from sdv_prefair.model import GraphicalModel
from sdv_prefair.privacy import Account, PrivacyCurve
from sdv_prefair.synthesizer import _conditional_sampling as conditional
from sdv_prefair.synthesizer import _constrained as constrained
from sdv_prefair.synthesizer import _inspection as inspection
from sdv_prefair.synthesizer import _state as state
from sdv_prefair.synthesizer._arguments import check_choice, check_whole_number
from sdv_prefair.values._given_numbers import plain_number

Frames = dict[str, pd.DataFrame]


class AfterFit(Sampling):
    """A synthesizer after fitting. This class alone cannot be fitted."""

    _settings: Settings
    """The input of the next fit."""
    _account: Account
    """All attempts to fit."""
    _result: Fitted | None = None
    """The last finished fit."""
    _preparation: state.Preparation | None = None
    """The meaning of rows encoded earlier, if they are still valid."""
    _is_opened = False
    """Whether it came from a file, and nothing was sampled since."""
    _independent_rows = False
    """Whether SDV's current call samples independent rows: its methods cannot pass this on."""

    @property
    def fitted(self) -> Fitted:
        """The last finished fit: settings, encoding, ledger and model. It cannot be changed."""
        if self._result is None:
            raise NotFittedError('This synthesizer has not been fitted. Call fit first.')
        return self._result

    @property
    def _model(self) -> GraphicalModel | None:
        return None if self._result is None else self._result.model

    # -- what it shows of itself ------------------------------------------------------------

    def get_info(self) -> dict[str, Any]:
        """Return SDV's information and the privacy guarantee."""
        promise = inspection.privacy_promised(self._settings, self._result)
        return super().get_info() | promise | {'ranges': self._ranges}

    @property
    def _ranges(self) -> str:
        plan = self._settings.plan
        return inspection.ranges_in_words(self.public_ranges, plan, self.domain is not None)

    def get_metadata(self, version: str = 'original') -> Metadata:
        """Return the metadata, with the roles if it came with them.

        Args:
            version: ``'original'``, or ``'modified'`` for the version with constraints applied.
        """
        metadata, roles = super().get_metadata(version), self.get_roles(version)
        if isinstance(self._original_metadata, FairMetadata):
            return FairMetadata.from_metadata(metadata, roles)
        return metadata

    def get_roles(self, version: str = 'original') -> Statements:
        """Return the roles: as given (``'original'``) or after constraints (``'modified'``).

        They are ``Roles`` unless ``fairness=`` has statements that roles cannot express; then they
        are those statements, whose ``protected``, ``admissible`` and ``outcome`` columns are all
        columns on the left, in a conditioning set, and on the right of any statement.
        """
        return self.get_fairness(version)

    def get_fairness(self, version: str = 'original') -> Statements:
        """Return the guarantee as statements of conditional independence.

        Args:
            version: ``'original'``, as given; ``'modified'``, for the columns after constraints.
        """
        check_choice('version', version, ('original', 'modified'))
        settings = self._settings
        return settings.promise.roles if version == 'original' else settings.roles

    def get_privacy_ledger(self) -> pd.DataFrame:
        """Return every access to the private rows and its cost; ``rho`` sums to the budget.

        It is the ledger of the fit that the model came from. The frame's ``attrs`` hold the footer:
        the guarantee, the risk that follows from it, its cost under other units, how ranges were
        treated, and the total over all attempts to fit, see ``get_privacy_account``.
        """
        ledger = self.fitted.ledger
        frame = ledger.to_frame()
        footer = inspection.risk_in_numbers(self.privacy_curve()) | {'ranges': self._ranges}
        frame.attrs |= footer | self._account.total_beside(ledger)
        return frame

    def get_privacy_account(self) -> pd.DataFrame:
        """Return every attempt to fit this synthesizer and what it spent, finished or not.

        A row has ``attempt`` (its number), ``call`` (the method), ``outcome`` (``'finished'``,
        ``'failed'`` or ``'unfinished'``), ``private``, ``lines``, ``rho`` and ``delta`` (what
        thresholds used up). Calls that were refused before a row was read do not count as attempts.
        The frame's ``attrs`` hold the total over all attempts, for people who are in every table.
        """
        account, fitted = self._account, self._result
        total = account.total_beside(fitted.ledger) if fitted else account.total(self.delta)
        frame = account.to_frame()
        frame.attrs |= total
        return frame

    def privacy_curve(self, all_attempts: bool = False) -> PrivacyCurve:
        """Return what can be learnt about a person at most: guesses, tests, beliefs, attacks.

        Args:
            all_attempts: Whether to count all attempts to fit, for people who are in every table.
        """
        check_choice('all_attempts', all_attempts, (True, False))
        curve = PrivacyCurve.of(self.fitted.ledger)
        return self._account.curve_beside(curve) if all_attempts else curve

    def total_epsilon(self, *earlier: 'AfterFit') -> float:
        """Return the epsilon of one more fit and of all attempts before, for people in every table.

        Args:
            *earlier: Other synthesizers, such as opened releases, whose attempts count as well.
        """
        ledger = self._settings.open_ledger()
        spent = Account(line for one in (self, *earlier) for line in one._account.spendings)
        if ledger.seeded or spent.seeded:
            return math.inf
        if not spent.spent:
            return ledger.epsilon
        left = ledger.delta - ledger.reserved_delta
        return spent.epsilon_with(ledger.budget, ledger.all_gaussian, left)

    def get_fair_graph(self) -> 'nx.Graph[str]':
        """Return the Markov graph of the model; nodes carry their ``role``.

        Edges carry ``sigma`` and ``cells`` of their measurement, which may be of more columns than
        two, and ``tells``: how much one of their columns reveals about the other beyond noise, from
        0 to 1. Those with ``beyond_tree`` were added to a spanning tree.
        """
        return inspection.fair_graph(self.fitted)

    def verify_fairness(self) -> bool:
        """Check the fitted model again; return True, or raise and name the offending path.

        Checks the cliques of the model, the tables that rows are sampled from, and that the values
        shown determine their codes in the model.
        """
        inspection.assert_fair(self.fitted)
        return True

    def explain_fairness(self) -> FairnessExplanation:
        """Return what the guarantee lets through, and which columns are proxies; costs no budget.

        For each statement: how much columns reveal about protected columns and outcomes, from 0
        (nothing) to 1 (everything), admissible columns both alone and all together; a lower bound
        that noise does not explain; and how high it could be in the private rows. ``print`` it, or
        use ``to_frame()``.
        """
        return inspection.explanation(self.fitted)

    def encode_rows(self, data: pd.DataFrame | Frames) -> pd.DataFrame:
        """Return the model's codes of rows, real or synthetic.

        The guaranteed independence is given these codes. Columns that a constraint touches are left
        out: there it is given their exact values.

        Privacy: codes of real rows are as private as the rows. Nothing is learnt or kept.

        Args:
            data: Rows of the table, with some or all of its columns.
        """
        return inspection.encode_rows(self.fitted, data)

    def visualize(self) -> go.Figure:
        """Return the model's graph in lanes: protected side, admissible wall, outcome side.

        An edge that leads around the wall is red; a fair model has none. See ``plot_fair_graph``.
        """
        return inspection.picture(self.fitted)

    # -- sampling ---------------------------------------------------------------------------

    def _sample_as_sdv(self, independent_rows: bool, num_rows: int, *given: Any) -> Any:
        """Return the result of SDV's ``sample``, for arguments of the installed version."""
        check_choice('independent_rows', independent_rows, (True, False))
        num_rows, given = plain_number(num_rows), tuple(map(plain_number, given))
        self._validate_fit_before_sample()
        if num_rows is not None:  # of which SDV says what is missing
            check_whole_number('num_rows', num_rows, 0)
            self._data_processor.check_room(num_rows)
        self._independent_rows = independent_rows
        try:
            return BaseSingleTableSynthesizer.sample(self, num_rows, *given)
        finally:
            self._independent_rows = False

    def reverse_transform_constraints(self, sampled: pd.DataFrame) -> pd.DataFrame:
        """Return the original columns of the rows that satisfy all constraints."""
        tied = self._settings.plan.tied
        return constrained.restore_columns(self.fitted, sampled) if tied else sampled

    def _validate_fit_before_sample(self) -> None:
        super()._validate_fit_before_sample()
        if self._is_opened and self.fitted.ledger.seeded:
            self._is_opened = False
            cautions.warn_of_seeded_sample()

    def _sample(self, num_rows: int, conditions: dict[str, Any] | None = None) -> pd.DataFrame:
        evidence = {column: int(code) for column, code in (conditions or {}).items()}
        return pd.DataFrame(self.fitted.model.sample(num_rows, evidence, self._independent_rows))

    def _sample_with_progress_bar(
        self, num_rows: int, *arguments: Any, **options: Any
    ) -> pd.DataFrame:
        sampled = super()._sample_with_progress_bar(num_rows, *arguments, **options)
        constrained.check_enough(sampled, num_rows)
        return sampled

    def _sample_in_batches(
        self, num_rows: int, batch_size: int, *arguments: Any, **options: Any
    ) -> pd.DataFrame:
        """Return rows in batches, the last one as small as it must be: each is also written."""
        whole, rest = num_rows // batch_size * batch_size, num_rows % batch_size
        in_batches = super()._sample_in_batches
        parts = [in_batches(whole, batch_size, *arguments, **options)]
        if rest:
            parts.append(in_batches(rest, rest, *arguments, **options))
        return pd.concat(parts, ignore_index=True) if rest else parts[0]

    @staticmethod
    def _make_condition_dfs(conditions: list[Any]) -> list[pd.DataFrame]:
        made: list[pd.DataFrame] = BaseSingleTableSynthesizer._make_condition_dfs([
            conditional.in_cells(condition) for condition in conditions
        ])
        return made

    def _validate_conditions(self, conditions: list[pd.DataFrame]) -> None:
        for lines in conditions:
            super()._validate_conditions_unseen_columns(lines)
            conditional.check_lines(self.fitted, lines)
        # Rows of several conditions end up in one table, and the condition that a row came from
        # reveals something about the columns of all of them.
        conditional.warn_of_ties(self.fitted, [c for lines in conditions for c in lines.columns])

    def _validate_conditions_unseen_columns(self, conditions: pd.DataFrame) -> None:
        self._validate_fit_before_sample()
        super()._validate_conditions_unseen_columns(conditions)
        conditional.check_lines(self.fitted, conditions, are_known=True)
        conditional.warn_of_ties(self.fitted, list(conditions.columns))

    def _sample_with_conditions(
        self,
        conditions: pd.DataFrame,
        max_tries_per_batch: int,
        batch_size: int | None,
        progress_bar: Any = None,
        output_file_path: str | None = None,
    ) -> pd.DataFrame:
        if not self._random_state_set:
            self._set_random_state(FIXED_RNG_SEED)
        self._data_processor.check_room(len(conditions))
        rows = conditional.draw_lines(self.fitted, conditions, max_tries_per_batch, batch_size)
        if output_file_path:
            conditional.append_rows(rows, output_file_path)
        if progress_bar is not None:
            progress_bar.update(len(rows))
        return rows
