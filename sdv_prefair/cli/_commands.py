"""What each command does, in the order in which a newcomer needs them."""

import argparse
import contextlib
import dataclasses
import json
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from sdv_prefair._atomic_write import write_whole
from sdv_prefair._metadata_files import save_form
from sdv_prefair._sdv_versions import detect_with_ranges
from sdv_prefair.before_fit import hints
from sdv_prefair.cli._demo import run_demo
from sdv_prefair.cli._evaluating import (
    all_lines,
    as_record,
    evaluation,
    read_whole_table,
    short_lines,
    write_evaluation,
)
from sdv_prefair.cli._fitting import (
    check_new_folder,
    check_output,
    fit_release,
    metadata_and_lists,
    metadata_and_roles,
    plan_of,
)
from sdv_prefair.cli._opened_release import (
    draw_parts,
    estimate_lines,
    estimate_of,
    open_file,
    without_bars,
)
from sdv_prefair.cli._preparing import check_file, check_lists, suggestion_lines, suggestions
from sdv_prefair.cli._table_files import (
    check_table,
    holds_other_encoding,
    is_parquet,
    look_at_table,
    read_table,
)
from sdv_prefair.cli._verify_lines import check_rows, checks_of, particulars, verification_lines
from sdv_prefair.columns import strip_ranges
from sdv_prefair.columns._public import ranges_of
from sdv_prefair.errors import RolesError
from sdv_prefair.synthesizer._conditions import askable_columns
from sdv_prefair.synthesizer._written_rows import write_parts

# -- What commands print with ``--json``: one object, for programs ---------------------------------


def as_json(told: Mapping[str, Any]) -> str:
    """Return an object as JSON: tables are lists of lines, numbers that are not finite are null."""
    return json.dumps(_plain(told), indent=1, allow_nan=False, ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, pd.DataFrame):
        return [_plain(line) for line in _with_index(value).to_dict('records')]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _plain(vars(value))
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return _of_one(value)


def _with_index(frame: pd.DataFrame) -> pd.DataFrame:
    return frame if isinstance(frame.index, pd.RangeIndex) else frame.reset_index()


