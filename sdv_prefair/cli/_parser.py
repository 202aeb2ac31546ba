"""The options of every command.

Nothing heavy is imported here: importing SDV takes seconds, which --help and usage errors avoid.
"""

import argparse
import csv
import importlib
import math
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from sdv_prefair import __version__
from sdv_prefair.selection._catalogue import DEFAULT_STRUCTURE, STRUCTURES

# -- Parsing the strings of options: names, statements, numbers ------------------------------------
#
# Nothing heavy is imported here, as in ``parser``.


def statement(text: str) -> tuple[list[str], list[str], list[str]]:
    """Return left, right and given of ``right ~ left | given``."""
    outside_quotes = r'([~|])(?=(?:[^"]*"[^"]*")*[^"]*$)'
    right, *rest = re.split(outside_quotes, text)
    signs, groups = rest[::2], [names(part) for part in (right, *rest[1::2])]
    if signs not in (['~'], ['~', '|']) or not all(groups):
        raise argparse.ArgumentTypeError(
            f'{text!r} must have the form "outcomes ~ protected | given", such as "income ~ sex, '
            'race | education"; leave out | and what follows if nothing is given.'
        )
    outcomes, protected, given = (*groups, [])[:3]
    return protected, outcomes, given


def names(text: str) -> list[str]:
    """Return the names in one line of CSV."""
    (cells,) = csv.reader([text.replace('\n', ' ')], skipinitialspace=True)
    return [name.strip() for name in cells if name.strip()]


def epsilons(text: str) -> list[float]:
    """Return the numbers of a list that is separated by commas."""
    return [float(positive(float)(part.strip())) for part in text.split(',')]


def share(text: str) -> float:
    """Return a share that is written as ``55%`` or as ``0.55``."""
    try:
        value = float(text.removesuffix('%')) / (100 if text.endswith('%') else 1)
    except ValueError:
        value = math.nan
    if not 0.5 < value < 1:
        raise argparse.ArgumentTypeError(f'{text!r} must be above 50% and below 100%, as in 55%.')
    return value


def positive(kind: type[int] | type[float], most: float = math.inf) -> Callable[[str], int | float]:
    """Return a parser for a number above 0 and at most ``most``."""

    def parse(text: str) -> int | float:
        try:
            value: int | float = kind(text)
        except ValueError:
            value = 0
        if not 0 < value <= most:
            number = 'an integer' if kind is int else 'a number'
            limit = '' if value <= most else f' and at most {most}'
            raise argparse.ArgumentTypeError(f'{text!r} must be {number} above 0{limit}.')
        return value

    return parse


# -- The options of ``verify``, and those of ``report`` that are for the person who signs ----------


_PARTICULARS = {
    '--purpose': 'what the release is for',
    '--recipient': 'who gets it',
    '--contact': 'whom to ask about it',
    '--source': 'where the private table comes from',
    '--declared-by': 'who declared the ranges that were taken as public',
}


def add_signing_options(parser: argparse.ArgumentParser) -> None:
    """Add what the signing page needs and the synthesizer does not contain."""
    parser.add_argument(
        '--synthetic',
        type=Path,
        help='the rows that go with the release (x.csv or x.parquet): checked, and written on the '
        'page with their SHA-256',
    )
    parser.add_argument(
        '--about',
        type=Path,
        help='what else only people know: a YAML or JSON file of texts, such as legal_basis, '
        'retention, and admissible with a reason for each column',
    )
    parser.add_argument(
        '--record',
        type=Path,
        help='also write the page for programs (x.json): registry record, Croissant, DpEvent',
    )
    for name, meaning in _PARTICULARS.items():
        parser.add_argument(name, metavar='TEXT', help=f'{meaning}; written on the signing page')


def add_verify_options(parser: argparse.ArgumentParser) -> None:
    """Add what is to be verified."""
    parser.add_argument('release', type=Path, help='a release written by fit (x.prefair)')
    parser.add_argument(
        'rows', type=Path, nargs='?', help='rows that are said to come from it (x.csv, x.parquet)'
    )
    parser.add_argument(
        '--report', type=Path, help='a report on it: the SHA-256 there must be those of the files'
    )


# -- The options of every command ------------------------------------------------------------------


