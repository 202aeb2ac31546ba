"""All constraints of a synthesizer, and the transformation of a table and back.

Forward, each transformation replaces columns, in the order in which constraints were added.
Backward, they are restored in reverse order. Rows outside the public ranges, or that break a
constraint, are rejected, and so are rows whose values do not determine their modelled codes:
such a code could carry a dependence that no column accounts for (``ties`` relies on it).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sdv.metadata import Metadata

from sdv_prefair.columns import ColumnCodes, single_table
from sdv_prefair.columns._dtypes import with_columns
from sdv_prefair.columns._facts import Categories, ColumnDomain, Undeclared
from sdv_prefair.columns._processor import CodesProcessor, public_frame
from sdv_prefair.constraints._joint import JointColumn
from sdv_prefair.constraints._programmable import ProgrammedColumns
from sdv_prefair.constraints._rules import JointRule, Rule, Sources
from sdv_prefair.constraints._transformation import Transformation, exchange_columns
from sdv_prefair.model import GraphicalModel

Encode = Callable[[pd.DataFrame], pd.DataFrame]


@dataclass(frozen=True)
class Link:
    """One transformation of the chain.

    Args:
        transformation: Replaces the columns.
        rule: Tests whether rows satisfy the constraint.
        metadata: The metadata of the table before it.
    """

    transformation: Transformation
    rule: Rule
    metadata: Metadata


@dataclass(frozen=True)
class ConstraintPlan:
    """The constraints of one table. Adding one returns a new plan: a refusal changes nothing.

    Args:
        original_metadata: The metadata of the table without constraints.
        original_domains: The public domains of its modelled columns.
        metadata: The metadata of the table after the chain.
        domains: The public domains of the modelled columns after the chain.
        chain: The transformations, in order.
        rejections: Rules enforced by rejecting rows alone.
        rules: All rules, in the order in which constraints were added.
    """

    original_metadata: Metadata
    original_domains: dict[str, ColumnDomain]
    metadata: Metadata
    domains: dict[str, ColumnDomain]
    chain: tuple[Link, ...] = ()
    rejections: tuple[Rule, ...] = field(default=())
    rules: tuple[Rule, ...] = field(default=())

    @classmethod
    def without_constraints(
        cls, metadata: Metadata, domains: Mapping[str, ColumnDomain]
    ) -> 'ConstraintPlan':
        """Return the plan of a table that has no constraints."""
        return cls(metadata, dict(domains), metadata, dict(domains))

    # -- adding -----------------------------------------------------------------------------

    def with_transformation(self, transformation: Transformation, rule: Rule) -> 'ConstraintPlan':
        """Return a plan with one more transformation at the end of the chain."""
        consumed = transformation.columns
        made = transformation.derive({c: self.domains[c] for c in consumed}, {})
        columns = single_table(self.metadata).columns
        described = transformation.describe(made, columns)
        link = Link(transformation, rule, self.metadata)
        return replace(
            self,
            metadata=exchange_columns(self.metadata, consumed, described),
            domains={c: d for c, d in self.domains.items() if c not in consumed} | made,
            chain=(*self.chain, link),
            rules=(*self.rules, rule),
        )

    def with_rejection(self, rule: Rule) -> 'ConstraintPlan':
        """Return a plan with one more rule for which rows are rejected."""
        return replace(self, rejections=(*self.rejections, rule), rules=(*self.rules, rule))

    # -- what depends on what -----------------------------------------------------------------

    @property
    def sources(self) -> Sources:
        """The original columns that each modelled column was made from."""
        sources = self._all_sources()
        return {column: sources[column] for column in self.domains}

    @property
    def tied(self) -> list[tuple[str, ...]]:
        """The original columns of each constraint."""
        sources = self._all_sources()
        chained = [
            frozenset().union(*(sources[column] for column in link.transformation.columns))
            for link in self.chain
        ]
        return [tuple(sorted(columns)) for columns in chained] + [
            rule.columns for rule in self.rejections
        ]

    def _all_sources(self) -> dict[str, frozenset[str]]:
        sources = {column: frozenset([column]) for column in self.original_domains}
        for link in self.chain:
            sources |= {
                made: frozenset().union(*(sources[column] for column in read))
                for made, read in link.transformation.sources.items()
            }
        return sources

    @property
    def consumed(self) -> set[str]:
        """Original columns that are not modelled themselves."""
        made = {name for link in self.chain for name in link.transformation.sources}
        return {c for c in self.original_domains if c not in self.domains or c in made}

    # -- fitting ------------------------------------------------------------------------------

    def fit(self, dtypes: Mapping[str, Any] | pd.Series) -> 'ConstraintPlan':
        """Return the plan for a table with these dtypes.

        Privacy: constraints are fitted to a few rows made from the metadata and the dtypes.
        """
        public = public_frame(self.original_domains, dtypes, self.original_metadata)
        domains, frame = dict(self.original_domains), public
        for link in self.chain:
            transformation = link.transformation
            link.rule.fit(frame, link.metadata)
            made = transformation.derive(domains, dict(frame.dtypes))
            if isinstance(transformation, ProgrammedColumns):
                transformation.check_promise(frame)
            domains = {c: d for c, d in domains.items() if c not in transformation.columns} | made
            frame = transformation.transform(frame)
        for rule in self.rejections:
            rule.fit(public, self.original_metadata)
            if isinstance(rule, JointRule):
                rule.joint.derive(self.original_domains, dict(public.dtypes))
        return replace(self, domains=domains)

    def dtypes_after(
        self, transform: Callable[[pd.DataFrame], pd.DataFrame], dtypes: pd.Series
    ) -> pd.Series:
        """Return the dtypes of a table with these dtypes after it is transformed.

        Privacy: they are determined from a few rows made from public facts, because pandas may
        infer the dtype of a result from its values.

        Args:
            transform: One of this plan's.
            dtypes: The dtypes of the original columns.
        """
        if not self.chain and not self.domains_to_learn:
            return dtypes
        public = public_frame(self.original_domains, dtypes, self.original_metadata)
        after = transform(public).dtypes
        for column in after.index:
            if column in dtypes and column not in self.consumed:
                after[column] = dtypes[column]
        return after

    def edges(self, bins: int) -> dict[str, Any]:
        """Return edges of bins of unequal width, for made columns that need them."""
        edges: dict[str, Any] = {}
        for link in self.chain:
            edges |= link.transformation.edges(bins)
        return {column: cuts for column, cuts in edges.items() if column in self.domains}

    # -- combinations that are learnt -----------------------------------------------------------

    def _learnt_joints(self) -> list[JointColumn]:
        chained = [link.transformation for link in self.chain]
        joints = [t for t in chained if isinstance(t, JointColumn) and t.name in self.domains]
        rejecting = [rule.joint for rule in self.rejections if isinstance(rule, JointRule)]
        return [joint for joint in joints + rejecting if joint.must_learn]

    @property
    def learns_combinations(self) -> bool:
        """Whether combinations of values have to be learnt before rows can be tested."""
        return bool(self._learnt_joints())

    @property
    def domains_to_learn(self) -> dict[str, ColumnDomain]:
        """Combinations that have to be learnt although they are not modelled."""
        return {
            joint.name: Undeclared('categories', nullable=False)
            for joint in self._learnt_joints()
            if joint.name not in self.domains
        }

    def table_to_learn(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the modelled table, plus combinations that are learnt but not modelled."""
        joints = [joint for joint in self._learnt_joints() if joint.name not in self.domains]
        modelled = self.transform(frame)
        labels = {joint.name: joint.labels(frame) for joint in joints}
        return with_columns(modelled, labels) if labels else modelled

    def settle(self, learnt: Mapping[str, ColumnDomain]) -> dict[str, ColumnDomain]:
        """Allow the learnt combinations; return the domains of the modelled columns."""
        settled = dict(learnt)
        for joint in self._learnt_joints():
            if isinstance(found := settled.get(joint.name), Categories):
                settled[joint.name] = joint.settle(found)
        return {c: d for c, d in settled.items() if c not in self.domains_to_learn}

    # -- transforming a table -------------------------------------------------------------------

    def transform(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the table as it is modelled; without missing columns and those made from them.

        Privacy: the result for a row depends on that row alone.
        """
        for link in self.chain:
            frame = link.transformation.transform(frame)
        return frame

    def stages(self, frame: pd.DataFrame) -> list[pd.DataFrame]:
        """Return a table as it is before each transformation of the chain, and after the last."""
        frames = [frame]
        for link in self.chain:
            frames.append(link.transformation.transform(frames[-1]))
        return frames

    def reverse_transform(
        self, frame: pd.DataFrame, encode: Encode, asked: Sequence[pd.DataFrame] | None = None
    ) -> pd.DataFrame:
        """Return the rows of the original table that satisfy all constraints.

        Requested values replace the sampled ones, and others are computed from them; a row is
        rejected unless its values still determine the sampled codes. So a request never hides a
        code, and the density of a row remains the product that ``ties`` describes.

        Args:
            frame: Rows sampled from the model.
            encode: Encodes modelled columns as codes of the model.
            asked: The requested values of each row in the original columns, if any, and their
                image under ``stages``; lines as in ``frame``.
        """
        drawn = frame
        if asked is not None:
            given = {c: asked[-1][c].array for c in asked[-1].columns if c in frame}
            frame = with_columns(frame, given)
        frame = self.restore(frame, asked)
        frame = frame[self._can_be_read_back(frame, drawn.loc[frame.index], encode)]
        columns = single_table(self.original_metadata).columns
        return frame[[column for column in columns if column in frame]]

    def restore(
        self, frame: pd.DataFrame, asked: Sequence[pd.DataFrame] | None = None
    ) -> pd.DataFrame:
        """Return modelled rows in the original columns, those that satisfy all constraints."""
        for place in reversed(range(len(self.chain))):
            link = self.chain[place]
            known = None if asked is None else asked[place].loc[frame.index]
            frame = link.transformation.reverse_transform(frame, known)
            frame = frame[link.rule.holds(frame)]
        for rule in self.rejections:
            frame = frame[rule.holds(frame)]
        return frame

    def _can_be_read_back(
        self, frame: pd.DataFrame, drawn: pd.DataFrame, encode: Encode
    ) -> np.ndarray:
        sources = self._all_sources()
        made = [c for c in self.domains if c in self.consumed or sources[c] != frozenset([c])]
        if not made:
            return np.ones(len(frame), dtype=bool)
        again = encode(self.transform(frame)[made])
        same: np.ndarray = (again.to_numpy() == encode(drawn[made]).to_numpy()).all(axis=1)
        return same

    def consumed_dtypes(self, transformers: Mapping[str, ColumnCodes]) -> dict[str, Any]:
        """Return the dtypes that consumed columns have when they are restored, for any codes.

        Args:
            transformers: The encoders of the modelled columns.
        """
        row = pd.DataFrame({
            column: codes.decode([0], np.random.default_rng(0))
            for column, codes in transformers.items()
        })
        for link in reversed(self.chain):
            row = link.transformation.reverse_transform(row)
        return {column: row.dtypes[column] for column in self.consumed}

    def broken_rules(self, frame: pd.DataFrame) -> list[tuple[Rule, np.ndarray]]:
        """Return the rules that rows of the original table break, and which rows break them.

        Rules about missing columns are left out, and so are rules still to be learnt.
        """
        checked = [(rule, frame) for rule in self.rejections]
        for link in self.chain:
            checked.append((link.rule, frame))
            frame = link.transformation.transform(frame)
        verdicts = [
            (rule, rule.holds(table))
            for rule, table in checked
            if set(rule.columns) <= set(table.columns) and rule.is_known
        ]
        return [(rule, holds) for rule, holds in verdicts if not holds.all()]


# -- Conditional sampling: rows with requested values, with constraints or without -----------------
#
# A requested value determines the codes of some modelled columns: these are evidence, and rows
# are sampled from the model given them. If a constraint derives a modelled column from several
# columns and only some of them are requested, no single code follows. Then the model receives the
# likelihood of the value by code, the requested value replaces the one in the sampled row, other
# columns are computed from it, and the row is accepted only if its values determine the sampled
# codes.
#
# Accepted rows have the distribution of rows that happen to have the requested values: for
# ``Inequality`` and ``Range``, steps within a bin are assumed to be equally likely, and so is the
# one that leads to the requested value; combinations and one-hot columns are chosen among those
# that match. For a user-defined constraint nothing of the kind is known: there a row's density is
# that of its codes, times a factor of the columns of the constraint. Fairness depends on this
# (see ``ties``): no value ever replaces one that determines a different code.

# Rows sampled per try: ten for each requested one, as in SDV, within these limits.
_PER_LINE, _FEWEST, _MOST_LINES = 10, 2000, 1 << 16


class Drawing(NamedTuple):
    """What is needed to sample rows.

    Attributes:
        plan: The constraints.
        transformers: The encoders of modelled columns.
        model: The model of the codes.
        processor: Decodes codes into values.
    """

    plan: ConstraintPlan
    transformers: Mapping[str, ColumnCodes]
    model: GraphicalModel
    processor: CodesProcessor


class AskedRows:
    """Lines of requested values, for which rows are sampled.

    Args:
        lines: Values of modelled or consumed columns, as the columns hold them; one line per row.
        drawing: What sampling needs.

    Raises:
        ValueError: If no row can have the values of some line.
    """

    def __init__(self, lines: pd.DataFrame, drawing: Drawing):
        self._drawing = drawing
        self._stages = drawing.plan.stages(lines.reset_index(drop=True))
        known = self._stages[-1]
        self._evidence = {
            column: drawing.transformers[column].encode(known[column])
            for column in known.columns
            if column in drawing.transformers
        }
        self._num_lines = len(lines)
        self._kind_of, self._likelihoods = self._find_kinds()

    def draw(self, max_tries: int, batch_size: int | None) -> pd.DataFrame:
        """Return a row for each line, indexed by its position; lines without a row are left out.

        Rows are independent of each other.

        Args:
            max_tries: How often to sample for lines that have no row yet.
            batch_size: How many lines to process at once.
        """
        size = min(batch_size or _MOST_LINES, _MOST_LINES)
        batches = [
            self._draw_batch(np.arange(start, min(start + size, self._num_lines)), max_tries)
            for start in range(0, self._num_lines, size)
        ]
        batches = [batch for batch in batches if len(batch)]
        return pd.concat(batches).sort_index() if batches else pd.DataFrame()

    def _draw_batch(self, lines: np.ndarray, max_tries: int) -> pd.DataFrame:
        most = max(_PER_LINE * lines.size, _FEWEST)
        found, left, repeats = [], lines, 1
        for _ in range(max_tries):
            rows = self._try(np.tile(left, repeats))
            accepted = len(rows)
            rows = rows[~rows.index.duplicated()]
            found.append(rows)
            # Twice as many as were needed on average, up to a limit.
            wanted = 2 * -(-left.size * repeats // max(accepted, 1))
            left = np.setdiff1d(left, rows.index)
            if not left.size:
                break
            repeats = max(1, min(wanted, most // left.size))
        return pd.concat(found)

    def _try(self, lines: np.ndarray) -> pd.DataFrame:
        """Sample a row for each line; return the accepted ones, indexed by the line's position."""
        plan, transformers, _, processor = self._drawing
        rows = processor.decode(self._draw_codes(lines))
        asked = [stage.iloc[lines].reset_index(drop=True) for stage in self._stages]
        kept = plan.reverse_transform(rows, _encoder(transformers), asked)
        return kept.set_axis(lines[kept.index])

    def _draw_codes(self, lines: np.ndarray) -> pd.DataFrame:
        model = self._drawing.model
        codes = {column: np.empty(lines.size, dtype=np.int64) for column in model.domain}
        for kind, likelihood in enumerate(self._likelihoods):
            members = np.flatnonzero(self._kind_of[lines] == kind)
            evidence = {c: values[lines[members]] for c, values in self._evidence.items()}
            drawn = model.sample_given(evidence, likelihood, members.size)
            for column, values in drawn.items():
                codes[column][members] = values
        return pd.DataFrame(codes)

    def _find_kinds(self) -> tuple[np.ndarray, list[dict[str, np.ndarray]]]:
        """Group lines by the likelihoods that they imply for codes; return these by group."""
        links = zip(self._drawing.plan.chain, self._stages, strict=False)
        clues = [link.transformation.clues(asked) for link, asked in links]
        kind_of_clue: dict[Any, int] = {}
        kinds = np.zeros(self._num_lines, dtype=np.int64)
        if clues:
            lines = zip(*clues, strict=True)
            kinds[:] = [kind_of_clue.setdefault(clue, len(kind_of_clue)) for clue in lines]
        _, first = np.unique(kinds, return_index=True)
        return kinds, [dict(self._say(line)) for line in first]

    def _say(self, line: int) -> Iterator[tuple[str, np.ndarray]]:
        _, transformers, *_ = self._drawing
        for link, stage in zip(self._drawing.plan.chain, self._stages, strict=False):
            said = link.transformation.likelihoods(stage.iloc[[line]], transformers)
            for column, likelihood in said.items():
                if not likelihood.any():
                    asked = [c for c in link.transformation.columns if c in stage]
                    raise ValueError(
                        f'No row can have the values requested for {asked}, because of a '
                        f'{type(link.transformation.constraint).__name__}. Request values that it '
                        'allows.'
                    )
                yield column, likelihood


def _encoder(transformers: Mapping[str, ColumnCodes]) -> Encode:
    def encode(frame: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({c: transformers[c].encode(frame[c]) for c in frame.columns})

    return encode
