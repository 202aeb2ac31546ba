"""Measuring the release against the real table: reads real rows outside any budget."""

import copy
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd
import plotly.graph_objects as go

from sdv_prefair._sdv_versions import by_name
from sdv_prefair.encoding._frame_schema import single_table
from sdv_prefair.errors import (
    DomainWarning,
    NoiseWarning,
    PrivacyWarning,
    SynthesizerInputError,
)
from sdv_prefair.metrics import describe_numbers
from sdv_prefair.metrics._described import column_figure
from sdv_prefair.metrics._properties import ConditionalIndependence, GroupRates, Quality, Settings
from sdv_prefair.metrics._tables import read_tables

if TYPE_CHECKING:
    from sdv_prefair.synthesizer import PreFairSynthesizer

RELEASE, PLAIN, REAL = 'this release', 'plain MST', 'the real table itself'

_MOST_ROWS = 50_000

Frames = dict[str, pd.DataFrame]


@dataclass(frozen=True)
class Measured:
    """Details of the three properties of a ``FairnessReport``, for each table that was measured.

    Privacy: none of these numbers is private.

    Attributes:
        num_rows: How many real rows were compared with as many synthetic ones. A large table is
            subsampled, as in SDMetrics' reports.
        quality: Distances of marginals and accuracy.
        rates: Differences between groups; no tables where there are no roles.
        independence: I(O; P | A); no tables where there are no roles.
        numbers: Numbers and dates of the release next to the real ones, as ``describe_numbers``
            returns them.
        pictures: A figure of each modelled column, real next to synthetic.
    """

    num_rows: int
    quality: dict[str, pd.DataFrame]
    rates: dict[str, pd.DataFrame]
    independence: dict[str, pd.DataFrame]
    numbers: pd.DataFrame
    pictures: dict[str, go.Figure]


def check_request(real_data: object, show_real_numbers: bool, compare_with_mst: bool) -> None:
    """Raise unless the arguments are consistent."""
    if isinstance(real_data, str) or hasattr(real_data, '__fspath__'):
        raise SynthesizerInputError(
            'real_data must be a dictionary of DataFrames, or None. To say where to write, use '
            'path=.'
        )
    if show_real_numbers and real_data is None:
        raise SynthesizerInputError(
            'show_real_numbers needs real_data, the table that the numbers are computed on.'
        )
    if compare_with_mst and not show_real_numbers:
        raise SynthesizerInputError(
            'compare_with_mst fits plain MST to the real table and shows numbers that are not '
            'private. Ask for them: show_real_numbers=True, and give real_data.'
        )


def measure(
    synthesizer: 'PreFairSynthesizer', real_data: Frames, compare_with_mst: bool
) -> Measured:
    """Sample as many rows as the real table has, and compare.

    Privacy: reads the real rows; nothing is debited, and the result is not private.

    Args:
        synthesizer: A fitted synthesizer. Its own random state is not changed.
        real_data: The real table.
        compare_with_mst: Whether to fit plain MST to the real table, to compare with.
    """
    synthesizer.validate(real_data)
    name = synthesizer.fitted.settings.table_name
    real = single_table(by_name(real_data, name), name)
    sampled = {RELEASE: copy.deepcopy(synthesizer).sample(len(real))}
    if compare_with_mst:
        sampled[PLAIN] = _plain_mst(synthesizer, real_data).sample(len(real))
    tables = {source: single_table(by_name(rows, name), name) for source, rows in sampled.items()}
    tables[REAL] = real
    metadata = synthesizer.get_metadata().to_dict()
    roles = synthesizer.get_roles()
    quality, rates, independence = {}, {}, {}
    for source, rows in tables.items():
        data = {name: real}, {name: rows}, metadata
        quality[source] = _details(Quality, synthesizer, data)
        if roles:
            rates[source] = _details(GroupRates, synthesizer, data)
            independence[source] = _details(ConditionalIndependence, synthesizer, data)
    numbers, pictures = _by_value(real, tables[RELEASE], metadata)
    num_rows = min(len(real), _MOST_ROWS)
    return Measured(num_rows, quality, rates, independence, numbers, pictures)


def _by_value(
    real: pd.DataFrame, synthetic: pd.DataFrame, metadata: Mapping
) -> tuple[pd.DataFrame, dict[str, go.Figure]]:
    """Return numbers and dates side by side, and a figure of every column."""
    pair = [rows.sample(min(len(rows), _MOST_ROWS), random_state=0) for rows in (real, synthetic)]
    tables = read_tables(*pair, metadata)
    pictures = {column: column_figure(tables, column) for column in tables.columns}
    return describe_numbers(*pair, metadata), pictures


def _details(
    kind: type, synthesizer: 'PreFairSynthesizer', data: tuple[Frames, Frames, Mapping]
) -> pd.DataFrame:
    # All sources are treated alike: the same seed for training and shuffles, and the strata of
    # the release for every table.
    made = kind(Settings(synthesizer.get_roles(), seed=0, synthesizer=synthesizer))
    made.num_rows_subsample = _MOST_ROWS
    made.get_score(*data)
    return made.details


def _plain_mst(synthesizer: 'PreFairSynthesizer', real_data: Frames) -> 'PreFairSynthesizer':
    """Return the same synthesizer without roles, fitted to the same table."""
    changes = {'structure': 'none', 'protected': (), 'admissible': (), 'outcome': ()}
    changes |= {'fairness': None, 'unlabelled': None}
    with warnings.catch_warnings():
        # Already raised for the first one.
        for given_before in (PrivacyWarning, DomainWarning, NoiseWarning):
            warnings.simplefilter('ignore', given_before)
        warnings.filterwarnings('ignore', 'Replacing the default transformer')
        plain = type(synthesizer)(
            synthesizer.get_metadata(), **synthesizer.get_parameters() | changes
        )
        if constraints := synthesizer.get_constraints():
            plain.add_constraints(constraints)
        if chosen := copy.deepcopy(dict(synthesizer.fitted.settings.chosen)):
            plain.auto_assign_transformers(real_data)
            plain.update_transformers(chosen)
        plain.fit(real_data)
    return plain
