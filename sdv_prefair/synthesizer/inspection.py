"""What a fitted synthesizer shows of itself: ledger, roles, graph, proof, picture."""

from itertools import combinations
from pathlib import Path
from typing import Self

import networkx as nx
import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdv_prefair.atomic_write import check_place
from sdv_prefair.encoding.frame_schema import single_table
from sdv_prefair.errors import NotFittedError, UnfairModelError
from sdv_prefair.fitting.verification import assert_separated, assert_told
from sdv_prefair.plots import plot_fair_graph
from sdv_prefair.plots.style import plain_text
from sdv_prefair.release import open_release, save_release
from sdv_prefair.roles import Roles
from sdv_prefair.structure.fairness import markov_graph
from sdv_prefair.synthesizer import arguments


class Inspection:
    """The part of a synthesizer that answers questions about its fit.

    Everything here is a function of public arguments, the ledger and noisy measurements, so it
    may be shown to anybody.
    """

    def get_info(self) -> dict:
        """Return SDV's information and what privacy was promised."""
        promise = self._ledger if self._fitted else self
        seeded = self._ledger.seeded if self._fitted else self.seed is not None
        return super().get_info() | {
            'epsilon': promise.epsilon,
            'delta': promise.delta,
            'is_private': not seeded,
            'accounting': self._ledger.accounting if self._fitted else None,
            'ranges': self._ranges_in_words(),
        }

    def get_roles(self, version: str = 'original') -> Roles:
        """Return the roles: as given (``'original'``) or after constraints (``'modified'``)."""
        arguments.check_choice('version', version, ('original', 'modified'))
        return self._roles if version == 'original' else self._modelled_roles

    def get_privacy_ledger(self) -> pd.DataFrame:
        """Return every access to the private rows and its cost; ``rho`` sums to the budget.

        It is the ledger of the fit that the model came from. The frame's ``attrs`` hold the
        footer: the promise, what other units would cost, how ranges were treated, and what all
        attempts to fit this synthesizer add up to, see ``get_privacy_account``.
        """
        self._require_fit()
        frame = self._ledger.to_frame()
        frame.attrs['ranges'] = self._ranges_in_words()
        frame.attrs.update(self._account.total_beside(self._ledger))
        return frame

    def get_privacy_account(self) -> pd.DataFrame:
        """Return every attempt to fit this synthesizer and what it spent, finished or not.

        A row has ``attempt`` (its number), ``call`` (the method), ``outcome`` (``'finished'``,
        ``'failed'`` or ``'unfinished'``), ``private``, ``lines``, ``rho`` and ``delta`` (what
        thresholds used up). Calls that were refused before a row was read are no attempts. The
        frame's ``attrs`` hold what all attempts add up to for people who are in every table.
        """
        frame = self._account.to_frame()
        frame.attrs.update(
            self._account.total_beside(self._ledger)
            if self._fitted
            else self._account.total(self.delta)
        )
        return frame

    def _ranges_in_words(self) -> str:
        if self.public_ranges is False:
            return 'not used: domains are learnt within the budget'
        if not arguments.declares_ranges(self._plan.original_domains):
            return 'none were declared'
        return 'said to be public' if self.public_ranges else 'assumed public'

    def get_fair_graph(self) -> nx.Graph:
        """Return the Markov graph of the model; nodes carry their ``role``.

        Edges carry ``sigma`` and ``cells`` of their measurement, which may be of more columns than
        two. Those with ``beyond_tree`` were chosen when a tree joined all columns already.
        """
        self._require_fit()
        graph = nx.Graph(private=not self._ledger.seeded)
        roles = self._modelled_roles
        graph.add_nodes_from((column, {'role': roles.of(column)}) for column in self._domains)
        graph.add_edges_from(markov_graph(self._model.cliques).edges)
        joined = nx.utils.UnionFind(graph)
        for measurement in self._model.measurements:
            sigma, cells = float(np.max(measurement.stddev)), measurement.values.size
            for edge in combinations(measurement.columns, 2):
                if 'sigma' in graph.edges[edge]:  # a smaller clique, measured before, says more
                    continue
                graph.add_edge(*edge, sigma=sigma, cells=cells)
                if len({joined[column] for column in edge}) == 1:
                    graph.edges[edge]['beyond_tree'] = True
                joined.union(*edge)
        return graph

    def verify_fairness(self) -> bool:
        """Check the fitted model again; return True, or raise and name the offending path.

        Asked are the cliques of the model, the tables that rows are drawn from, and whether the
        values that are shown tell the codes that the model is about.
        """
        self._require_fit()
        if not self._roles:
            raise UnfairModelError(
                'This synthesizer has no roles: there is nothing to verify. Name protected, '
                'admissible and outcome columns when you make one.'
            )
        assert_separated(self._model, self._plan, self._roles)
        assert_told(self._encoding)
        return True

    def encode_rows(self, data: pd.DataFrame | dict[str, pd.DataFrame]) -> pd.DataFrame:
        """Return the codes by which the model knows rows, real or synthetic.

        Independence is promised given these codes. Columns that a constraint touches are left
        out: of them it is promised given their exact values.

        Privacy: codes of real rows are as private as the rows. Nothing is learnt or kept.

        Args:
            data: Rows of the table, with some or all of its columns.
        """
        self._require_fit()
        data = {self._table_name: data} if isinstance(data, pd.DataFrame) else data
        table = single_table(data, self._table_name)
        touched = {column for columns in self._plan.tied for column in columns}
        return pd.DataFrame(
            {
                column: codes.encode(table[column])
                for column, codes in self._encoding.transformers.items()
                if column in table and column not in touched
            },
            index=table.index,
        )

    def visualize(self) -> go.Figure:
        """Return the model's graph, coloured by role."""
        graph = self.get_fair_graph()
        promise = f'epsilon = {self._ledger.epsilon:g}, delta = {self._ledger.delta:g}'
        if self._ledger.seeded:
            promise = 'not private: a seed was given'
        graph = nx.relabel_nodes(graph, {column: plain_text(column) for column in graph})
        return plot_fair_graph(graph, title=f'{plain_text(self._table_name)} ({promise})')

    def save_release(self, path: str | Path) -> None:
        """Save the fit as data without code, safe to hand to others; see ``release``."""
        save_release(self, path)

    @classmethod
    def load_release(cls, path: str | Path) -> Self:
        """Return the synthesizer of a file that ``save_release`` wrote, here or elsewhere."""
        return open_release(path, cls)

    def create_release_report(
        self,
        real_data: dict[str, pd.DataFrame] | None = None,
        path: str | Path = 'report.html',
        *,
        show_real_numbers: bool = False,
        compare_with_mst: bool = False,
    ) -> None:
        """Write one HTML file for the person who must sign the release.

        What is promised and what is not, the graph, the ledger, how much of what was measured is
        noise. It needs no network, and is covered by the privacy promise unless numbers computed
        on the real table are asked for; these are marked as not private.

        Args:
            real_data: The private table; not looked at unless ``show_real_numbers`` is set.
            path: Where to write. A file that is there is replaced.
            show_real_numbers: Whether to measure quality and fairness against ``real_data``. Such
                a report is for those who may see the private table.
            compare_with_mst: Whether to fit plain MST to ``real_data`` as well, and to show its
                numbers beside.
        """
        # Brings in the metrics and scikit-learn, which nothing else here needs.
        from sdv_prefair.report import check_request, gather, measure, write_report

        self._require_fit()
        check_place(Path(path))
        check_request(real_data, show_real_numbers, compare_with_mst)
        measured = measure(self, real_data, compare_with_mst) if show_real_numbers else None
        write_report(gather(self), path, measured)

    def _require_fit(self) -> None:
        if not self._fitted:
            raise NotFittedError('This synthesizer has not been fitted. Call fit first.')
