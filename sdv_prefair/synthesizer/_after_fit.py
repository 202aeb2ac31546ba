"""What a synthesizer does with a finished fit: inspect, verify, estimate, share.

SDV divides its class in two: ``BaseSynthesizer``, which is constructed and fitted, and its subclass
``BaseSingleTableSynthesizer``, which samples. So do we: construction and fits are in ``_face.py``,
what SDV calls to sample is in ``_sampling.py``. Each method here calls a plain function of one
value, ``fitted``.
"""

import math
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import networkx as nx
import pandas as pd
import plotly.graph_objects as go
import tqdm
from sdv.metadata import Metadata

from sdv_prefair._atomic_write import check_place
from sdv_prefair.columns._dtypes import plain_number
from sdv_prefair.columns._processor import one_frame
from sdv_prefair.errors import FairnessWarning, PrivacyWarning, ReleaseError, UnfairModelError
from sdv_prefair.fair_metadata import FairMetadata
from sdv_prefair.fairness._statements import Statements
from sdv_prefair.fitting._explanation import FairnessExplanation
from sdv_prefair.inference import Query, Replicates, estimate_query, replicate
from sdv_prefair.inference._estimates import checked_level
from sdv_prefair.inference._query import Asked
from sdv_prefair.inference._row_statistics import (
    Statistic,
    check_statistic,
    estimate_of_rows,
)
from sdv_prefair.plots._column_pairs import compare_tables
from sdv_prefair.privacy import Account, PrivacyCurve
from sdv_prefair.release import Contents, Released, digest_of, open_release, write_release
from sdv_prefair.release._verified import Verification
from sdv_prefair.release._verifying import verify_table
from sdv_prefair.synthesizer import _inspection as inspection
from sdv_prefair.synthesizer import _state as state
from sdv_prefair.synthesizer._arguments import check_choice, check_seed, check_whole_number
from sdv_prefair.synthesizer._sampling import Frames, SampledBySdv
from sdv_prefair.synthesizer._written_rows import counted_tables, tables_of

_REPLICATES = 200


