"""``evaluate_fairness``, the counterpart of SDV's ``evaluate_quality``."""

from typing import Any

from sdv.metadata import Metadata

from sdv_prefair.errors import RolesError
from sdv_prefair.fair_metadata import FairMetadata
from sdv_prefair.metrics._promised import Promised
from sdv_prefair.metrics._report import FairnessReport
from sdv_prefair.metrics._table_pair import Frames


def evaluate_fairness(
    real_data: Frames,
    synthetic_data: Frames,
    metadata: Metadata,
    roles: Promised | None = None,
    verbose: bool = True,
    **options: Any,
) -> FairnessReport:
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
