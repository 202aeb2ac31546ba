"""Whether a release says all that there is to say of a synthesizer, asked before it is kept.

A release describes what this package makes. What a user has put in its place may not be in it, as
a generator of other personal values; then the synthesizer read back would be another one.
"""

from typing import TYPE_CHECKING, Any

from sdv_prefair.errors import ReleaseError

if TYPE_CHECKING:
    from sdv_prefair.synthesizer import PreFairSynthesizer


def check_same(saved: 'PreFairSynthesizer', read: 'PreFairSynthesizer') -> None:
    """Raise ``ReleaseError`` unless both would make the same rows."""
    before, after = _by_column(saved), _by_column(read)
    for column, facts in before.items():
        if facts != after.get(column):
            raise ReleaseError(
                f"Column '{column}' has a transformer, a dtype or a format that a release cannot "
                'hold. Use save, or leave the column to its default transformer and fit again.'
            )
    if before.keys() != after.keys() or _whole(saved) != _whole(read):
        raise ReleaseError(
            'The synthesizer has been changed in a way that no release can hold. Make and fit a '
            'new one, or use save.'
        )


def _by_column(synthesizer: 'PreFairSynthesizer') -> dict[Any, list]:
    processor = synthesizer._data_processor
    facts = {column: [dtype] for column, dtype in processor._dtypes.items()}
    for column, transformer in processor._hyper_transformer.field_transformers.items():
        seed = getattr(transformer, 'random_seed', None)
        facts.setdefault(column, []).extend([repr(transformer), seed])
    for column, formatter in processor.formatters.items():
        facts[column].append(vars(formatter))
    return facts


def _whole(synthesizer: 'PreFairSynthesizer') -> list:
    model = synthesizer._model
    return [
        synthesizer.get_metadata().to_dict(),
        synthesizer.get_metadata('modified').to_dict(),
        synthesizer.get_roles(),
        synthesizer.get_roles('modified'),
        list(map(repr, synthesizer.get_constraints())),
        list(synthesizer._original_columns),
        model.domain,
        model.cliques,
        [(node.columns, node.separator, node.parent) for node in model.nodes],
        [measurement.columns for measurement in model.measurements],
    ]
