"""Whether a release describes a synthesizer completely, checked before it is saved.

A release describes this package's own objects. Something that the user has replaced, such as a
generator of personal values, may be missing; then the loaded synthesizer would be a different one.
"""

from typing import Any

from sdv_prefair.errors import ReleaseError
from sdv_prefair.fitting._fitted import Fitted


def check_same(saved: Fitted, read: Fitted) -> None:
    """Raise ``ReleaseError`` unless both would sample the same rows."""
    before, after = _by_column(saved), _by_column(read)
    for column, facts in before.items():
        if facts != after.get(column):
            raise ReleaseError(
                f"Column '{column}' has a transformer, a dtype or a format that a release cannot "
                'store. Use save, or leave the column to its default transformer and fit again.'
            )
    if before.keys() != after.keys() or _whole(saved) != _whole(read):
        raise ReleaseError(
            'The synthesizer has been changed in a way that a release cannot store. Construct and '
            'fit a new one, or use save.'
        )


def _by_column(fitted: Fitted) -> dict[Any, list[Any]]:
    processor = fitted.prepared.processor
    facts: dict[Any, list[Any]] = {c: [dtype] for c, dtype in processor._dtypes.items()}
    for column, transformer in processor._hyper_transformer.field_transformers.items():
        seed = getattr(transformer, 'random_seed', None)
        facts.setdefault(column, []).extend([repr(transformer), seed])
    for column, formatter in processor.formatters.items():
        facts[column].append(vars(formatter))
    return facts


def _whole(fitted: Fitted) -> list[Any]:
    model, plan, settings = fitted.model, fitted.plan, fitted.settings
    rules = [*(link.rule for link in plan.chain), *plan.rejections]
    return [
        plan.original_metadata.to_dict(),
        plan.metadata.to_dict(),
        settings.promise.roles,
        settings.roles,
        [repr(rule.constraint) for rule in rules],
        list(fitted.names),
        model.domain,
        model.cliques,
        [(node.columns, node.separator, node.parent) for node in model.nodes],
        [measurement.columns for measurement in model.measurements],
    ]