class AfterFit(SampledBySdv):
    """A synthesizer after fitting. This class alone cannot be fitted."""

    _replicates: Replicates | None = None
    """The latest replicates. They are not pickled."""
    _file_digest: str | None = None
    """SHA-256 of the file that the fit was loaded from."""
    _carried_record: dict[str, Any] | None = None
    """The record in that file."""

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

    # -- error bars ---------------------------------------------------------------------------

    def replicates(
        self, n: int = _REPLICATES, seed: int | None = None, progress: bool = True
    ) -> Replicates:
        """Compute replicates of the fit by a parametric bootstrap, and keep them for ``estimate``.

        Each replicate is a table of the estimated size sampled from the model, counted like the
        private table, with noise of the same scale, and a model fitted to that. It is
        post-processing of the release and costs no budget.

        Args:
            n: How many, at least 2.
            seed: Makes them reproducible.
            progress: Whether to show a progress bar.
        """
        n, seed = plain_number(n), plain_number(seed)
        check_whole_number('n', n, 2)
        check_seed(seed)
        fitted = self.fitted
        with tqdm.tqdm(desc='Replicates', total=n, disable=not progress) as bar:
            drawn = replicate(fitted, n, seed, lambda done: bar.update(done - bar.n))
        self.__dict__['_replicates'] = drawn
        return drawn

    def estimate(
        self,
        query: Query | Asked,
        level: float = 0.95,
        sampling: bool = True,
        in_the_fair_table: bool = False,
    ) -> pd.DataFrame:
        """Return shares, means, quantiles or differences, each with an interval.

        Answered from the model, not from sampled rows. If a measured table answers the query, the
        interval comes from its noisy counts and has its nominal coverage; otherwise it comes from
        replicates, which are computed if there are none. Column ``basis`` says which:
        ``'measured'``; ``'bounded'``, between what measured tables allow; ``'model'``, valid if
        the model's graph is correct; ``'fair model'``, for protected and outcome columns, whose
        direct dependence was left out on purpose.

        Args:
            query: A column or a list of columns, for a marginal or a cross-tabulation; a
                ``Share``, ``Mean``, ``Quantile`` or ``Difference`` of ``sdv_prefair.inference``;
                or a string such as ``'income by sex'`` or ``'mean of age by sex'``.
            level: Confidence level of the intervals.
            sampling: True for the population that the private rows were sampled from, False for
                the private table itself.
            in_the_fair_table: Whether to answer how outcomes depend on protected columns. The
                model leaves that out on purpose, so such an answer is not about the private table.

        Returns:
            A line for each number, by its values in the index: ``estimate``, ``standard_error``,
            ``lower``, ``upper``, ``basis``.

        Raises:
            QueryError: If the query names a column or a value that the model does not have, or
                asks for what was left out on purpose.
        """
        check_choice('sampling', sampling, (True, False))
        check_choice('in_the_fair_table', in_the_fair_table, (True, False))
        return estimate_query(
            self.fitted, query, self._kept_replicates, level, sampling, in_the_fair_table
        )

    def estimate_statistic(
        self,
        function: Statistic,
        num_rows: int,
        level: float = 0.95,
        progress: bool = True,
        sampling: bool = True,
    ) -> pd.DataFrame:
        """Return any statistic of a synthetic table, with an interval.

        It is computed on rows of the model and of each replicate. Sampling is systematic, so few
        rows suffice; the remaining sampling error makes intervals wider.

        Args:
            function: Takes a table; returns a number, or several as a Series or a dictionary.
            num_rows: Rows of each table. As many as the private table has, or more, are best.
            level: Confidence level of the intervals.
            progress: Whether to show a progress bar.
            sampling: True for the population that the private rows were sampled from, False for
                the private table itself. That takes longer: the statistic is then also computed
                on all rows that each replicate was counted from.

        Returns:
            A line for each number: ``estimate``, ``standard_error``, ``lower``, ``upper``.
        """
        check_statistic(function)
        level, num_rows = checked_level(level), plain_number(num_rows)
        check_whole_number('num_rows', num_rows, 1)
        check_choice('sampling', sampling, (True, False))
        drawn = self._kept_replicates(progress)
        with tqdm.tqdm(
            [self.fitted.model, *drawn.models], desc='Tables', disable=not progress
        ) as bar:
            tables = tables_of(self, bar, num_rows, independent_rows=False)
            counted = None if sampling else counted_tables(self, drawn)
            return estimate_of_rows(function, next(tables), tables, level, counted)

    def sample_replicates(self, m: int, num_rows: int, seed: int | None = None) -> list[Frames]:
        """Return tables of independent rows, each from a replicate of its own.

        For your own analyses: run the same one on each, and ``combine`` the results. Tables
        differ by the noise of the fit and by the sampling error of the private rows.

        Args:
            m: How many tables, at least 2.
            num_rows: Rows of each.
            seed: Makes them reproducible.
        """
        m, num_rows, seed = map(plain_number, (m, num_rows, seed))
        check_whole_number('m', m, 2)
        check_whole_number('num_rows', num_rows, 1)
        check_seed(seed)
        drawn = replicate(self.fitted, m, seed)
        tables = tables_of(self, drawn.models, num_rows, True, seed)
        return [{self._table_name: table} for table in tables]

    def _kept_replicates(self, progress: bool = True) -> Replicates:
        kept = self._replicates
        if kept is None or kept.original is not self.fitted.model:
            kept = self.replicates(progress=progress)
        return kept

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != '_replicates'}

    # -- sharing a fit ------------------------------------------------------------------------

    def save_release(self, path: str | Path) -> None:
        """Save the fit as data without code, safe to share; see ``release``."""
        write_release(self._released(), path, type(self))

    def _released(self) -> Released:
        return Released(
            self.get_parameters(),
            self.fitted,
            self._account,
            self._creation_date,
            self.get_record(),
        )

    @classmethod
    def load_release(cls, path: str | Path) -> Self:
        """Return the synthesizer of a file that ``save_release`` wrote, here or elsewhere."""
        return open_release(path, cls)

    @classmethod
    def of_release(cls, contents: Contents, digest: str | None = None) -> Self:
        """Return the synthesizer that a release describes; for ``load_release``.

        Args:
            contents: The contents of the release.
            digest: The SHA-256 of its file.
        """
        with warnings.catch_warnings():
            # The person who fitted it was warned; the ledger's footer and get_info have it.
            warnings.simplefilter('ignore', PrivacyWarning)
            warnings.simplefilter('ignore', FairnessWarning)
            synthesizer = cls(contents.metadata, **contents.parameters(cls))
            synthesizer.add_constraints(contents.constraints)
            found = contents.fit_by(synthesizer._settings)
        synthesizer.__dict__.update(state.of_release(*found, digest, contents.record))
        return synthesizer

    def get_release_digest(self) -> str | None:
        """Return the SHA-256 of the release, in hexadecimal digits.

        It is that of the file the fit was loaded from, or of the one that ``save_release`` would
        write; None if the fit cannot be saved as a release.
        """
        if self._file_digest is not None:
            return self._file_digest
        try:
            return digest_of(self._released())
        except (ReleaseError, UnfairModelError):
            return None

    def get_record(self) -> dict[str, Any]:
        """Return what is promised for programs, as every release carries it in ``record.json``.

        Four parts: ``registry``, a record of OpenDP's deployments registry; ``croissant``, metadata
        of the rows; ``dp_event``, the fit in terms of ``dp_accounting``; and ``page``, what the
        report says. What only people know is not in it: ``create_release_report`` writes it with
        that.
        """
        # Imports Jinja2, which nothing else here needs.
        from sdv_prefair.report import record_of

        return record_of(self)

    @property
    def carried_record(self) -> dict[str, Any] | None:
        """The record in the file that the fit was loaded from, if it was."""
        return self._carried_record

    def verify_rows(self, data: pd.DataFrame | Frames) -> Verification:
        """Check that rows came from this fit: columns, values and distribution.

        Rows that sampling again reproduces came from it. Others are tested against the
        model's marginals: rows of the model fail with a probability of about 0.001. Rows that pass
        may still come from elsewhere, and rows sampled under conditions, or selected from a
        sample, fail.

        Args:
            data: The synthetic rows to check.

        Returns:
            The checks that were made; true.

        Raises:
            VerificationError: If a check fails; it says which.
        """
        name = self.fitted.settings.table_name
        rows = one_frame({name: data} if isinstance(data, pd.DataFrame) else data, name)
        return verify_table(self, rows).or_raise()

    def create_release_report(
        self,
        real_data: Frames | None = None,
        path: str | Path = 'report.html',
        *,
        show_real_numbers: bool = False,
        compare_with_mst: bool = False,
        synthetic_file: str | Path | None = None,
        purpose: str | None = None,
        recipient: str | None = None,
        contact: str | None = None,
        source: str | None = None,
        declared_by: str | None = None,
        about: Mapping[str, Any] | None = None,
        record: str | Path | None = None,
    ) -> None:
        """Write one HTML file for the person who must sign the release.

        The first page is the one to sign; annexes say what is promised and what is not, and show
        the graph, the ledger, and how noisy the measurements are. It needs no network, and
        is covered by the privacy guarantee unless numbers computed on the real table are requested;
        these are marked as not private.

        Args:
            real_data: The private table; not read unless ``show_real_numbers`` is set.
            path: Where to write. An existing file is replaced.
            show_real_numbers: Whether to measure quality and fairness against ``real_data``. Such
                a report is for those who may see the private table.
            compare_with_mst: Whether to fit plain MST to ``real_data`` as well, and to compare.
            synthetic_file: The file of synthetic rows that goes with the release: its SHA-256 and
                its number of rows are written on the page.
            purpose: What the release is for. This and what follows are for people to read.
            recipient: Who gets it.
            contact: Whom to ask about it.
            source: Where the private table comes from.
            declared_by: Who declared the ranges that were taken as public.
            about: All that only people know, by the keys that the command line's documentation
                lists, such as ``{'legal_basis': ..., 'admissible': {'education': why}}``.
            record: Where to write the same for programs, as JSON: a record of OpenDP's
                deployments registry, Croissant, the ``DpEvent`` of the fit, and the page.
        """
        # Imports the metrics and scikit-learn, which nothing else here needs.
        from sdv_prefair.report import Facts, write_report
        from sdv_prefair.report._measured import check_request, measure
        from sdv_prefair.report._particulars import Particulars, described_files

        Facts(self)  # or raises, before anything is written
        check_place(Path(path))
        check_request(real_data, show_real_numbers, compare_with_mst)
        named = {
            'purpose': purpose,
            'recipient': recipient,
            'contact': contact,
            'source': source,
            'declared_by': declared_by,
        }
        told = Particulars(named).with_more(about)
        if record is not None:
            check_place(Path(record))
        files = described_files(self.get_release_digest(), synthetic_file)
        measured = None
        if show_real_numbers and real_data is not None:
            measured = measure(self, real_data, compare_with_mst)
        write_report(Facts(self, told, files, measured), path, record)

    # -- for the owner of private rows --------------------------------------------------------

    def compare_plot(
        self,
        real: Frames | pd.DataFrame,
        synthetic: Frames | pd.DataFrame,
        columns: str | Sequence[str] | None = None,
    ) -> go.Figure | dict[str, go.Figure]:
        """Return SDV's plots of real and synthetic rows.

        Privacy: **not private**, for the owner of the rows only; the titles say so.

        Args:
            real: The private table.
            synthetic: A synthetic table.
            columns: A column, for a figure of it; two columns, for a figure of the pair; None for
                a dictionary with a figure of every modelled column.
        """
        name = self._settings.table_name
        first, second = (
            one_frame({name: given} if isinstance(given, pd.DataFrame) else given, name)
            for given in (real, synthetic)
        )
        modelled = list(self._settings.plan.original_domains)
        return compare_tables(first, second, self._settings.columns, modelled, columns)
