"""The pipeline that all ways to fit share: rows, codes, counts, noisy measurements, model.

Data flows one way: each step receives what earlier steps returned, and after counting no step sees
a row. With the same seed, all ways to fit give the same model.
"""

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import tqdm

from sdv_prefair.columns import transformers_for
from sdv_prefair.columns._bins import BinCodes, BinShape
from sdv_prefair.columns._facts import Categories, ColumnDomain
from sdv_prefair.columns._processor import Encoding, prepare_processor
from sdv_prefair.columns._telling import untold_columns
from sdv_prefair.constraints._plan import ConstraintPlan
from sdv_prefair.constraints._rules import cliques_in_original_columns
from sdv_prefair.counting import Clique, Counts, Source
from sdv_prefair.counting._arrow import Reshape
from sdv_prefair.counting._kernel import check_not_empty
from sdv_prefair.errors import UnfairModelError
from sdv_prefair.fairness._predicate import Broken, broken_statements
from sdv_prefair.fairness._statements import Statements, outcomes_beside_unlabelled
from sdv_prefair.fitting import _cautions as cautions
from sdv_prefair.fitting._cautions import warn_of_doubts
from sdv_prefair.fitting._fitted import (
    LEARNING,
    LOOKING,
    MEASURING,
    Fitted,
    Prepared,
    Settings,
    look_for_copies,
    look_put_aside,
    pairs_to_look_at,
)
from sdv_prefair.learning import learn_domains
from sdv_prefair.learning._bins import declared_shapes, discretize, fine_grids
from sdv_prefair.model import GraphicalModel, Measurement, compress_rare_codes, estimate
from sdv_prefair.model._junction import is_junction_tree
from sdv_prefair.privacy import Debit, Ledger, PrivateTable
from sdv_prefair.privacy._private_table import HiddenCodes
from sdv_prefair.roles import Roles
from sdv_prefair.selection._measuring import Budget
from sdv_prefair.selection._mechanism import Release, too_large
from sdv_prefair.selection._strategy import Pair

# -- The progress bar of a fit, in SDV's manner ----------------------------------------------------

Chunk = TypeVar('Chunk')

_STEPS = 4
# No time and no rate: both depend on the number of rows, which is private.
_FORMAT = '{desc}{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt}'


class Progress:
    """One bar over the steps after counting.

    Privacy: what is shown depends on nothing but the names of the steps.

    Args:
        verbose: Whether the bar is shown.
    """

    def __init__(self, verbose: bool):
        self._verbose = verbose
        self._bar: tqdm.tqdm | None = None
        self._begun = 0

    def counting(self, chunks: Iterable[Chunk]) -> Iterable[Chunk]:
        """Show that rows are being counted, but no progress: that would be private and unpaid."""
        self._show('Counting')
        return chunks

    def step(self, name: str) -> None:
        """Show which step begins."""
        if self._begun and self._bar is not None:
            self._bar.update()
        self._begun += 1
        self._show(name)

    def close(self) -> None:
        """Close the bar."""
        if self._bar is not None:
            self._bar.update()
            self._bar.set_description('Fitted')
            self._bar.close()

    def _show(self, name: str) -> None:
        if self._bar is None:
            # Shown at every change, so that not even the number of lines depends on the time.
            every = {'mininterval': 0, 'miniters': 1}
            self._bar = tqdm.tqdm(
                desc=name, total=_STEPS, bar_format=_FORMAT, disable=not self._verbose, **every
            )
        else:
            self._bar.set_description(name)


# -- The model of a release: estimated from what a mechanism returned, and from nothing else -------

# How far off cells may be, in units of noise and sampling error: at 3 % of these, the squared error
# of a model is a thousandth larger than necessary.
NEAR_ENOUGH = 0.03


