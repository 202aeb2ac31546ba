"""The command line: ``sdv-prefair demo``."""

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from sdv.errors import SynthesizerInputError

from sdv_prefair import __version__
from sdv_prefair.demo import run_demo


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 0, or 2 for wrong use."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except (SynthesizerInputError, OSError) as error:
        sys.stderr.write(f'sdv-prefair: {error}\n')
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog='sdv-prefair',
        description='Differentially private and justifiably fair synthetic tables.',
    )
    parser.add_argument('--version', action='version', version=f'%(prog)s {__version__}')
    commands = parser.add_subparsers(required=True, metavar='command')
    demo = commands.add_parser('demo', help='compare plain MST and PreFair on a simulated census')
    demo.add_argument('--rows', type=_positive(int), default=20_000, help='rows (%(default)s)')
    demo.add_argument('--epsilon', type=_positive(float), default=1.0, help='budget (%(default)s)')
    demo.add_argument(
        '--out', type=Path, default=Path('prefair-demo'), help='folder to write to (%(default)s)'
    )
    demo.set_defaults(run=_demo)
    return parser


def _demo(options: argparse.Namespace) -> None:
    with warnings.catch_warnings():
        # Advice for people with metadata of their own, not for a demonstration.
        warnings.filterwarnings('ignore', message='We strongly recommend saving the metadata')
        run_demo(options.rows, options.epsilon, options.out, _say)


def _say(line: str) -> None:
    sys.stdout.write(line + '\n')
    sys.stdout.flush()


def _positive(kind: type):
    def parse(text: str):
        value = kind(text)
        if not value > 0:
            raise argparse.ArgumentTypeError(f'{text} must be above 0')
        return value

    return parse


if __name__ == '__main__':
    sys.exit(main())
