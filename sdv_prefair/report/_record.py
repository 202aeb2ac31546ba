"""The page for programs: a registry record, Croissant, the DpEvent of the fit, and plain JSON.

Privacy: a function of the same facts as the page.
"""

import math
import re
from typing import Any

from sdv_prefair.privacy._accounting import EXPONENTIAL
from sdv_prefair.report._answers import Answer
from sdv_prefair.report._columns import Column
from sdv_prefair.report._facts import Facts
from sdv_prefair.report._particulars import Particulars

_UNKNOWN = 'Not stated'
_SECTORS = ('Technology', 'Healthcare', 'Education', 'Government', 'Energy', 'Finance')
_KINDS = {'numerical': 'sc:Float', 'boolean': 'sc:Boolean', 'datetime': 'sc:Date'}
_CROISSANT = 'http://mlcommons.org/croissant/'
_CONTEXT = {
    '@language': 'en', '@vocab': 'https://schema.org/', 'arrayShape': 'cr:arrayShape',
    'citeAs': 'cr:citeAs', 'column': 'cr:column', 'conformsTo': 'dct:conformsTo',
    'containedIn': 'cr:containedIn', 'cr': _CROISSANT, 'rai': f'{_CROISSANT}RAI/',
    'data': {'@id': 'cr:data', '@type': '@json'},
    'dataType': {'@id': 'cr:dataType', '@type': '@vocab'}, 'dct': 'http://purl.org/dc/terms/',
    'description': {'@container': '@language'}, 'equivalentProperty': 'cr:equivalentProperty',
    'examples': {'@id': 'cr:examples', '@type': '@json'}, 'extract': 'cr:extract',
    'field': 'cr:field', 'fileProperty': 'cr:fileProperty', 'fileObject': 'cr:fileObject',
    'fileSet': 'cr:fileSet', 'format': 'cr:format', 'includes': 'cr:includes',
    'isArray': 'cr:isArray', 'isLiveDataset': 'cr:isLiveDataset', 'jsonPath': 'cr:jsonPath',
    'key': 'cr:key', 'md5': 'cr:md5', 'name': {'@container': '@language'},
    'parentField': 'cr:parentField', 'path': 'cr:path', 'recordSet': 'cr:recordSet',
    'references': 'cr:references', 'regex': 'cr:regex', 'repeated': 'cr:repeated',
    'replace': 'cr:replace', 'samplingRate': 'cr:samplingRate', 'sc': 'https://schema.org/',
    'separator': 'cr:separator', 'source': 'cr:source', 'subField': 'cr:subField',
    'transform': 'cr:transform',
}  # fmt: skip


def record(facts: Facts, found: list[Answer]) -> dict[str, dict[str, Any]]:
    """Return ``registry``, ``croissant``, ``dp_event`` and ``page``."""
    known = {answer.key: answer.text for answer in found}
    return {
        'registry': _registry(facts, known),
        'croissant': _croissant(facts, known),
        'dp_event': dp_event(facts),
        'page': _page(facts, found),
    }


def _page(facts: Facts, found: list[Answer]) -> dict[str, Any]:
    curve = facts.curve
    risk = {'guess': facts.guess, 'advantage': curve.advantage()}
    return {
        'made_by': facts.made_by,
        'use': facts.use,
        'private': facts.is_private,
        'fair': facts.is_fair,
        'risk': risk | {'true_positives_at_0.001': curve.true_positives(0.001)},
        'promise': {key: _plain(value) for key, value in facts.promise.items()},
        'answers': [answer._asdict() for answer in found],
    }


