"""A report on fairness and quality in the form of SDMetrics' own, and ``evaluate_fairness``."""

import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from sdmetrics.reports.base_unified_report import BaseUnifiedReport
from sdv.metadata import Metadata

from sdv_prefair.errors import RolesError
from sdv_prefair.fair_metadata import FairMetadata
from sdv_prefair.fairness._statements import Independent, Statements
from sdv_prefair.metrics._downstream import check_model
from sdv_prefair.metrics._groups import RowEncoder, check_synthesizer
from sdv_prefair.metrics._properties import (
    ConditionalIndependence,
    GroupRates,
    Quality,
    RatesGiven,
    Settings,
)
from sdv_prefair.metrics._rates import check_positive
from sdv_prefair.metrics._tables import Described, Frames, read_tables
from sdv_prefair.roles import Roles

Promised = Statements | Mapping[str, Sequence[str]] | Iterable[Independent]
"""What a report measures: roles or their ``dict``; statements, or a list of them."""


def evaluate_fairness(
    real_data: Frames,
    synthetic_data: Frames,
    metadata: Metadata,
    roles: Promised | None = None,
    verbose: bool = True,
    **options: Any,
) -> 'FairnessReport':
    """Measure the fairness and quality of a synthetic table, as ``evaluate_quality`` does quality.

    Privacy: computed on the real rows, outside any budget. For the owner only.

    Args:
        real_data: The real rows, ``{table name: DataFrame}`` or one frame.
        synthetic_data: The synthetic rows, in the same form.
        metadata: SDV's metadata of the table. ``FairMetadata`` brings the roles.
        roles: The protected, admissible and outcome columns, if the metadata has no roles; or
            ``Statements``, or a list of `Independent`.
        verbose: Whether to print progress and scores.
        **options: Further arguments of ``FairnessReport``: ``positive``, ``model``,
            ``synthesizer``, ...

    Returns:
        The report, generated: ``get_score()``, ``get_details(...)``, ``get_visualization(...)``.

    Raises:
        RolesError: If there are no roles.
    """
    if roles is None and isinstance(metadata, FairMetadata):
        roles = metadata.get_fairness()
    if not roles:
        raise RolesError(
            "evaluate_fairness needs roles. Pass FairMetadata with roles, or roles={'protected': "
            "[...], 'admissible': [...], 'outcome': [...]}."
        )
    report = FairnessReport(roles, **options)
    report.generate(real_data, synthetic_data, metadata, verbose)
    return report


