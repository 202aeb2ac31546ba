"""The fitted model as JSON and arrays, and its checks before rows are sampled from it.

==========================  ==========================================================
``groups/i.npy``            the group of every code of column i, if codes were merged
``weights/i.npy``           the probability of every such code inside its group
``codes/i.npy``             the noisy count of every such code, from which the weights were made
``tables/i.npy``            the distribution of node i of the junction tree
``measurements/i.npy``      the noisy counts of measurement i
``deviations/i.npy``        their standard deviations, if not all are the same
``code_deviations/i.npy``   the same of the counts of codes
==========================  ==========================================================
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sdv_prefair.errors import ReleaseError
from sdv_prefair.model import Compression, GraphicalModel, Measurement
from sdv_prefair.model._junction import continues_tree
from sdv_prefair.model._sampling import CliqueTable
from sdv_prefair.release._archive import ArrayReader, ArrayWriter
from sdv_prefair.release._fields import MOST_CODES, MOST_COLUMNS, Fields

# -- Checks of an untrusted model: probabilities, an order to sample in, no hidden clique ----------

# Estimators stop slightly before tables agree; the difference is far too small for sampling to
# show.
_TOLERANCE = 1e-4


def check_compression(group_of: np.ndarray, weights: np.ndarray, num_groups: int) -> None:
    """Raise unless weights are probabilities, and every group has at least one code."""
    if group_of.min() < 0 or group_of.max() != num_groups - 1:
        raise ReleaseError('A column of the release has codes in groups that do not exist.')
    sums = np.bincount(group_of, weights, minlength=num_groups)
    if weights.min() < 0 or np.abs(sums - 1).max() > _TOLERANCE:
        raise ReleaseError('A column of the release has weights that are not probabilities.')


def check_hidden(model: GraphicalModel, hidden_codes: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise if the code of values outside the domain can be sampled.

    It would be decoded as some declared value, and mix codes that the model separates, see
    ``compress_rare_codes``.
    """
    for column, hidden in hidden_codes.items():
        if hidden['other'] >= model.domain[column] or model.domain[column] == 1:
            continue  # there is no such code, or no other code
        if model.compressions[column].weights[hidden['other']] != 0:
            raise ReleaseError('The release samples values outside the domain of a column.')


def check_order(
    columns: Sequence[str],
    separator: Sequence[str],
    parent: int | None,
    before: Sequence[CliqueTable],
) -> None:
    """Raise unless a node shares only columns of its parent with nodes before it, and not all."""
    if not continues_tree(columns, separator, before):
        raise ReleaseError('The nodes of the release do not form a junction tree.')
    if parent is not None and not separator:
        raise ReleaseError('A node of the release shares nothing with its parent.')


def check_node(node: CliqueTable, parent: CliqueTable | None) -> None:
    """Raise unless the table is a distribution that agrees with its parent's."""
    if node.table.min() < 0 or abs(node.table.sum() - 1) > _TOLERANCE:
        raise ReleaseError('A table of the release does not contain probabilities.')
    if parent is not None:
        apart = node.sum_to(node.separator) - parent.sum_to(node.separator)
        if np.abs(apart).sum() > _TOLERANCE:
            raise ReleaseError('Two tables of the release disagree on a column they share.')


def check_cliques(
    cliques: Sequence[Sequence[str]], nodes: Sequence[CliqueTable], columns: Iterable[str]
) -> None:
    """Raise unless cliques and nodes are the same graph over all columns.

    Fairness is checked on the cliques and rows are sampled from the nodes. A node that no clique
    contains would hide a dependence from the check.
    """
    if {column for node in nodes for column in node.columns} != set(columns):
        raise ReleaseError('The nodes of the release do not cover all columns.')
    sets = [set(clique) for clique in cliques]
    for node in nodes:
        if not any(clique.issuperset(node.columns) for clique in sets):
            raise ReleaseError('The model of the release connects columns that its cliques do not.')
    held = [set(node.columns) for node in nodes]
    if not all(any(clique <= node for node in held) for clique in sets):
        raise ReleaseError('The cliques of the release are not those of its model.')