def _plain(value: Any) -> Any:
    """Return a value that JSON has: a number that is not finite is null."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _text(*parts: str | None) -> str:
    return ' '.join(part for part in parts if part) or _UNKNOWN


def _registry(facts: Facts, known: dict[str, str | None]) -> dict[str, Any]:
    """Return a record of tier 3, in the layout of the registry.

    What nobody has told is said to be missing. The kind of the curator is one of three words, which
    cannot be guessed: without it the registry will not take the record.
    """
    told = facts.told
    curator = {'data_curator_name': _text(told.get('curator'))}
    if (kind := told.get('curator_type')) is not None:
        curator['data_curator_type'] = kind
    sector = told.get('sector')
    return {
        'url_slug': facts.table_name.lower().replace(' ', '-'),
        'deployment': {
            'basic': {
                'name': facts.table_name,
                'data_curators': [curator],
                'description': _text(told.get('source'), *facts.use),
                'intended_use': _text(told.get('purpose')),
                'data_product_type': 'Synthetic data',
                'data_product_region': _text(told.get('region')),
                **({'data_product_sector': sector} if sector in _SECTORS else {}),
                'publication_date': told.get('published') or facts.fitted_on,
            },
            'dp_variant': {
                'variant_name': 'Approximate DP',
                'data_domain': _text(known.get('domain')),
                'unprotected_quantities': _text(known.get('unprotected')),
            },
            'privacy_loss': _privacy_loss(facts, known),
            'deployment_model': {
                'model_name': 'Central',
                'trust_assumptions': _text(told.get('actors'), told.get('security')),
                'release_type': 'One release',
                'release_type_details': _text(known.get('releases'), told.get('plans')),
                'data_source_type': 'Static',
                'access_type': 'Non-interactive',
            },
            'implementation': _implementation(told, known),
            'administrative': {
                'status': 'Draft',
                'registry_authors': [curator['data_curator_name']],
                'tier': 3,
            },
        },
    }


def _implementation(told: Particulars, known: dict[str, str | None]) -> dict[str, str]:
    return {
        'preprocessing_and_hyperparameter_tuning': _text(
            known['preprocessing'], told.get('choices')
        ),
        'mechanisms': _text(known['mechanisms'], known['implementation'], known['software']),
        'composition': _text(known['composition']),
        'post_processing': _text(known['post_processing']),
        'justification': _text(told.get('rationale'), known['evidence'], told.get('audits')),
        'utility': _text(known['noise'], known.get('smallest_groups')),
    }


def _privacy_loss(facts: Facts, known: dict[str, str | None]) -> dict[str, Any]:
    promise = facts.promise
    numbers = {key: promise[key] for key in ('epsilon', 'delta', 'rho')} if facts.is_private else {}
    # How many persons several rows belong to is not known.
    has_units = promise['max_rows_per_person'] == 1
    return {
        'privacy_unit': _text(known.get('unit')),
        'privacy_unit_details': _text(known.get('neighbours'), known.get('rows_per_person')),
        **({'number_of_privacy_units': round(facts.num_rows)} if has_units else {}),
        'privacy_parameters': numbers,
        'privacy_parameters_details': _text(known.get('curve'), known.get('risk')),
    }


def dp_event(facts: Facts) -> dict[str, Any]:
    """Return the fit as ``dp_accounting`` describes mechanisms, in names and numbers.

    One event for each line of the ledger; a Gaussian's noise multiplier is that of a query of
    sensitivity one with the same rho. Thresholds' deltas are stated apart: there is no such event.
    """
    events = [
        _event(str(mechanism), float(rho), all_gaussian=facts.curve.all_gaussian)
        for mechanism, rho in zip(facts.ledger['mechanism'], facts.ledger['rho'], strict=True)
    ]
    event: dict[str, Any] = {'class': 'ComposedDpEvent', 'events': events}
    if not facts.is_private:
        event = {'class': 'NonPrivateDpEvent'}
    return {
        'module': 'dp_accounting',
        'event': event,
        'neighboring_relation': 'ADD_OR_REMOVE_ONE',
        'delta_of_thresholds': facts.curve.reserved_delta,
    }


def _event(mechanism: str, rho: float, all_gaussian: bool) -> dict[str, Any]:
    if all_gaussian and mechanism != EXPONENTIAL:
        return {'class': 'GaussianDpEvent', 'noise_multiplier': 1 / math.sqrt(2 * rho)}
    return {'class': 'ZCDpEvent', 'rho': rho}


def _croissant(facts: Facts, known: dict[str, str | None]) -> dict[str, Any]:
    told, files = facts.told, facts.files
    rai = {
        'dataUseCases': _text(told.get('purpose'), known.get('valid_analyses')),
        'dataLimitations': _text(told.get('unfit_uses'), *facts.use),
        'dataBiases': _text(told.get('biases'), known.get('smallest_groups')),
        'dataSocialImpact': _text(known['fairness'], told.get('admissible')),
        'personalSensitiveInformation': _text(known.get('risk'), told.get('special_categories')),
        'dataReleaseMaintenancePlan': _text(told.get('retention'), told.get('contact')),
        'dataCollection': _text(told.get('source'), told.get('population'), told.get('period')),
        'dataPreprocessingProtocol': _text(known['preprocessing'], known['mechanisms']),
    }
    return {
        '@context': _CONTEXT,
        '@type': 'sc:Dataset',
        'conformsTo': [f'{_CROISSANT}1.1', f'{_CROISSANT}RAI/1.0'],
        'name': facts.table_name,
        'description': _text(told.get('source'), *facts.use),
        'version': _version(facts),
        'citeAs': f'{_text(told.get("curator"))}: {facts.table_name}, synthetic data, '
        f'{told.get("published") or facts.fitted_on}. Release {files.release_id or "unsaved"}.',
        'datePublished': told.get('published') or facts.fitted_on,
        'creator': {'@type': 'sc:Organization', 'name': _text(told.get('curator'))},
        'license': _text(told.get('access')),
        **_distribution(facts),
    } | {f'rai:{name}': text for name, text in rai.items()}


def _version(facts: Facts) -> str:
    """Return the version in three numbers, which Croissant wants; else the day of the fit."""
    version = facts.told.get('version') or ''
    if re.fullmatch(r'\d+\.\d+\.\d+', version):
        return version
    return '.'.join(str(int(part)) for part in facts.fitted_on.split('-'))


def _distribution(facts: Facts) -> dict[str, Any]:
    """Return the files whose SHA-256 is known, and the columns of the rows if they are one."""
    known, files = [], facts.files
    if files.synthetic is not None:
        is_parquet = files.synthetic.endswith('.parquet')
        kind = 'application/x-parquet' if is_parquet else 'text/csv'
        known.append(_file('rows', files.synthetic, kind, files.synthetic_digest))
    if files.release is not None:
        known.append(_file('release', 'release.prefair', 'application/zip', files.release))
    described = {'recordSet': [_record_set(facts.columns)]} if files.synthetic is not None else {}
    return {'distribution': known, **described}


def _file(name: str, path: str, kind: str, digest: str | None) -> dict[str, Any]:
    return {
        '@type': 'cr:FileObject',
        '@id': name,
        'name': path,
        'contentUrl': path,
        'encodingFormat': kind,
        'sha256': digest,
    }


def _record_set(columns: tuple[Column, ...]) -> dict[str, Any]:
    return {
        '@type': 'cr:RecordSet',
        '@id': 'table',
        'name': 'table',
        'field': [
            {
                '@type': 'cr:Field',
                '@id': f'table/{number}',
                'name': column.name,
                'description': f'{column.role}; {column.source}',
                'dataType': _KINDS.get(column.kind, 'sc:Text'),
                'source': {'fileObject': {'@id': 'rows'}, 'extract': {'column': column.name}},
            }
            for number, column in enumerate(columns)
        ],
    }