class FairnessReport(BaseUnifiedReport):
    """Fairness and quality of any synthetic table, measured against the real one.

    | property | what is measured | score of a row |
    |---|---|---|
    | Conditional Independence | unsigned gap within strata, synthetic rows | 1 - gap |
    | Group Rates | DP, TPRB, TNRB, CDP, CTPRB, CTNRB | 1 - gap |
    | Rates Given | rates by group in synthetic rows; of statements only | 1 - gap |
    | Quality | 1-way and 2-way TVD, ACD; KS, frequent values; accuracy | 1 - distance; accuracy |

    All scores lie between 0 and 1, and 1 is best. Read the verdicts first: ``get_verdicts``. A
    property's score is the mean of its rows (of its metrics' means, for Quality), the report's that
    of its properties; each is NaN if a part of it is, as rows that are no evidence are. A mean of
    fairness and accuracy decides nothing, so it is not printed. As in SDMetrics, tables are
    subsampled to ``num_rows_subsample`` random rows, 50,000 by default; ``None`` uses all.

    Privacy: everything here is computed on the real rows, outside any budget. Neither the report
    nor its file may be released with the synthetic table.

    Args:
        roles: The protected, admissible and outcome columns, as ``Roles`` or as its ``dict``; or
            ``Statements``, or a list of `Independent`. Each statement is measured separately.
        table_name: The table they belong to, if there are several.
        positive: The value of each outcome column that counts as positive. By default the greater
            of two values; of more than two, the one with the largest difference.
        model: Classifier of Group Rates and of accuracy: ``'linear'``, ``'forest'``, ``'mlp'`` or
            any of scikit-learn's.
        permutations: Shuffles for the distribution under independence.
        bootstraps: Resamples for the intervals of Group Rates.
        seed: Seed of training, shuffles and resamples.
        synthesizer: The fitted synthesizer, or opened release, that the synthetic table is from.
            Rows are then compared by its codes, which is what its guarantee is about. Without it
            numbers and dates are put in bins of the metrics' own, and Conditional Independence of a
            fair table may then be below 1. The column ``Strata`` of the details says which.
    """

    def __init__(
        self,
        roles: Promised,
        table_name: str | None = None,
        positive: Mapping[str, Hashable] | None = None,
        model: object = 'linear',
        permutations: int = 200,
        bootstraps: int = 200,
        seed: int | None = None,
        synthesizer: RowEncoder | None = None,
    ) -> None:
        super().__init__()
        roles = _as_statements(roles)
        positive = dict(positive or {})
        if others := sorted(map(str, set(positive) - set(roles.outcome))):
            raise RolesError(f'positive ({others}) must be given for outcome columns only.')
        check_model(model)
        check_synthesizer(synthesizer)
        self._settings = Settings(
            roles, table_name, positive, model, permutations, bootstraps, seed, synthesizer
        )
        self._properties = {
            'Conditional Independence': ConditionalIndependence(self._settings),
            'Group Rates': GroupRates(self._settings),
            'Quality': Quality(self._settings),
        }
        if isinstance(roles, Roles):
            self.report_info['roles'] = roles.as_dict()
        else:
            self.report_info['fairness'] = roles.as_records()
            self._properties['Rates Given'] = RatesGiven(self._settings)

    def generate(
        self,
        real_data: Frames,
        synthetic_data: Frames,
        metadata: Described,
        verbose: bool = True,
    ) -> None:
        """Measure everything.

        Args:
            real_data: The real rows, ``{table name: DataFrame}`` or one frame.
            synthetic_data: The synthetic rows, in the same form.
            metadata: SDV's ``Metadata``, its ``dict``, or the ``dict`` of one table.
            verbose: Whether to print progress and scores.
        """
        metadata = _with_tables(metadata, self._settings.table_name)
        name = self._settings.table_name or next(iter(metadata['tables']))
        real_data, synthetic_data = (
            {name: data} if isinstance(data, pd.DataFrame) else data
            for data in (real_data, synthetic_data)
        )
        super().generate(real_data, synthetic_data, metadata, verbose=verbose)

    def _validate(
        self, real_data: Any, synthetic_data: Any, metadata: Described, constraints: Any = None
    ) -> None:
        super()._validate(real_data, synthetic_data, metadata, constraints)
        tables = read_tables(real_data, synthetic_data, metadata, self._settings.table_name)
        for role in ('protected', 'admissible', 'outcome'):
            tables.select(role, getattr(self._settings.roles, role), may_be_empty=True)
        for outcome, positive in self._settings.positive.items():
            check_positive(outcome, positive, tables.real[outcome].to_numpy(dtype=object))

    def get_verdicts(self) -> pd.DataFrame:
        """Return what the synthetic and the real rows show about each statement, in words."""
        details = self.get_details('Conditional Independence')
        named = [c for c in ('Outcome', 'Protected', 'Given') if c in details]
        return details[[*named, 'Verdict', 'Real Verdict']]

    def get_score(self) -> float:
        """Return the mean score of the properties; NaN if one of them is."""
        return float(self.get_properties()['Score'].mean(skipna=False))

    def _print_results(self, verbose: bool) -> None:
        if verbose:
            sys.stdout.write(f'{self.get_verdicts().to_string(index=False)}\n')

    def get_visualization(self, property_name: str, table_name: str | None = None) -> go.Figure:
        """Return a figure of a property.

        Args:
            property_name: Name of the property, as in ``get_properties``.
            table_name: There is one table, so its name may be left out.
        """
        self.get_details(property_name, table_name)  # raises for names that do not exist
        return self._properties[property_name].get_visualization(table_name)


def _as_statements(roles: Promised) -> Statements:
    """Return roles or statements; raise if there are none."""
    if isinstance(roles, Mapping):
        roles = Roles(**roles)
    if isinstance(roles, list | tuple) and all(isinstance(s, Independent) for s in roles):
        roles = Statements(roles)
    if not (isinstance(roles, Statements) and roles):
        raise RolesError(
            'roles must name protected, admissible and outcome columns: without them there is '
            'no fairness to report on.'
        )
    return roles


def _with_tables(metadata: Described, table_name: str | None) -> Mapping[str, Any]:
    if isinstance(metadata, Metadata):
        described: dict[str, Any] = metadata.to_dict()
        return described
    if isinstance(metadata, dict) and 'tables' not in metadata and 'columns' in metadata:
        return {'tables': {table_name or 'table': metadata}}
    return metadata