# -- The fitted model as JSON and arrays, and its checks before rows are sampled from it -----------


MOST_MEASUREMENTS = 10 * MOST_COLUMNS
# Releases written before counts of codes were kept have only the first three.
_COLUMN_KEYS, _CODES_KEYS = ('name', 'codes', 'groups'), ('stddev',)
_MODEL_KEYS = ('columns', 'cliques', 'nodes', 'measurements', 'total', 'gap', 'estimator')


def write_model(model: GraphicalModel, arrays: ArrayWriter) -> dict[str, Any]:
    """Return a model as JSON; its arrays go to ``arrays``."""
    return {
        'columns': [_write_column(model, i, c, arrays) for i, c in enumerate(model.domain)],
        'cliques': [list(clique) for clique in model.cliques],
        'nodes': [_write_node(i, node, arrays) for i, node in enumerate(model.nodes)],
        'measurements': [
            _write_measurement(i, m, arrays) for i, m in enumerate(model.measurements)
        ],
        'total': model.total,
        'gap': model.gap,
        'estimator': model.estimator,
    }


def _write_column(
    model: GraphicalModel, i: int, column: str, arrays: ArrayWriter
) -> dict[str, Any]:
    codes = model.domain[column]
    compression = model.compressions.get(column, Compression.identity(codes))
    if not compression.is_identity:
        arrays.wholes(f'groups/{i}.npy', compression.group_of)
        arrays.floats(f'weights/{i}.npy', compression.weights)
    written = {'name': column, 'codes': codes, 'groups': compression.num_groups}
    if compression.measured is None:
        return written
    stddev = _write_counts(('codes', 'code_deviations'), i, compression.measured, arrays)
    return written | {'stddev': stddev}


def _write_node(i: int, node: CliqueTable, arrays: ArrayWriter) -> dict[str, Any]:
    arrays.floats(f'tables/{i}.npy', node.table)
    return {'columns': list(node.columns), 'parent': node.parent}


def _write_measurement(i: int, measurement: Measurement, arrays: ArrayWriter) -> dict[str, Any]:
    stddev = _write_counts(('measurements', 'deviations'), i, measurement, arrays)
    return {'columns': list(measurement.columns), 'stddev': stddev}


def _write_counts(
    folders: tuple[str, str], i: int, measurement: Measurement, arrays: ArrayWriter
) -> float | None:
    """Write noisy counts; return their standard deviation if it is one for all."""
    values, deviations = folders
    arrays.floats(f'{values}/{i}.npy', measurement.values)
    if isinstance(measurement.stddev, float):
        return measurement.stddev
    arrays.floats(f'{deviations}/{i}.npy', measurement.stddev)
    return None


def read_model(written: Any, arrays: ArrayReader) -> GraphicalModel:
    """Return the model that ``write_model`` has written.

    Raises:
        ReleaseError: If it is not a distribution on a junction tree of its cliques.
    """
    fields = Fields(written, 'model', _MODEL_KEYS)
    compressions = _read_columns(fields.items('columns', MOST_COLUMNS), arrays)
    sizes = {column: c.num_groups for column, c in compressions.items()}
    nodes: list[CliqueTable] = []
    for i, node in enumerate(fields.items('nodes', len(sizes))):
        nodes.append(_read_node(i, node, nodes, sizes, arrays))
    cliques = _read_cliques(fields.items('cliques', MOST_COLUMNS), sizes)
    check_cliques(cliques, nodes, sizes)
    measurements = [
        _read_measurement(i, measurement, cliques, sizes, arrays)
        for i, measurement in enumerate(fields.items('measurements', MOST_MEASUREMENTS))
    ]
    with np.errstate(over='ignore', invalid='ignore'):
        model = GraphicalModel(
            sizes,
            cliques,
            nodes,
            fields.number('total', 1.0),
            measurements,
            compressions,
            fields.number('gap', 0.0) if fields.optional('gap') else None,
            fields.choice('estimator', ('direct', 'mbi')),
        )
    if not np.isfinite(model.loss):
        raise ReleaseError('The measurements of the release are too far from its model.')
    return model