def fold_hidden(release: Release, domain: Mapping[str, int], hidden_codes: HiddenCodes) -> Release:
    """Return a release in which codes without a value to show are never sampled.

    A mechanism that merges no codes has measured hidden codes like any others. If these were
    sampled, they would be decoded as values of other codes, and given those values, columns that
    the model separates would depend on each other.

    Privacy: post-processing of released values.

    Args:
        release: What a mechanism returned.
        domain: Number of codes of every column, before any were merged.
        hidden_codes: As in ``PrivateTable``.
    """
    alone = {m.columns[0]: m for m in release.measurements if len(m.columns) == 1}
    folded = {
        column: compress_rare_codes(
            alone.get(column, Measurement((column,), np.ones(domain[column]), 1.0)),
            threshold=-np.inf,
            **hidden,
        )
        for column, hidden in hidden_codes.items()
        if column not in release.compressions
    }
    measurements = list(release.measurements)
    for place, measurement in enumerate(measurements):
        for axis, column in enumerate(measurement.columns):
            if column in folded:
                measurements[place] = folded[column].compress(measurements[place], axis)
    return replace(
        release, measurements=measurements, compressions={**release.compressions, **folded}
    )


def estimate_release(
    release: Release, domain: Mapping[str, int], estimator: str, budget: Budget
) -> GraphicalModel:
    """Estimate the model of a release. Post-processing of released values.

    Args:
        release: What the mechanism returned.
        domain: Number of codes of every column, before any were merged.
        estimator: As in ``model.estimate``.
        budget: Says whether tables that are mostly noise are shrunk.
    """
    merged = {column: c.num_groups for column, c in release.compressions.items()}
    return estimate(
        release.measurements,
        dict(domain) | merged,
        release.cliques,
        estimator=estimator,
        compressions=release.compressions,
        shrink=budget.shrink,
        stationarity=NEAR_ENOUGH,
    )


# -- Checks that a model is fair as promised, in its codes and in its values -----------------------


def tied_columns(model: GraphicalModel, plan: ConstraintPlan) -> list[Clique]:
    """Return the cliques of original columns: those of the model, and those of the constraints."""
    return cliques_in_original_columns(model.cliques, plan.sources, plan.tied)


def assert_separated(model: GraphicalModel, plan: ConstraintPlan, roles: Statements) -> None:
    """Raise, and name the path, unless every statement is kept.

    With roles: unless admissible columns separate protected columns from outcomes.

    Args:
        model: Its cliques are checked, and the tables that rows are sampled from.
        plan: The constraints, whose columns are dependent as well.
        roles: The roles of the original columns, or the statements about them.
    """
    if not is_junction_tree(model.nodes):
        raise UnfairModelError(
            'The tables that rows are sampled from do not form a junction tree, so the fairness '
            'of the model cannot be checked. Do not release it; fit again.'
        )
    tied = [*model.cliques, *(node.columns for node in model.nodes)]
    broken = broken_statements(cliques_in_original_columns(tied, plan.sources, plan.tied), roles)
    if broken:
        reason = _against_roles if isinstance(roles, Roles) else _against_statement
        raise UnfairModelError(
            f'{reason(broken[0])}. Do not release it; fit again with another structure, such as '
            "'adaptive'."
        )


def _against_roles(broken: Broken) -> str:
    return (
        f'The model is not justifiably fair: {" - ".join(broken.path)} connects a protected '
        'column and an outcome with no admissible column between them'
    )


def _against_statement(broken: Broken) -> str:
    return f'The model does not promise that {broken.statement}: {broken}'


def assert_apart(beside: Sequence[tuple[str, str]]) -> None:
    """Raise if outcomes are adjacent to columns that ``unlabelled='apart'`` separates from them."""
    if beside:
        outcome, other = beside[0]
        raise UnfairModelError(
            f"The model connects the outcome '{outcome}' to '{other}', which no statement names. "
            "Do not release it; fit again with another structure, or without unlabelled='apart'."
        )


def assert_told(encoding: Encoding) -> None:
    """Raise unless the values in a table determine the codes of the model."""
    untold = untold_columns(encoding.transformers)
    if untold:
        raise UnfairModelError(
            f"Rows are fair in terms of the model's codes, but values of {untold} do not "
            'determine their codes, so the values shown need not be fair. Do not release it; fit '
            'again.'
        )


# -- The pipeline that all ways to fit share: rows, codes, counts, noisy measurements, model -------


