"""What is in a release, and the way from a fitted synthesizer to it and back."""

import warnings
from typing import TYPE_CHECKING, Any

import pandas as pd
from sdv.metadata import Metadata

import sdv_prefair
from sdv_prefair.encoding import Encoding, prepare_processor
from sdv_prefair.errors import PrivacyWarning, ReleaseError
from sdv_prefair.release.archive import Archive
from sdv_prefair.release.arrays import ArrayReader, ArrayWriter
from sdv_prefair.release.columns_record import Column, read_columns, write_columns
from sdv_prefair.release.documents import MOST_BYTES, read_document, write_document
from sdv_prefair.release.fields import Fields
from sdv_prefair.release.ledger_record import read_ledger, write_ledger
from sdv_prefair.release.metadata_checks import check_metadata
from sdv_prefair.release.model_record import read_model, write_model
from sdv_prefair.release.parameters import read_parameters, write_parameters
from sdv_prefair.release.values import read_value, write_value

if TYPE_CHECKING:
    from sdv_prefair.synthesizer import PreFairSynthesizer

FORMAT, VERSION = 'sdv-prefair release', 1
_RELEASE, _METADATA = 'release.json', 'metadata.json'
_KEYS = ('format', 'version', 'written_by', 'fit', 'parameters', 'columns', 'given_names', 'ledger')
_FIT_KEYS = ('created', 'fitted', 'sdv_version', 'sdv_enterprise_version')
_DATE, _RELEASE_NUMBER = r'\d{4}-\d\d-\d\d', r'[0-9A-Za-z.+-]{1,40}'


def write_contents(synthesizer: 'PreFairSynthesizer') -> dict[str, bytes]:
    """Return the members of a release by name.

    Names are made of positions: what a column is called never becomes the name of a member.
    """
    _refuse_constraints(synthesizer)
    arrays = ArrayWriter()
    release = {
        'format': FORMAT,
        'version': VERSION,
        'written_by': sdv_prefair.__version__,
        'fit': {
            'created': synthesizer._creation_date,
            'fitted': synthesizer._fitted_date,
            'sdv_version': synthesizer._fitted_sdv_version,
            'sdv_enterprise_version': synthesizer._fitted_sdv_enterprise_version,
        },
        'parameters': write_parameters(synthesizer),
        'given_names': write_value(synthesizer._original_columns.tolist()),
        'columns': write_columns(
            synthesizer._data_processor._dtypes,
            synthesizer._encoding.transformers,
            synthesizer._chosen_transformers,
        ),
        'ledger': write_ledger(synthesizer._ledger, synthesizer._domain_ledger),
        'model': write_model(synthesizer._model, arrays),
    }
    metadata = _write_tree(synthesizer.get_metadata().to_dict())
    documents = {_RELEASE: write_document(release), _METADATA: write_document(metadata)}
    return documents | arrays.members


def _refuse_constraints(synthesizer: 'PreFairSynthesizer') -> None:
    if synthesizer._chained_constraints or synthesizer._reject_sampling_constraints:
        raise ReleaseError('A synthesizer with constraints cannot be released yet. Use save.')


def _write_tree(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _write_tree(item) for key, item in value.items()}
    return write_value(list(value) if isinstance(value, tuple) else value)


def _read_tree(written: Any) -> Any:
    if isinstance(written, dict) and not isinstance(written.get('$type'), str):
        return {key: _read_tree(item) for key, item in written.items()}
    if isinstance(written, list):
        return [_read_tree(item) for item in written]
    return read_value(written)