def _of_one(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or value is pd.NaT or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value if isinstance(value, bool | int | float | str) else str(value)


# -- What each command does, in the order in which a newcomer needs them ---------------------------


Say = Callable[[str], None]


def _say_all(lines: Iterable[str], say: Say) -> None:
    for line in lines:
        say(line)


def demo(options: argparse.Namespace, say: Say) -> None:
    """Compare plain MST and PreFair on a simulated census."""
    check_new_folder(options.out)
    run_demo(options.rows, options.epsilon, options.out, say)


def domain(options: argparse.Namespace, say: Say) -> None:
    """Write metadata with the types of the columns, and null for what a person must fill in."""
    check_output(options.out, ['.json'], [options.data], keep=True)
    table = look_at_table(options.data, options.header)
    name = options.table or options.data.stem.removesuffix('.csv').removesuffix('.tsv')
    detected = detect_with_ranges(name, table)
    save_form(strip_ranges(detected), options.out, ranges_of(detected) if options.values else {})
    say(f'Written to {options.out}: what kind each column is, and null for all that is left to')
    say('you. A note next to each key says what it means; notes and nulls are ignored. Ranges read')
    say('from the data are not public, so none were: fill in those that you know without looking')
    say('at the data. Whatever stays null is learnt privately, within the budget.')
    if holds_other_encoding(options.data):
        say('Some cells of the file are not UTF-8 and would count as missing: save it as UTF-8.')
    _say_all(hints(table, detected), say)
    if options.values:
        say('NOT PRIVATE: notes in the file show values of the data. Remove them before you pass')
        say('it on, and copy only values that are known without the data.')


def check(options: argparse.Namespace, say: Say) -> int:
    """Print what a fit would silently do to rows; return 1 if requested and there is anything."""
    found = check_file(options)
    if options.json:
        say(as_json({'private': False, **vars(found)}))
    else:
        _say_all(found.lines(), say)
    return int(options.strict and bool(found))


def plan(options: argparse.Namespace, say: Say) -> None:
    """Print how much noise a fit will have, and plot it on request."""
    if options.out is not None:
        check_output(options.out, ['.html', '.htm'], [options.metadata])
    planned = plan_of(options)
    if options.json:
        say(as_json(planned.to_dict()))
    else:
        _say_all(planned.lines(), say)
    if options.out is not None:
        page = planned.plot().to_html(include_plotlyjs=True)
        write_whole(options.out, page.encode('utf-8'))
        if not options.json:
            say(f'Written to {options.out}.')


def roles(options: argparse.Namespace, say: Say) -> None:
    """Print how well columns predict protected and outcome ones, and which roles that suggests."""
    metadata, lists = metadata_and_lists(options)
    check_lists(lists, metadata)
    table = read_whole_table(options.data, metadata)
    if options.json:
        say(as_json({'private': False, 'columns': suggestions(table, metadata, lists)}))
    else:
        _say_all(suggestion_lines(table, metadata, lists), say)


def fit(options: argparse.Namespace, say: Say) -> None:
    """Fit a synthesizer to a file and write the release."""
    check_output(options.out, ['.prefair'], [options.data, options.metadata])
    told, lines = fit_release(options)
    if options.json:
        say(as_json(told))
    else:
        _say_all(lines, say)


def sample(options: argparse.Namespace, say: Say) -> None:
    """Write synthetic rows, all of them or those that meet conditions."""
    check_output(options.out, ['.csv', '.parquet'], [options.release])
    if options.escape_formulas and is_parquet(options.out):
        raise ValueError('--escape-formulas is for CSV files. Leave it out, or write to x.csv.')
    synthesizer = open_file(options.release)
    with without_bars() if options.quiet else contextlib.nullcontext():
        columns = askable_columns(synthesizer.fitted)
        write_parts(draw_parts(synthesizer, options), options.out, options.rows, columns)
    say(f'Written to {options.out}: {options.rows:,} rows.')


def estimate(options: argparse.Namespace, say: Say) -> None:
    """Print the answer to a query, with intervals."""
    found = estimate_of(open_file(options.release), options)
    if options.json:
        say(as_json({'query': options.query, 'level': options.level, 'answers': found}))
    else:
        _say_all(estimate_lines(found), say)


def evaluate(options: argparse.Namespace, say: Say) -> None:
    """Print quality and fairness of synthetic rows compared with the real ones."""
    metadata, roles = metadata_and_roles(options)
    if not roles:
        raise RolesError(
            'evaluate needs roles. Write them into the metadata file, or give --protected, '
            '--admissible and --outcome.'
        )
    if options.out is not None:
        check_output(options.out, ['.html', '.htm'], [options.synthetic, options.real])
    release = None if options.release is None else open_file(options.release)
    found = evaluation(options, metadata, roles, release)
    if options.out is not None:
        write_evaluation(found, options.out)
    if options.json:
        say(as_json(as_record(found)))
        return
    for line in all_lines(found) if options.all else short_lines(found):
        say(line)
    if options.out is not None:
        say(f'Written to {options.out}: it is not private.')


def report(options: argparse.Namespace, say: Say) -> None:
    """Write the release report."""
    check_output(options.out, ['.html', '.htm'], [options.release, options.real, options.synthetic])
    if options.record is not None:
        inputs = [options.release, options.real, options.synthetic, options.about]
        check_output(options.record, ['.json'], inputs, flag='--record')
    for path in (options.real, options.synthetic):
        if path is not None:
            check_table(path)
    synthesizer = open_file(options.release)
    if options.synthetic is not None:
        check_rows(synthesizer, options.synthetic)
    told = particulars(options)
    if options.real is None:
        synthesizer.create_release_report(path=options.out, **told)
        say(f'Written to {options.out}.')
        return
    metadata = synthesizer.get_metadata()
    (name,) = metadata.tables
    real = {name: read_table(options.real, metadata)}
    synthesizer.create_release_report(real, options.out, show_real_numbers=True, **told)
    say(f'Written to {options.out}, with numbers of the real table: it is not private. Keep it')
    say('among those who may see that table, and run report without --real for a page to publish.')


def verify(options: argparse.Namespace, say: Say) -> int:
    """Check a release, and rows that are said to come from it; return 1 if a check fails."""
    if options.json:
        checks = [(str(path), check) for path, found in checks_of(options) for check in found]
        all_is_well = all(check.passed for _, check in checks)
        told = [{'of': path, **vars(check)} for path, check in checks]
        say(as_json({'verified': all_is_well, 'checks': told}))
        return 0 if all_is_well else 1
    all_is_well = True
    for line, is_well in verification_lines(options):
        all_is_well &= is_well
        say(line)
    return 0 if all_is_well else 1