def fit_pipeline(source: Source, settings: Settings, ledger: Ledger, progress: Progress) -> Fitted:
    """Fit a table.

    Privacy: everything learnt, chosen and measured is debited to the ledger, which is spent
    completely; ``count_source`` is the last access to rows.

    Args:
        source: The private table.
        settings: Prepared for the table's dtypes, see ``Settings.for_table``.
        ledger: The budget, with nothing spent.
        progress: The progress bar.
    """
    prepared = prepare(source, settings, ledger)
    counts = count_source(source, prepared, progress)
    return fit_counted(counts, prepared, ledger, progress)


def prepare(source: Source, settings: Settings, ledger: Ledger) -> Prepared:
    """Learn what is not public, choose bins, and make the encoders.

    Privacy: queries only columns whose domains are not public and columns whose bins follow the
    data; each query is paid for in the ledger.
    """
    plan, looked_at = settings.plan, source
    if plan.chain or plan.domains_to_learn:
        looked_at = _reshaped(source, settings, plan.table_to_learn)
    learnt = learn_domains(settings.to_learn, looked_at, ledger, settings.entropy(LEARNING))
    domains = plan.settle(learnt)
    shapes = bin_shapes(looked_at, settings, domains, ledger)
    edges = plan.edges(settings.numeric_bins) | shapes
    dtypes = plan.dtypes_after(plan.transform, source.dtypes) if plan.chain else source.dtypes
    return make_encoders(settings, domains, edges, dtypes, ledger.debits)


def bin_shapes(
    source: Source, settings: Settings, domains: Mapping[str, ColumnDomain], ledger: Ledger
) -> dict[str, BinShape]:
    """Return bins of unequal width, for columns whose bins neither constraints nor the user fix.

    Privacy: with ``discretization='private'``, every query is paid for in the ledger; without it,
    nothing is read.
    """
    bins, coarse = settings.numeric_bins, coarse_columns(settings, domains, source.dtypes)
    if settings.discretization == 'uniform':
        named = {c: codes for c, codes in coarse.items() if c in settings.spikes}
        return declared_shapes(fine_grids(named, settings.spikes), bins)
    grids = fine_grids(coarse, settings.spikes)
    entropy = settings.entropy(LOOKING)
    return discretize(grids, source, bins, len(domains), ledger, entropy)


def coarse_columns(
    settings: Settings, domains: Mapping[str, ColumnDomain], dtypes: pd.Series
) -> dict[str, BinCodes]:
    """Return equal-width bins for the columns with too many values for a code each.

    Columns whose codes constraints or the user determine are left out.
    """
    free = {c: domains[c] for c in settings.to_look_at}
    even = transformers_for(free, settings.numeric_bins, dtypes, settings.enforce_rounding)
    return {c: t for c, t in even.items() if isinstance(t, BinCodes) and t.is_coarse}


def make_encoders(
    settings: Settings,
    domains: Mapping[str, ColumnDomain],
    edges: Mapping[str, Any],
    dtypes: pd.Series,
    learning: Sequence[Debit],
) -> Prepared:
    """Make encoders and SDV's processor from public facts and learnt domains.

    Args:
        settings: Prepared for the table's dtypes.
        domains: The domains of the modelled columns, all of them known.
        edges: Edges of bins of unequal width.
        dtypes: The dtypes of the table as it is modelled.
        learning: The ledger lines of learning.

    Raises:
        DomainError: If values that would be shown do not determine their codes.
    """
    made = transformers_for(
        domains, settings.numeric_bins, dtypes, settings.enforce_rounding, edges
    )
    # SDV's processor fits the objects it is given; the user's own must stay unchanged.
    processor, chosen = copy.deepcopy((settings.processor, dict(settings.chosen)))
    encoding = Encoding({c: chosen.get(c) or made[c] for c in settings.plan.domains})
    prepare_processor(
        processor,
        dtypes,
        settings.plan.domains | dict(domains),
        encoding.transformers | dict(settings.generators),
    )
    processor.decoders = encoding.transformers
    encoding.check_values()
    cautions.warn_of_readers(encoding.misread_columns)
    processor.reset_sampling()
    return Prepared(settings, encoding, processor, learning)


