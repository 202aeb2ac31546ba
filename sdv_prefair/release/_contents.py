"""The contents of a release, and the conversion from a fit and back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from sdv.metadata import Metadata

import sdv_prefair
from sdv_prefair.columns._bins import BinCodes
from sdv_prefair.errors import ReleaseError
from sdv_prefair.fitting._fitted import Fitted, Provenance, Settings
from sdv_prefair.fitting._pipeline import assert_separated
from sdv_prefair.learning import undeclared_columns
from sdv_prefair.model import GraphicalModel
from sdv_prefair.privacy import Account, Debit, Ledger
from sdv_prefair.privacy._accounting import LOOK_FOR_COPIES
from sdv_prefair.release._archive import (
    MOST_BYTES,
    Archive,
    ArrayReader,
    ArrayWriter,
    read_document,
    write_document,
)
from sdv_prefair.release._columns_record import (
    given_dtypes,
    read_constraints,
    read_metadata,
    rebuild_encoders,
    write_chosen,
    write_constraints,
    write_dtypes,
    write_learnt,
    write_metadata,
    write_shapes,
)
from sdv_prefair.release._fields import Fields, read_value, write_value
from sdv_prefair.release._ledger_record import (
    check_account,
    check_learning,
    check_looks,
    check_measured,
    check_measurements,
    check_scores,
    check_shapes,
    read_account,
    read_ledger,
    read_looks,
    write_account,
    write_ledger,
    write_looks,
)
from sdv_prefair.release._model_record import check_hidden, read_model, write_model
from sdv_prefair.release._strategy import (
    check_estimate,
    check_structure,
    num_scores,
    read_parameters,
    write_parameters,
)
from sdv_prefair.release._twin_record import RECORD, Record, read_record

# -- Whether a release describes a synthesizer completely, checked before it is saved --------------
#
# A release describes this package's own objects. Something that the user has replaced, such as a
# generator of personal values, may be missing; then the loaded synthesizer would be a different
# one.


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


# -- The contents of a release, and the conversion from a fit and back -----------------------------


FORMAT, VERSION = 'sdv-prefair release', 1
_RELEASE, _METADATA = 'release.json', 'metadata.json'
_KEYS = (
    *('format', 'version', 'written_by', 'fit', 'parameters', 'constraints', 'columns', 'learnt'),
    *('chosen', 'shapes', 'given_names', 'ledger', 'account', 'seeded', 'model'),
)
_LOOKS = 'looks'  # only for fits that searched for copies of outcomes
_FIT_KEYS = ('created', 'fitted', 'sdv_version', 'sdv_enterprise_version')
_DATE, _RELEASE_NUMBER = r'\d{4}-\d\d-\d\d', r'[0-9A-Za-z.+-]{1,40}'


@dataclass(frozen=True)
class Released:
    """What a release stores.

    Attributes:
        parameters: The arguments of the synthesizer, except the metadata.
        fitted: Its fit.
        account: All attempts to fit it.
        created: The day on which it was constructed.
        record: The same for programs, see ``twin_record``.
    """

    parameters: Mapping[str, Any]
    fitted: Fitted
    account: Account
    created: str
    record: Record


def write_contents(released: Released) -> dict[str, bytes]:
    """Return the members of a release by name.

    Names are built from positions: the name of a column never becomes the name of a member.
    """
    arrays, fitted = ArrayWriter(), released.fitted
    settings = fitted.settings
    release = {
        'format': FORMAT,
        'version': VERSION,
        'written_by': sdv_prefair.__version__,
        'fit': _write_fit(fitted.provenance, released.created),
        'parameters': write_parameters(released.parameters, fitted),
        'constraints': write_constraints(fitted.plan),
        'columns': write_dtypes(given_dtypes(fitted)),
        'learnt': write_learnt(settings.unchosen, fitted.encoding.transformers),
        'chosen': write_chosen(settings.chosen),
        'shapes': _write_shapes(fitted),
        'given_names': write_value(fitted.names.tolist()),
        'ledger': write_ledger(fitted.ledger, len(fitted.prepared.learning)),
        'account': write_account(released.account),
        'seeded': fitted.ledger.seeded,
        'model': write_model(fitted.model, arrays),
    }
    if fitted.looks:
        release[_LOOKS] = write_looks(fitted.looks)
    metadata = write_metadata(fitted.plan.original_metadata)
    documents = {_RELEASE: release, _METADATA: metadata, RECORD: released.record}
    return {name: write_document(of) for name, of in documents.items()} | arrays.members


@dataclass(frozen=True)
class Contents:
    """The contents of a release: enough to construct a synthesizer, and then to read its fit.

    Args:
        fields: The document; the rest of it is read once there are settings.
        metadata: The metadata.
        model: The model. Whether it agrees with the settings is checked with the fit.
        record: The same for programs. Whether it agrees is for ``verify`` to say.
    """

    fields: Fields
    metadata: Metadata
    model: GraphicalModel
    record: Record

    @classmethod
    def of_archive(cls, archive: Archive) -> 'Contents':
        """Return the contents of an archive that contains nothing else."""
        written = read_document(archive.read(_RELEASE, MOST_BYTES), _RELEASE)
        _check_version(written)
        looks = (_LOOKS,) if _LOOKS in written else ()
        fields = Fields(written, _RELEASE, (*_KEYS, *looks))
        arrays = ArrayReader(archive)
        model = read_model(fields.raw('model'), arrays)
        _check_members(archive, arrays)
        metadata = read_metadata(read_document(archive.read(_METADATA, MOST_BYTES), _METADATA))
        return cls(fields, metadata, model, read_record(archive, fields.raw('written_by')))

    def parameters(self, synthesizer_class: type) -> dict[str, Any]:
        """Return the arguments to construct a synthesizer of this class, except the metadata."""
        (table,) = self.metadata.tables.values()
        return read_parameters(
            self.fields.raw('parameters'), synthesizer_class, list(table.columns)
        )

    @property
    def constraints(self) -> list[Any]:
        """The constraints to add to it."""
        return read_constraints(self.fields.raw('constraints'))

    def fit_by(self, settings: Settings) -> tuple[Fitted, Account, str]:
        """Return fit, account and day of creation, after checking everything.

        Args:
            settings: The settings of a synthesizer with these parameters and constraints.
        """
        fields, made = self.fields, Fields(self.fields.raw('fit'), 'fit', _FIT_KEYS)
        ledger, learning = _read_ledger(settings, fields)
        prepared = rebuild_encoders(settings, fields, learning)
        names = _read_given_names(list(settings.columns), fields.raw('given_names'))
        looks = read_looks(fields.raw(_LOOKS)) if _LOOKS in fields else ()
        fitted = Fitted(prepared, ledger, self.model, names, _read_provenance(made), looks)
        account = read_account(fields.raw('account'))
        _check_model(fitted)
        _check_ledger(fitted, account)
        return fitted, account, made.text('created', _DATE)


def _write_shapes(fitted: Fitted) -> list[dict[str, Any]]:
    settings, transformers = fitted.settings, fitted.encoding.transformers
    made = {column: transformers[column] for column in settings.unchosen}
    return write_shapes(made, settings.plan.edges(settings.numeric_bins))


def _read_ledger(settings: Settings, fields: Fields) -> tuple[Ledger, Sequence[Debit]]:
    columns = settings.plan.domains | settings.plan.domains_to_learn
    seeded = fields.flag('seeded') or settings.seed is not None
    return read_ledger(fields.raw('ledger'), settings, columns, seeded)


def _check_version(written: Any) -> None:
    if not isinstance(written, dict) or written.get('format') != FORMAT:
        raise ReleaseError(f'The file is not a release: {_RELEASE} does not say so.')
    if type(written.get('version')) is not int or written['version'] != VERSION:
        raise ReleaseError(
            f'The release has a version that is not known: this sdv-prefair reads {VERSION}. '
            'Upgrade it if there is a newer one.'
        )


def _check_members(archive: Archive, arrays: ArrayReader) -> None:
    if archive.names - arrays.names - {_RELEASE, _METADATA, RECORD}:
        raise ReleaseError('The release holds members that do not belong to it.')


def _check_model(fitted: Fitted) -> None:
    model, encoding, settings = fitted.model, fitted.encoding, fitted.settings
    if list(model.domain.items()) != list(encoding.domain.items()):
        raise ReleaseError('The model of the release has other columns or codes than its metadata.')
    check_hidden(model, encoding.hidden_codes)
    check_structure(model, settings.mechanism, settings.roles)
    check_estimate(model, settings.estimator)
    if settings.mechanism.requires_roles:
        assert_separated(model, fitted.plan, settings.promise.roles)


def _check_ledger(fitted: Fitted, account: Account) -> None:
    ledger, model, settings = fitted.ledger, fitted.model, fitted.settings
    check_account(account, ledger)
    check_measured(model)
    check_measurements(model.measurements, ledger)
    # Weights were computed from the same noisy counts, or a part of them, so they cost nothing
    # more.
    check_measurements(
        [c.measured for c in model.compressions.values() if c.measured is not None], ledger
    )
    learning = fitted.prepared.learning
    check_learning(undeclared_columns(settings.to_learn), learning, ledger.debits[len(learning) :])
    # Values that the user names are public.
    shaped = {shape['name'] for shape in _write_shapes(fitted)} - set(settings.spikes)
    binned = [c for c, t in fitted.encoding.transformers.items() if isinstance(t, BinCodes)]
    check_shapes(shaped, binned, learning)
    if (
        scores := num_scores(settings.mechanism, fitted.encoding.counted_domain, settings.roles)
    ) is not None:
        selecting = [line for line in ledger.debits if line.step != LOOK_FOR_COPIES]
        check_scores(selecting, scores, ledger.max_rows_per_person)
    check_looks(fitted)


def _read_given_names(columns: list[str], written: Any) -> pd.Index:
    """Return the column names of the user's frame, if they were not all strings."""
    names = read_value(written)
    if not isinstance(names, list) or (names and list(map(str, names)) != columns):
        raise ReleaseError('The release gives its columns other names than its metadata.')
    return pd.Index(names)


def _write_fit(provenance: Provenance, created: str) -> dict[str, str | None]:
    return {
        'created': created,
        'fitted': provenance.date,
        'sdv_version': provenance.sdv_version,
        'sdv_enterprise_version': provenance.sdv_enterprise_version,
    }


def _read_provenance(fields: Fields) -> Provenance:
    def version(key: str) -> str | None:
        return fields.text(key, _RELEASE_NUMBER) if fields.optional(key) else None

    date = fields.text('fitted', _DATE)
    return Provenance(date, version('sdv_version'), version('sdv_enterprise_version'))
