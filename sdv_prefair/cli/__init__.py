"""The command line: ``sdv-prefair demo | domain | fit | sample | evaluate | report``.

Wrong use ends with one line on standard error and exit code 2, never with a traceback; nothing is
left half written.
"""

import argparse
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from sdv.cag._errors import ConstraintNotMetError
from sdv.errors import InvalidDataError, SamplingError, SynthesizerInputError
from sdv.metadata.errors import InvalidMetadataError

from sdv_prefair import __version__
from sdv_prefair.cli import commands

_STRUCTURES = 'adaptive, greedy, exact, aim or none'
_USER_ERRORS = (
    SynthesizerInputError,
    InvalidDataError,
    InvalidMetadataError,
    SamplingError,
    ConstraintNotMetError,
    ValueError,
    OSError,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 0, or 2 for wrong use."""
    options = _parser().parse_args(arguments)
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        # Advice for notebooks: the command line reads metadata from a file already.
        warnings.filterwarnings('ignore', message='We strongly recommend saving the metadata')
        try:
            options.run(options, _say)
        except BrokenPipeError:  # whoever read the output has seen enough
            sys.stderr.close()
            return 0
        except _USER_ERRORS as error:
            sys.stderr.write(f'sdv-prefair: {_in_one_line(error)}\n')
            return 2
        except KeyboardInterrupt:
            sys.stderr.write('sdv-prefair: interrupted\n')
            return 130
    return 0


def _in_one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:  # raised by the system, not by us
        return f"'{error.filename}': {error.strerror}. Correct the path, or the rights to it."
    return ' '.join(str(error).split())


def _say(line: str) -> None:
    sys.stdout.write(line + '\n')
    sys.stdout.flush()


def _show_warning(message, *_) -> None:
    sys.stderr.write(f'warning: {" ".join(str(message).split())}\n')


class _Parser(argparse.ArgumentParser):
    """A parser that answers wrong use with one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where to look, and end with exit code 2."""
        self.exit(2, f'{self.prog}: {message.rstrip(".")}. See {self.prog} --help.\n')


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog='sdv-prefair',
        description='Differentially private and justifiably fair synthetic tables.',
    )
    parser.add_argument('--version', action='version', version=f'%(prog)s {__version__}')
    subparsers = parser.add_subparsers(required=True, metavar='command')
    for add in (_demo, _domain, _fit, _sample, _evaluate, _report):
        add(subparsers)
    return parser


def _command(subparsers, run: Callable, name: str, summary: str) -> argparse.ArgumentParser:
    parser = subparsers.add_parser(name, help=summary, description=summary)
    parser.set_defaults(run=run)
    return parser


def _demo(subparsers) -> None:
    parser = _command(
        subparsers, commands.demo, 'demo', 'compare plain MST and PreFair on a simulated census'
    )
    parser.add_argument('--rows', type=_positive(int), default=20_000, help='rows (%(default)s)')
    parser.add_argument('--epsilon', type=_positive(float), default=1.0, help='(%(default)s)')
    parser.add_argument('--out', type=Path, default=Path('prefair-demo'), help='folder to write to')


def _domain(subparsers) -> None:
    parser = _command(
        subparsers, commands.domain, 'domain', 'write a metadata file whose ranges you fill in'
    )
    parser.add_argument('data', type=Path, help='CSV or Parquet file')
    parser.add_argument('--table', help="the table's name; that of the file unless given")
    parser.add_argument('--out', type=Path, required=True, help='metadata file (JSON) to write')


def _fit(subparsers) -> None:
    parser = _command(subparsers, commands.fit, 'fit', 'fit a synthesizer and write a release')
    parser.add_argument('data', type=Path, help='CSV or Parquet file, or a folder of Parquet files')
    parser.add_argument('--metadata', type=Path, required=True, help='metadata file, roles or not')
    for role in ('protected', 'admissible', 'outcome'):
        parser.add_argument(f'--{role}', type=_names, help='columns, separated by commas')
    parser.add_argument('--epsilon', type=float, default=1.0, help='(%(default)s)')
    parser.add_argument('--delta', type=float, default=1e-9, help='(%(default)s)')
    parser.add_argument('--structure', default='adaptive', help=f'{_STRUCTURES} (%(default)s)')
    parser.add_argument('--budget', default='tuned', help='(%(default)s)')
    parser.add_argument('--numeric-bins', type=int, default=32, help='(%(default)s)')
    parser.add_argument('--person-column', help='column that tells persons apart')
    parser.add_argument('--max-rows-per-person', type=int, default=1, help='(%(default)s)')
    ranges = parser.add_mutually_exclusive_group()
    ranges.add_argument(
        '--ranges-are-public', action='store_true', help='the ranges in the metadata are public'
    )
    ranges.add_argument(
        '--learn-ranges', action='store_true', help='ignore them and learn, from the budget'
    )
    parser.add_argument('--out', type=Path, required=True, help='release to write (x.prefair)')
    parser.add_argument('--quiet', action='store_true', help='no progress bars')


def _sample(subparsers) -> None:
    parser = _command(subparsers, commands.sample, 'sample', 'write synthetic rows')
    parser.add_argument('release', type=Path, help='a release that fit wrote')
    parser.add_argument('--rows', type=_positive(int), required=True)
    parser.add_argument('--out', type=Path, required=True, help='x.csv or x.parquet')
    parser.add_argument(
        '--where', action='append', default=[], metavar='COLUMN=VALUE', help='may be repeated'
    )


def _evaluate(subparsers) -> None:
    parser = _command(
        subparsers,
        commands.evaluate,
        'evaluate',
        'measure quality and fairness against the real table (these numbers are not private)',
    )
    parser.add_argument('synthetic', type=Path, help='CSV or Parquet file')
    parser.add_argument('--real', type=Path, required=True, help='CSV or Parquet file')
    parser.add_argument('--metadata', type=Path, required=True, help='metadata file with roles')
    for role in ('protected', 'admissible', 'outcome'):
        parser.add_argument(f'--{role}', type=_names, help='columns, separated by commas')


def _report(subparsers) -> None:
    parser = _command(
        subparsers, commands.report, 'report', 'write the release report, one HTML file'
    )
    parser.add_argument('release', type=Path, help='a release that fit wrote')
    parser.add_argument('--out', type=Path, required=True, help='x.html')
    parser.add_argument(
        '--real', type=Path, help='add numbers from the real table; the report is then not private'
    )


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(',') if name.strip()]


def _positive(kind: type) -> Callable:
    def parse(text: str):
        try:
            value = kind(text)
        except ValueError:
            value = 0
        if not value > 0:
            whole = 'whole ' if kind is int else ''
            raise argparse.ArgumentTypeError(f'{text!r} must be a {whole}number above 0.')
        return value

    return parse


if __name__ == '__main__':
    sys.exit(main())