_BUDGETS = ('tuned', 'paper')
_DISCRETIZATIONS = ('private', 'uniform')
_ROLES = ('protected', 'admissible', 'outcome')
_FILE = 'CSV, TSV or Parquet file, or a folder of Parquet files'
_TABLE = f'{_FILE}; - for standard input'
_NAMES = 'columns, separated by commas; in "quotation marks" if a name contains a comma'
_STATEMENT = (
    'that outcomes are independent of protected columns given others, or given nothing: '
    '"income ~ sex, race | education"; may be repeated, each outcome with its own reasons'
)
_MOST_PER_PERSON = 'rows of one person; the budget protects all of them (%(default)s)'
_SHARES = 'shares of the steps: tuned, or a third each as in the paper (%(default)s)'
_MOST_REPLICATES = 10_000
_MOST_ROWS = 10**15  # far more than fits in any memory, and few enough for numpy to say so


Subparsers: TypeAlias = 'argparse._SubParsersAction[_Parser]'


class _Parser(argparse.ArgumentParser):
    """A parser that reports usage errors in one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where to look, and end with exit code 2."""
        self.exit(2, f'{self.prog}: {message.rstrip(".")}. See {self.prog} --help.\n')


def make_parser() -> argparse.ArgumentParser:
    """Return the parser; what it returns has ``run``, which takes the options and ``say``."""
    parser = _Parser(
        prog='sdv-prefair',
        description='Differentially private and justifiably fair synthetic tables.',
    )
    parser.add_argument('--version', action='version', version=f'%(prog)s {__version__}')
    _add_completion(parser)
    subparsers = parser.add_subparsers(required=True, metavar='command')
    first = (_demo, _domain, _check, _plan, _roles)
    for add in (*first, _fit, _sample, _estimate, _evaluate, _report, _verify):
        add(subparsers)
    return parser


class _Completion(argparse.Action):
    """Prints what makes a shell complete commands and options."""

    def __call__(self, parser: argparse.ArgumentParser, _: object, shell: Any, *__: Any) -> None:
        """Print the script and end."""
        try:
            shtab = importlib.import_module('shtab')
        except ImportError:
            parser.error('--print-completion needs shtab: pip install sdv-prefair[completion]')
        sys.stdout.write(f'{shtab.complete(parser, shell)}\n')
        parser.exit()


def _add_completion(parser: _Parser) -> None:
    parser.add_argument(
        '--print-completion',
        action=_Completion,
        choices=('bash', 'zsh', 'tcsh'),
        help='print a script that completes commands and options in a shell',
    )


_FOR_PROGRAMS = ('check', 'plan', 'roles', 'fit', 'estimate', 'verify')


def _command(subparsers: Subparsers, name: str, summary: str) -> '_Parser':
    def run(options: argparse.Namespace, say: Callable[[str], None]) -> int | None:
        commands = importlib.import_module('sdv_prefair.cli._commands')
        code: int | None = getattr(commands, name)(options, say)
        return code

    parser = subparsers.add_parser(name, help=summary, description=summary)
    parser.set_defaults(run=run)
    if name in _FOR_PROGRAMS:
        parser.add_argument('--json', action='store_true', help='print one JSON object')
    return parser


def _demo(subparsers: Subparsers) -> None:
    parser = _command(subparsers, 'demo', 'compare plain MST and PreFair on a simulated census')
    parser.add_argument(
        '--rows',
        type=positive(int, _MOST_ROWS),
        default=20_000,
        help='number of rows (%(default)s)',
    )
    parser.add_argument(
        '--epsilon', type=positive(float), default=1.0, help='privacy budget (%(default)s)'
    )
    parser.add_argument(
        '--out', type=Path, default=Path('prefair-demo'), help='folder to write to (%(default)s)'
    )


def _domain(subparsers: Subparsers) -> None:
    parser = _command(subparsers, 'domain', 'write a metadata file whose ranges you fill in')
    parser.add_argument('data', type=Path, help=_TABLE)
    parser.add_argument('--table', help='name of the table (default: name of the file)')
    parser.add_argument(
        '--header',
        action='store_true',
        help='the first line holds the names of columns, even if they look like values',
    )
    parser.add_argument('--out', type=Path, required=True, help='metadata file to write (x.json)')
    parser.add_argument(
        '--values',
        action='store_true',
        help='show the values of the data in notes next to the keys (the file is then not private)',
    )