def declared_cliques(prepared: Prepared) -> list[Clique]:
    """Return the histograms that the mechanism may read; nothing else is ever counted."""
    settings, domain = prepared.settings, prepared.encoding.counted_domain
    declared = settings.mechanism.declare(domain, settings.roles)
    known = set(map(frozenset, declared))
    return declared + [pair for pair in looked_at(prepared) if frozenset(pair) not in known]


def looked_at(prepared: Prepared) -> list[Pair]:
    """Return the pairs that are scored to find copies of outcomes, for every mechanism."""
    settings, domain = prepared.settings, prepared.encoding.counted_domain
    return pairs_to_look_at(domain, settings.roles) if settings.looks_for_copies else []


def count_source(source: Source, prepared: Prepared, progress: Progress) -> Counts:
    """Count the declared histograms: the last access to rows.

    Privacy: the result is private until a ``PrivateTable`` answers from it.
    """
    plan = prepared.plan
    modelled = _reshaped(source, prepared.settings, plan.transform) if plan.chain else source
    encoders = prepared.encoding.transformers
    counts = modelled.count(encoders, declared_cliques(prepared), progress.counting)
    check_not_empty(counts)
    return counts


def fit_counted(counts: Counts, prepared: Prepared, ledger: Ledger, progress: Progress) -> Fitted:
    """Run the mechanism on counts, estimate the model, and assert that it is fair.

    Privacy: spends all that is left in the ledger, through a ``PrivateTable`` only.
    """
    settings, hidden = prepared.settings, prepared.encoding.hidden_codes
    mechanism, roles, budget = settings.mechanism, settings.roles, settings.budget
    cautions.warn_of_large_cliques(too_large(mechanism, counts.domain, roles))
    cautions.warn_of_far_pairs(mechanism, counts.domain, roles)
    groups = prepared.encoding.public_groups
    table = PrivateTable(counts, ledger, settings.entropy(MEASURING), hidden, groups)
    scored = set(map(frozenset, looked_at(prepared)))
    pairs = [clique for clique in counts.cliques if frozenset(clique) in scored]
    with look_put_aside(table, pairs) as rho:
        release = mechanism.run(table, roles, budget, progress.step)
    looks = look_for_copies(table, pairs, roles, release.measurements, rho)
    domains = settings.plan.domains
    cautions.warn_of_values([
        c for c in release.mostly_outside if isinstance(domains.get(c), Categories)
    ])
    progress.step('Estimating the model')
    folded = fold_hidden(release, counts.domain, hidden)
    shown = _without_hidden(folded, prepared.encoding.domain)
    model = estimate_release(shown, counts.domain, settings.estimator, budget)
    if mechanism.requires_roles:
        assert_separated(model, settings.plan, settings.promise.roles)
    _tell_of_unlabelled(model, settings)
    warn_of_doubts(model, prepared, release.mostly_outside)
    cautions.warn_of_copies([(look.column, look.outcome) for look in looks if look.nearly_copies])
    progress.close()
    return Fitted(prepared, ledger, model, looks=looks)


def _tell_of_unlabelled(model: GraphicalModel, settings: Settings) -> None:
    """Warn if an outcome is adjacent to a column without a role; raise if that was ruled out.

    Privacy: depends on released cliques alone.
    """
    beside = outcomes_beside_unlabelled(model.cliques, settings.roles)
    if settings.promise.apart:
        assert_apart(beside)
    cautions.warn_of_unlabelled(beside)


def _without_hidden(release: Release, domain: Mapping[str, int]) -> Release:
    """Return the release restricted to the codes that can be sampled, without hidden codes.

    Privacy: post-processing.
    """
    compressions = {c: found.shown(domain[c]) for c, found in release.compressions.items()}
    return replace(release, compressions=compressions)


def _reshaped(
    source: Source, settings: Settings, transform: Callable[[pd.DataFrame], pd.DataFrame]
) -> Source:
    """Return the table after constraints have transformed it, row by row."""
    plan = settings.plan
    read = {c: source.dtypes[c] for c in dict.fromkeys(sum(plan.tied, ()))}
    dtypes = plan.dtypes_after(transform, source.dtypes)
    made = frozenset(dtypes.index.difference(source.dtypes.index))
    return source.reshaped(Reshape(transform, read, made), dtypes)
