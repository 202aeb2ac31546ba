"""How much may be spent on people in all: ``--max-epsilon``, and ``--policy`` with a file.

The evidence are the accounts of earlier releases, which list every attempt to fit.
"""

import argparse
import datetime
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sdv_prefair.cli._opened_release import open_file
from sdv_prefair.errors import BudgetError, shown
from sdv_prefair.synthesizer import PreFairSynthesizer

_LIMITS = {
    'table': 'people in one table',
    'person': 'people in every table',
    'year': 'people in every table of this year',
}
_RELEASES = 'releases'


def check_policy(options: argparse.Namespace, synthesizer: PreFairSynthesizer) -> list[str]:
    """Raise before a fit that would spend more than is allowed; return what it will have spent.

    Args:
        options: Those of ``fit``.
        synthesizer: What will be fitted.
    """
    policy = {} if options.policy is None else _read(options.policy)
    limits = {name: policy[name] for name in _LIMITS if name in policy}
    if options.max_epsilon is not None:
        limits['person'] = min(options.max_epsilon, limits.get('person', options.max_epsilon))
    if not limits:
        return []
    earlier = list(_earlier(options.policy, policy.get(_RELEASES, [])))
    (table,), year = synthesizer.get_metadata().tables, datetime.datetime.today().year
    counted = {
        'table': [one for one in earlier if one.fitted.settings.table_name == table],
        'person': earlier,
        'year': [one for one in earlier if one.fitted.provenance.date.startswith(f'{year}-')],
    }
    return [_kept(name, limit, synthesizer, counted[name]) for name, limit in limits.items()]


def _kept(
    name: str, limit: float, synthesizer: PreFairSynthesizer, earlier: Sequence[PreFairSynthesizer]
) -> str:
    total = synthesizer.total_epsilon(*earlier)
    told = f'{_LIMITS[name]}: epsilon {total:.4g} of {limit:g}, with {len(earlier)} earlier release'
    told += '' if len(earlier) == 1 else 's'
    if total > limit * (1 + 1e-9):
        raise BudgetError(
            f'This fit is past the policy for {told}. No row was read. Lower --epsilon, or ask '
            'whoever made the policy.'
        )
    return f'Within the policy for {told}.'


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise FileNotFoundError(f"There is no file '{path}'. Give a JSON file with a policy.")
    try:
        policy = json.loads(path.read_text(encoding='utf-8'))
    except ValueError as error:
        raise ValueError(f"'{path}' cannot be read. Give a JSON file, in UTF-8.") from error
    is_object = isinstance(policy, dict)
    unknown = [key for key in policy if key not in (*_LIMITS, _RELEASES)] if is_object else ['']
    if unknown:
        raise ValueError(
            f"'{path}' must be a JSON object with some of {', '.join(_LIMITS)}, each an epsilon, "
            f'and {_RELEASES}, a list of files or folders.'
        )
    _check(path, policy)
    return dict(policy)


def _check(path: Path, policy: dict[str, Any]) -> None:
    for name, limit in policy.items():
        is_number = isinstance(limit, int | float) and not isinstance(limit, bool)
        if name != _RELEASES and not (is_number and limit > 0):
            raise ValueError(f"{name} ({shown(limit)}) in '{path}' must be an epsilon above 0.")
    releases = policy.get(_RELEASES, [])
    if not isinstance(releases, list) or not all(isinstance(one, str) for one in releases):
        raise ValueError(
            f"{_RELEASES} ({shown(releases)}) in '{path}' must be a list of files or folders."
        )


def _earlier(policy: Path | None, releases: Sequence[str]) -> Iterator[PreFairSynthesizer]:
    """Yield the releases that count, those of a folder too; paths are relative to the policy."""
    for name in releases:
        path = (policy or Path()).parent / name
        if not path.exists():
            raise FileNotFoundError(
                f"There is no '{path}', which '{policy}' counts as an earlier release. Put it "
                'back, or correct the policy.'
            )
        for file in sorted(path.glob('*.prefair')) if path.is_dir() else [path]:
            yield open_file(file)