def _check(subparsers: Subparsers) -> None:
    parser = _command(
        subparsers,
        'check',
        'show what a fit would silently do to rows (not private, for the owner only)',
    )
    parser.add_argument('data', type=Path, help=_TABLE)
    parser.add_argument(
        '--metadata', type=Path, required=True, help='metadata file, with or without roles'
    )
    parser.add_argument('--person-column', help='column that identifies persons')
    parser.add_argument('--max-rows-per-person', type=int, default=1, help=_MOST_PER_PERSON)
    parser.add_argument(
        '--strict', action='store_true', help='exit with code 1 if anything is found'
    )


def _plan(subparsers: Subparsers) -> None:
    parser = _command(
        subparsers, 'plan', 'show how much noise a fit will have; no data is read, nothing is spent'
    )
    parser.add_argument(
        '--metadata', type=Path, required=True, help='metadata file, with or without roles'
    )
    parser.add_argument(
        '--rows', type=positive(int, _MOST_ROWS), required=True, help='number of rows of the table'
    )
    _promises(parser)
    budget = _budget(parser)
    budget.add_argument(
        '--epsilon',
        type=epsilons,
        default='1.0',
        help='one, compared with larger ones, or several separated by commas (%(default)s)',
    )
    _mechanism(parser)
    parser.add_argument('--max-rows-per-person', type=int, default=1, help=_MOST_PER_PERSON)
    parser.add_argument(
        '--learn-ranges', action='store_true', help='ignore the ranges, which a fit then learns'
    )
    parser.add_argument('--out', type=Path, help='picture to write (x.html)')


def _roles(subparsers: Subparsers) -> None:
    parser = _command(
        subparsers,
        'roles',
        'show which columns predict protected and outcome ones (not private, for the owner only)',
    )
    parser.add_argument('data', type=Path, help=_TABLE)
    parser.add_argument(
        '--metadata', type=Path, required=True, help='metadata file, with or without roles'
    )
    for role in _ROLES:
        parser.add_argument(f'--{role}', type=names, help=_NAMES)


def _fit(subparsers: Subparsers) -> None:
    parser = _command(subparsers, 'fit', 'fit a synthesizer and write a release')
    parser.add_argument('data', type=Path, help=_TABLE)
    parser.add_argument(
        '--metadata', type=Path, required=True, help='metadata file, with or without roles'
    )
    _promises(parser)
    budget = _budget(parser)
    budget.add_argument('--epsilon', type=float, default=1.0, help='privacy budget (%(default)s)')
    parser.add_argument(
        '--max-epsilon',
        type=positive(float),
        help='refuse to spend more in all on people in every table that --policy counts',
    )
    parser.add_argument(
        '--policy',
        type=Path,
        help='JSON file: most epsilon per table, person and year, and the releases that count',
    )
    _mechanism(parser)
    parser.add_argument(
        '--other',
        default='other',
        help='replaces values too rare to be learnt (%(default)s)',
    )
    parser.add_argument(
        '--no-look-for-copies',
        action='store_true',
        help='skip the search for copies of outcomes, which takes a hundredth of the budget',
    )
    parser.add_argument('--person-column', help='column that identifies persons')
    parser.add_argument('--max-rows-per-person', type=int, default=1, help=_MOST_PER_PERSON)
    ranges = parser.add_mutually_exclusive_group()
    ranges.add_argument(
        '--ranges-are-public', action='store_true', help='the ranges in the metadata are public'
    )
    ranges.add_argument(
        '--learn-ranges',
        action='store_true',
        help='ignore the ranges and learn them within the budget',
    )
    parser.add_argument(
        '--unchecked',
        action='store_true',
        help='fit even if a column would be lost, and do not look first (others may see a failure)',
    )
    parser.add_argument('--out', type=Path, required=True, help='release to write (x.prefair)')
    parser.add_argument('--quiet', action='store_true', help='no progress bars')


def _sample(subparsers: Subparsers) -> None:
    parser = _command(subparsers, 'sample', 'write synthetic rows')
    parser.add_argument('release', type=Path, help='a release written by fit (x.prefair)')
    parser.add_argument(
        '--rows', type=positive(int, _MOST_ROWS), required=True, help='number of rows to sample'
    )
    parser.add_argument(
        '--out',
        type=Path,
        required=True,
        help='file to write (x.csv, x.parquet), or - for standard output',
    )
    parser.add_argument(
        '--where',
        action='append',
        default=[],
        metavar='COLUMN=VALUE',
        help='may be repeated; nothing after the = means missing',
    )
    parser.add_argument(
        '--escape-formulas',
        action='store_true',
        help="in a CSV file, put a ' before text that spreadsheets would run as a formula: text "
        'that begins with = + - or @ (off: text is written exactly as it is)',
    )
    parser.add_argument(
        '--independent-rows',
        action='store_true',
        help='sample rows independently, for standard errors (default: systematic sampling)',
    )
    parser.add_argument('--quiet', action='store_true', help='no progress bars')


