"""PreFair as a custom synthesizer of SDGym, next to plain MST as the private baseline.

SDGym makes a synthesizer out of a name and two functions, which `custom_synthesizer` provides::

    from sdgym import benchmark_single_table, create_single_table_synthesizer
    from sdv_prefair.sdgym import custom_synthesizer

    roles = {'adult': {'protected': ['sex'], 'admissible': ['education'], 'outcome': ['label']}}
    mst = create_single_table_synthesizer(**custom_synthesizer('MST'))
    fair = create_single_table_synthesizer(**custom_synthesizer('PreFair', roles))
    benchmark_single_table(custom_synthesizers=[mst, fair], sdv_datasets=['adult'])

SDGym itself is not needed here, and is not a dependency.
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
from sdv.metadata import Metadata

from sdv_prefair._sdv_versions import by_name
from sdv_prefair.synthesizer import PreFairSynthesizer

RolesByTable = Mapping[str, Mapping[str, Sequence[str]]]
_TABLE = 'table'


def custom_synthesizer(
    display_name: str, roles: RolesByTable | None = None, **arguments: Any
) -> dict[str, str | Callable]:
    """Return the arguments of SDGym's ``create_single_table_synthesizer``.

    Args:
        display_name: What SDGym's results call the synthesizer.
        roles: For each data set that has them, by table name, its ``protected``, ``admissible``
            and ``outcome`` columns. A data set without roles is synthesized by plain MST
            (``structure='none'``), which is private but promises no fairness.
        **arguments: Other arguments of ``PreFairSynthesizer``, such as ``epsilon``.
    """
    return {
        'display_name': display_name,
        'get_trained_synthesizer_fn': partial(
            get_trained_synthesizer, roles=dict(roles or {}), arguments=arguments
        ),
        'sample_from_synthesizer_fn': sample_from_synthesizer,
    }


def get_trained_synthesizer(
    data: pd.DataFrame,
    metadata: Mapping[str, Any] | Metadata,
    roles: RolesByTable,
    arguments: Mapping[str, Any],
) -> PreFairSynthesizer:
    """Fit a synthesizer to the real data of one data set.

    Args:
        data: The real data.
        metadata: Its metadata; SDGym passes a dictionary, of one table or of one such table.
        roles: As in `custom_synthesizer`.
        arguments: As in `custom_synthesizer`.
    """
    if not isinstance(metadata, Metadata):
        metadata = Metadata.load_from_dict(copy.deepcopy(dict(metadata)), _TABLE)
    (table_name,) = metadata.tables
    chosen = dict(roles.get(table_name, {'structure': 'none'}))
    synthesizer = PreFairSynthesizer(metadata, **(dict(arguments) | chosen))
    synthesizer.fit({table_name: data})
    return synthesizer


def sample_from_synthesizer(synthesizer: PreFairSynthesizer, n_rows: int) -> pd.DataFrame:
    """Sample ``n_rows`` synthetic rows."""
    name = synthesizer.fitted.settings.table_name
    table: pd.DataFrame = by_name(synthesizer.sample(n_rows), name)[name]
    return table