def read_contents(archive: Archive, synthesizer_class: type) -> 'PreFairSynthesizer':
    """Return the synthesizer that a release describes, once everything in it was checked."""
    written = read_document(archive.read(_RELEASE, MOST_BYTES), _RELEASE)
    _check_version(written)
    fields = Fields(written, _RELEASE, (*_KEYS, 'model'))
    arrays = ArrayReader(archive)
    model = read_model(fields.raw('model'), arrays)
    _check_members(archive, arrays)
    metadata = _read_tree(read_document(archive.read(_METADATA, MOST_BYTES), _METADATA))
    check_metadata(metadata)
    parameters = read_parameters(fields.raw('parameters'), synthesizer_class)
    columns = read_columns(fields.raw('columns'))
    with warnings.catch_warnings():
        # Whoever fitted it was told; it is in the ledger's footer and in get_info for all others.
        warnings.simplefilter('ignore', PrivacyWarning)
        synthesizer = synthesizer_class(Metadata.load_from_dict(metadata), **parameters)
    synthesizer._ledger, synthesizer._domain_ledger = read_ledger(
        fields.raw('ledger'), parameters, synthesizer._domains
    )
    synthesizer._model = model
    _prepare_columns(synthesizer, columns)
    _check_model(synthesizer)
    synthesizer._original_columns = _read_given_names(synthesizer, fields.raw('given_names'))
    _mark_fitted(synthesizer, Fields(fields.raw('fit'), 'fit', _FIT_KEYS))
    return synthesizer


def _check_version(written: Any) -> None:
    if not isinstance(written, dict) or written.get('format') != FORMAT:
        raise ReleaseError(f'The file is no release: {_RELEASE} does not say so.')
    if type(written.get('version')) is not int or written['version'] != VERSION:
        raise ReleaseError(
            f'The release has a version that is not known; this is version {VERSION}. Upgrade '
            'sdv-prefair to open it.'
        )


def _check_members(archive: Archive, arrays: ArrayReader) -> None:
    unknown = archive.names - arrays.names - {_RELEASE, _METADATA}
    if unknown:
        raise ReleaseError(f'The release holds {len(unknown)} members that do not belong to it.')


def _prepare_columns(synthesizer: 'PreFairSynthesizer', columns: dict[str, Column]) -> None:
    modelled = {name: c.transformer for name, c in columns.items() if c.transformer is not None}
    described = synthesizer._get_table_metadata().columns
    if set(columns) != set(described) or set(modelled) != set(synthesizer._domains):
        raise ReleaseError('The columns of the release are not those of its metadata.')
    declared = synthesizer._domains
    synthesizer._chosen_transformers = {c: modelled[c] for c in declared if columns[c].chosen}
    synthesizer._encoding = Encoding({column: modelled[column] for column in declared})
    prepare_processor(
        synthesizer._data_processor,
        pd.Series({name: column.dtype for name, column in columns.items()}, dtype=object),
        {name: columns[name].domain(domain) for name, domain in declared.items()},
        synthesizer._encoding.transformers,
    )
    synthesizer._data_processor.reset_sampling()


def _check_model(synthesizer: 'PreFairSynthesizer') -> None:
    model, strategy = synthesizer._model, synthesizer._strategy
    if list(model.domain.items()) != list(synthesizer._encoding.domain.items()):
        raise ReleaseError('The model of the release has other columns or codes than its columns.')
    edges = getattr(strategy, 'edges', None)
    if edges is not None:
        fitted = {frozenset(clique) for clique in model.cliques if len(clique) > 1}
        if set(map(frozenset, edges)) != fitted:
            raise ReleaseError('The model of the release is not the tree that was asked for.')
    if strategy.requires_roles:
        synthesizer._assert_separated(model.cliques)


def _read_given_names(synthesizer: 'PreFairSynthesizer', written: Any) -> pd.Index:
    """Return the names that the user's frame had, if they were not all texts."""
    names = read_value(written)
    columns = list(synthesizer.get_metadata().tables[synthesizer._table_name].columns)
    if not isinstance(names, list) or (names and list(map(str, names)) != columns):
        raise ReleaseError('The release gives its columns other names than its metadata.')
    return pd.Index(names)


def _mark_fitted(synthesizer: 'PreFairSynthesizer', fields: Fields) -> None:
    def version(key: str) -> str | None:
        return fields.text(key, _RELEASE_NUMBER) if fields.optional(key) else None

    synthesizer._creation_date = fields.text('created', _DATE)
    synthesizer._fitted_date = fields.text('fitted', _DATE)
    synthesizer._fitted_sdv_version = version('sdv_version')
    synthesizer._fitted_sdv_enterprise_version = version('sdv_enterprise_version')
    synthesizer._fitted = True
