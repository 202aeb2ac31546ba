"""What each command does, in the order in which a newcomer needs them."""

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path

import pandas as pd
from sdv.metadata import Metadata
from sdv.sampling import Condition

from sdv_prefair.cli.files import check_folder, is_table, read_table, write_table
from sdv_prefair.demo import run_demo
from sdv_prefair.domain import Undeclared, public_domain, strip_ranges
from sdv_prefair.errors import PrivacyWarning, RolesError
from sdv_prefair.metadata_file import load_metadata, save_metadata
from sdv_prefair.metrics import FairnessReport
from sdv_prefair.release import load_release
from sdv_prefair.roles import Roles
from sdv_prefair.synthesizer import PreFairSynthesizer

Say = Callable[[str], None]

_KEYS_TO_FILL = {
    'categories': 'range_values',
    'numbers': 'range_min, range_max, decimal_places',
    'datetimes': 'range_min, range_max',
}


def demo(options: argparse.Namespace, say: Say) -> None:
    """Compare plain MST and PreFair on a simulated census."""
    run_demo(options.rows, options.epsilon, options.out, say)


def domain(options: argparse.Namespace, say: Say) -> None:
    """Write metadata with the kinds of the columns, and say what is left to a person."""
    check_folder(options.out)
    table = read_table(options.data)
    name = options.table or options.data.stem
    metadata = strip_ranges(Metadata.detect_from_dataframes({name: table}))
    save_metadata(metadata, Roles(), options.out)
    say(f'Written to {options.out}: what kind each column is, and no ranges.')
    say('Ranges read from the data are not public, so none were. Add those that you know without')
    say('looking at the data; columns left without are learnt privately, from the budget:')
    for column, known in public_domain(metadata, public_ranges=True).items():
        if isinstance(known, Undeclared):
            say(f'  {column}: {_KEYS_TO_FILL[known.kind]}')
    say('Of every column say whether it can be missing ("range_is_nullable": false if not), and of')
    say('numbers how many decimals they have ("decimal_places": 0 for whole ones): nothing of this')
    say('is guessed. Check the kinds too, which were read from the file.')
    say('Add "role": "protected", "admissible" or "outcome" to the columns that have one.')


def fit(options: argparse.Namespace, say: Say) -> None:
    """Fit a synthesizer to a file and write the release."""
    check_folder(options.out)
    metadata, roles = _metadata_and_roles(options)
    is_table(options.data)
    synthesizer = _make_synthesizer(options, metadata, roles)
    _fit_file(synthesizer, options.data, metadata)
    synthesizer.save_release(options.out)
    ledger = synthesizer.get_privacy_ledger()
    say(
        f'Written to {options.out}. Spent epsilon = {options.epsilon:g}, delta = {options.delta:g}:'
    )
    for step, rho in ledger.groupby('step', sort=False)['rho'].sum().items():
        say(f'  {step:<20} {rho / ledger.attrs["rho"]:4.0%}')
    if roles:
        say(_promise(roles) if options.structure != 'none' else "structure 'none': not fair.")


def _make_synthesizer(
    options: argparse.Namespace, metadata: Metadata, roles: Roles
) -> PreFairSynthesizer:
    public_ranges = None
    if options.ranges_are_public or options.learn_ranges:
        public_ranges = options.ranges_are_public
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        synthesizer = PreFairSynthesizer(
            metadata,
            epsilon=options.epsilon,
            delta=options.delta,
            structure=options.structure,
            budget=options.budget,
            numeric_bins=options.numeric_bins,
            public_ranges=public_ranges,
            person_column=options.person_column,
            max_rows_per_person=options.max_rows_per_person,
            verbose=not options.quiet,
            **roles.as_dict(),
        )
    if any(issubclass(warning.category, PrivacyWarning) for warning in caught):
        # The same in the words of the command line.
        warnings.warn(
            'The ranges in the metadata are taken as public knowledge. If SDV detected them from '
            'the data they are not: pass --learn-ranges, or --ranges-are-public once they are '
            'written by hand.',
            PrivacyWarning,
            stacklevel=3,
        )
    return synthesizer


