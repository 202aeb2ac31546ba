"""The options of ``verify``, and those of ``report`` that are for the person who signs."""

import argparse
from pathlib import Path

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