def _estimate(subparsers: Subparsers) -> None:
    parser = _command(subparsers, 'estimate', 'print shares, means or quantiles with error bars')
    parser.add_argument('release', type=Path, help='a release written by fit (x.prefair)')
    parser.add_argument(
        'query',
        help='as "income", "sex, income", "income by sex", "mean of age by sex", "quantile 0.9 of '
        'age" or "difference in income by sex"',
    )
    parser.add_argument('--level', type=float, default=0.95, help='of the intervals (%(default)s)')
    parser.add_argument(
        '--private-table',
        action='store_true',
        help='intervals for the private table, not for the population its rows were sampled from',
    )
    parser.add_argument(
        '--in-the-fair-table',
        action='store_true',
        help='answer how outcomes depend on protected columns, which was left out on purpose',
    )
    parser.add_argument(
        '--replicates',
        type=positive(int, _MOST_REPLICATES),
        default=200,
        help='used where no measured table answers the query (%(default)s)',
    )
    parser.add_argument('--seed', type=int, help='makes replicates reproducible')
    parser.add_argument('--quiet', action='store_true', help='no progress bars')


def _evaluate(subparsers: Subparsers) -> None:
    parser = _command(
        subparsers,
        'evaluate',
        'measure quality and fairness against the real table (these numbers are not private)',
    )
    parser.add_argument('synthetic', type=Path, help=_TABLE)
    parser.add_argument('--real', type=Path, required=True, help=_FILE)
    parser.add_argument('--metadata', type=Path, required=True, help='metadata file with roles')
    _promises(parser)
    parser.add_argument(
        '--release',
        type=Path,
        help='the release the table was sampled from (x.prefair): compare rows by its codes',
    )
    parser.add_argument('--out', type=Path, help='page with pictures to write (x.html)')
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument(
        '--all', action='store_true', help='print all details, not just verdicts and means'
    )
    shown.add_argument('--json', action='store_true', help='print everything for machines')


def _report(subparsers: Subparsers) -> None:
    parser = _command(subparsers, 'report', 'write the release report, one HTML file')
    parser.add_argument('release', type=Path, help='a release written by fit (x.prefair)')
    parser.add_argument('--out', type=Path, required=True, help='report to write (x.html)')
    parser.add_argument(
        '--real', type=Path, help='add numbers from the real table; the report is then not private'
    )
    add_signing_options(parser)


def _verify(subparsers: Subparsers) -> None:
    add_verify_options(
        _command(subparsers, 'verify', 'check a release, and that rows came from it')
    )


def _budget(parser: '_Parser') -> 'argparse._MutuallyExclusiveGroup':
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument(
        '--max-guess',
        type=share,
        metavar='SHARE',
        help='in place of --epsilon: how often a guess at even odds whether someone is in the '
        'table may be right, as 55%%; a coin toss is right half of the time',
    )
    return budget


def _mechanism(parser: '_Parser') -> None:
    parser.add_argument('--delta', type=float, default=1e-9, help='of the guarantee (%(default)s)')
    parser.add_argument(
        '--structure',
        choices=tuple(STRUCTURES),
        help=f'how the graph is chosen; none: without fairness ({DEFAULT_STRUCTURE})',
    )
    parser.add_argument('--budget', choices=_BUDGETS, default='tuned', help=_SHARES)
    parser.add_argument(
        '--numeric-bins', type=int, default=32, help='at most, per number (%(default)s)'
    )
    parser.add_argument(
        '--discretization',
        choices=_DISCRETIZATIONS,
        default='private',
        help='data-dependent bins within the budget, or bins of equal width (%(default)s)',
    )


def _promises(parser: '_Parser') -> None:
    for role in _ROLES:
        parser.add_argument(f'--{role}', type=names, help=_NAMES)
    parser.add_argument(
        '--fairness', type=statement, action='append', metavar='STATEMENT', help=_STATEMENT
    )