def _fit_file(synthesizer: PreFairSynthesizer, path: Path, metadata: Metadata) -> None:
    if path.is_dir() or path.suffix == '.parquet':
        synthesizer.fit_table(path)
        return
    (name,) = metadata.tables
    synthesizer.fit({name: read_table(path, metadata)})


def _promise(roles: Roles) -> str:
    return (
        f'{", ".join(roles.outcome)} is independent of {", ".join(roles.protected)} given '
        f'{", ".join(roles.admissible)}.'
    )


def sample(options: argparse.Namespace, say: Say) -> None:
    """Write synthetic rows, all of them or those that meet conditions."""
    check_folder(options.out)
    synthesizer = load_release(options.release)
    if options.where:
        asked = _conditions(options.where, synthesizer)
        tables = synthesizer.sample_from_conditions([Condition(asked, options.rows)])
    else:
        tables = synthesizer.sample(options.rows)
    (table,) = tables.values()
    write_table(table, options.out)
    say(f'Written to {options.out}: {len(table):,} rows.')


def _conditions(where: list[str], synthesizer: PreFairSynthesizer) -> dict:
    (columns,) = (table.columns for table in synthesizer.get_metadata().tables.values())
    asked = {}
    for condition in where:
        column, equals, text = condition.partition('=')
        if not equals or column not in columns:
            raise ValueError(
                f"--where '{condition}' must be COLUMN=VALUE, with one of the columns "
                f'{list(columns)}.'
            )
        asked[column] = _as_value(condition, text, columns[column])
    return asked


def _as_value(condition: str, text: str, column: dict) -> object:
    """Return the declared value that is written like this, a number, or the text itself."""
    for value in (*column.get('range_values', ()), True, False):
        if str(value) == text and (column['sdtype'] == 'boolean') == isinstance(value, bool):
            return value
    if column['sdtype'] == 'numerical':
        try:
            number = float(text)
        except ValueError:
            raise ValueError(
                f"--where '{condition}' must have a number after the '=': the column is numerical."
            ) from None
        return int(number) if number.is_integer() else number
    return text


def evaluate(options: argparse.Namespace, say: Say) -> None:
    """Print quality and fairness of synthetic rows beside the real ones."""
    metadata, roles = _metadata_and_roles(options)
    if not roles:
        raise RolesError(
            'evaluate needs roles. Write them into the metadata file, or give --protected, '
            '--admissible and --outcome.'
        )
    real, synthetic = (read_table(path, metadata) for path in (options.real, options.synthetic))
    report = FairnessReport(roles)
    (name,) = metadata.tables
    report.generate({name: real}, {name: synthetic}, metadata, verbose=False)
    say('Computed on the real table: these numbers are not private.')
    say('Conditional Independence is about the synthetic rows, of which it is promised. Group')
    say('Rates are about a classifier trained on them and used on real rows: nothing is promised.')
    say(report.get_properties().to_string(index=False))
    for title in report.get_properties()['Property']:
        say('')
        say(f'{title}:')
        say(_readable(report.get_details(title)))


def _readable(details: pd.DataFrame) -> str:
    return details.to_string(index=False, float_format='{:.4f}'.format)


def report(options: argparse.Namespace, say: Say) -> None:
    """Write the release report."""
    check_folder(options.out)
    synthesizer = load_release(options.release)
    if options.real is None:
        synthesizer.create_release_report(path=options.out)
    else:
        metadata = synthesizer.get_metadata()
        (name,) = metadata.tables
        real = {name: read_table(options.real, metadata)}
        synthesizer.create_release_report(real, options.out, show_real_numbers=True)
    say(f'Written to {options.out}.')


def _metadata_and_roles(options: argparse.Namespace) -> tuple[Metadata, Roles]:
    metadata, roles = load_metadata(options.metadata)
    given = {role: getattr(options, role) for role in ('protected', 'admissible', 'outcome')}
    if any(names is not None for names in given.values()):
        known = roles.as_dict()
        roles = Roles(**{r: known[r] if names is None else names for r, names in given.items()})
    return metadata, roles