def _read_columns(written: list[Any], arrays: ArrayReader) -> dict[str, Compression]:
    compressions, codes_left = {}, MOST_CODES
    for i, column in enumerate(written):
        counted = isinstance(column, dict) and 'stddev' in column
        keys = (*_COLUMN_KEYS, *_CODES_KEYS) if counted else _COLUMN_KEYS
        fields = Fields(column, 'a column of the model', keys)
        codes = fields.whole('codes', 1, codes_left)
        groups = fields.whole('groups', 1, codes)
        codes_left -= codes
        name = fields.text('name', most=MOST_CODES)
        compression = _read_groups(i, codes, groups, arrays)
        if counted:
            found = _read_counts(('codes', 'code_deviations'), i, fields, (name,), (codes,), arrays)
            compression = replace(compression, measured=found)
        compressions[name] = compression
    if len(compressions) < len(written) or not compressions:
        raise ReleaseError('The model of the release names a column twice, or none.')
    return compressions


def _read_groups(i: int, codes: int, groups: int, arrays: ArrayReader) -> Compression:
    if groups == codes:
        return Compression.identity(codes)
    group_of = arrays.wholes(f'groups/{i}.npy', (codes,))
    weights = arrays.floats(f'weights/{i}.npy', (codes,))
    check_compression(group_of, weights, groups)
    return Compression(group_of, weights)


def _read_node(
    i: int, written: Any, before: list[CliqueTable], sizes: Mapping[str, int], arrays: ArrayReader
) -> CliqueTable:
    fields = Fields(written, 'a node of the model', ('columns', 'parent'))
    columns = fields.names('columns', sizes)
    parent = fields.whole('parent', 0, i - 1) if fields.optional('parent') else None
    held = () if parent is None else before[parent].columns
    separator = tuple(column for column in columns if column in held)
    check_order(columns, separator, parent, before)
    table = arrays.floats(f'tables/{i}.npy', tuple(sizes[column] for column in columns))
    node = CliqueTable(columns, separator, parent, table)
    check_node(node, None if parent is None else before[parent])
    return node


def _read_cliques(written: list[Any], sizes: Mapping[str, int]) -> list[tuple[str, ...]]:
    listed = [{'clique': clique} for clique in written]
    return [Fields(item, 'model', ('clique',)).names('clique', sizes) for item in listed]


def _read_measurement(
    i: int,
    written: Any,
    cliques: list[tuple[str, ...]],
    sizes: Mapping[str, int],
    arrays: ArrayReader,
) -> Measurement:
    fields = Fields(written, 'a measurement of the model', ('columns', 'stddev'))
    columns = fields.names('columns', sizes)
    if not columns or not any(set(columns) <= set(clique) for clique in cliques):
        raise ReleaseError('A measurement of the release is not covered by any clique.')
    shape = tuple(sizes[column] for column in columns)
    return _read_counts(('measurements', 'deviations'), i, fields, columns, shape, arrays)


def _read_counts(
    folders: tuple[str, str],
    i: int,
    fields: Fields,
    columns: tuple[str, ...],
    shape: tuple[int, ...],
    arrays: ArrayReader,
) -> Measurement:
    values = arrays.floats(f'{folders[0]}/{i}.npy', shape)
    if fields.optional('stddev'):
        return Measurement(columns, values, fields.number('stddev', 0.0))
    return Measurement(columns, values, arrays.floats(f'{folders[1]}/{i}.npy', shape))
