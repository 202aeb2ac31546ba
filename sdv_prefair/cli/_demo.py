"""The demonstration: one simulated table, plain MST and the fair synthesizer."""

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdv_prefair._atomic_write import write_whole
from sdv_prefair._sdv_versions import by_name
from sdv_prefair.datasets import Dataset, simulate_census
from sdv_prefair.errors import FairnessWarning
from sdv_prefair.metrics import (
    ConditionalDemographicParity,
    ConditionalMutualInformation,
    TwoWayTotalVariation,
)
from sdv_prefair.metrics._downstream import predict_real, with_known
from sdv_prefair.metrics._groups import RowEncoder, group_names, stratify
from sdv_prefair.metrics._tables import Tables, read_tables
from sdv_prefair.privacy._accounting import RHO_OF
from sdv_prefair.report._page import plain_page
from sdv_prefair.report._words import listed
from sdv_prefair.selection._catalogue import DEFAULT_STRUCTURE
from sdv_prefair.synthesizer import PreFairSynthesizer

# -- The metrics of the demonstration, the guaranteed quantity first -------------------------------

_SHUFFLES = 100


def dependence_left(census: Dataset, rows: pd.DataFrame, fair: RowEncoder) -> float:
    """Return I(outcome; protected | admissible) in nats, minus its expectation by chance.

    It is guaranteed to be zero in the distribution that rows are sampled from.
    """
    roles = census.roles
    found = ConditionalMutualInformation.compute_breakdown(
        *_pair(census, rows), outcome=list(roles.outcome), protected=list(roles.protected),
        admissible=list(roles.admissible), permutations=_SHUFFLES, seed=0, synthesizer=fair,
    )  # fmt: skip
    return float(found['excess'])


def two_way_error(census: Dataset, rows: pd.DataFrame) -> float:
    """Return the mean total variation distance of all two-way marginals."""
    return float(TwoWayTotalVariation.compute(*_pair(census, rows)))


def classifier_on(
    census: Dataset, rows: pd.DataFrame, fair: RowEncoder, features: Sequence[str] | None = None
) -> tuple[float, float]:
    """Train on some rows, predict the real ones; return gap and accuracy.

    The gap is the difference between groups of the first protected column in how often the better
    outcome is predicted, among people with the same admissible values.

    Args:
        census: The real table.
        rows: The training rows of the classifier.
        fair: The synthesizer whose codes define the strata.
        features: The columns it uses; all of them by default.
    """
    (outcome,), roles = census.roles.outcome, census.roles
    whole = with_known(outcome, read_tables(*_pair(census, rows)))
    seen = {*(whole.columns if features is None else features), outcome}
    told = {name: about for name, about in whole.columns.items() if name in seen}
    predicted = predict_real(Tables(whole.real, whole.synthetic, told), outcome, seed=0)
    real = whole.real
    assert real is not None, 'both tables were read'
    label = real[outcome].to_numpy(dtype=object)
    strata = stratify([real], whole.columns, list(roles.admissible), fair)
    gap = ConditionalDemographicParity.compare_groups(
        predicted,
        label,
        group_names(whole, roles.protected[0], None),
        strata.codes[0],
        bootstraps=0,
    )
    return float(gap['score']), float(np.mean(predicted == label))


def _pair(census: Dataset, rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame, Any]:
    (name,) = census.data
    return census.data[name], rows, census.metadata.tables[name].to_dict()


# -- Both models of the demonstration on one page, with their metrics ------------------------------


_ABOUT = (
    'Two synthesizers, the same rows, the same privacy budget. Plain MST connects whatever is '
    'dependent in the data; PreFair lets protected columns affect the outcome only through '
    'admissible ones.'
)


def write_demo_page(
    path: Path, pictures: Mapping[str, go.Figure], measured: pd.DataFrame, lines: Sequence[str]
) -> None:
    """Write the page; it needs no network.

    Args:
        path: Where to write.
        pictures: The drawing of each model, by name.
        measured: A line for each table, a column for each measure.
        lines: What to say about the numbers.
    """
    drawn = [
        {'figure': _titled(name, figure), 'described': f'The graph of {name} in lanes.'}
        for name, figure in pictures.items()
    ]
    sections = {
        'graphs': ('What each model connects', drawn),
        'numbers': (
            'What that means in numbers',
            [_table(measured), {'lines': '\n'.join(lines)}],
        ),
    }
    closing = "The table is simulated, so its real rows are nobody's."
    write_whole(path, plain_page('Plain MST and PreFair', [_ABOUT], sections, closing))


def _titled(name: str, figure: go.Figure) -> go.Figure:
    told = figure.layout.title.text.partition(': ')[2]
    return figure.update_layout(title_text=f'{name}: {told}')


def _table(measured: pd.DataFrame) -> dict[str, Any]:
    rows = [
        (name, *('–' if pd.isna(value) else f'{value:.3f}' for value in line))
        for name, *line in measured.itertuples(name=None)
    ]
    header, nums = ('', *measured), range(1, measured.shape[1] + 1)
    caption = 'Trained on, or measured of'
    return {'caption': caption, 'header': header, 'rows': rows, 'nums': nums}


# -- The demonstration: one simulated table, plain MST and the fair synthesizer --------------------


PLAIN, FAIR = 'plain MST', 'PreFair'
CEILING, REAL = 'real rows, admissible columns only', 'real rows'
STRUCTURES = {PLAIN: 'none', FAIR: DEFAULT_STRUCTURE}
_MEASURES = ('direct dependence', 'conditional gap', 'accuracy', '2-way error')
_SIMULATION_SEED = 7

Say = Callable[[str], None]


def run_demo(num_rows: int, epsilon: float, folder: Path, say: Say) -> None:
    """Fit both structures, say how they compare, write rows, release and both graphs.

    Args:
        num_rows: Rows of the simulated table, and of the synthetic ones.
        epsilon: Privacy budget of each fit.
        folder: Where to write; it is made if it does not exist.
        say: Takes each line of text.
    """
    census = simulate_census(num_rows, seed=_SIMULATION_SEED)
    _introduce(census, num_rows, epsilon, say)
    fitted = {}
    for name, structure in STRUCTURES.items():
        started = time.perf_counter()
        fitted[name] = _fit(census, structure, epsilon)
        say(f'  {name}: fitted in {time.perf_counter() - started:.1f} s')
    (table,) = census.data
    rows = {name: by_name(one.sample(num_rows), table)[table] for name, one in fitted.items()}
    measured = _measure(census, rows, fitted[FAIR])
    say('')
    for line in measured.to_string(float_format='{:.3f}'.format, na_rep='-').splitlines():
        say(line)
    lines = [*_meanings(census), '', *_given_up(census, fitted[PLAIN], measured)]
    for line in ['', *lines]:
        say(line)
    _promise(census, fitted[FAIR], say)
    _write(fitted, rows[FAIR], measured, lines, folder)
    say('')
    say(f'Written to {folder}: graphs.html (both models, one page), synthetic.csv, and')
    say('census.prefair, the release that its rows were sampled from. Try next:')
    say(f'  sdv-prefair verify {folder}/census.prefair {folder}/synthetic.csv')
    say(f'  sdv-prefair report {folder}/census.prefair --out {folder}/report.html')


def _fit(census: Dataset, structure: str, epsilon: float) -> PreFairSynthesizer:
    synthesizer = PreFairSynthesizer(
        census.metadata,
        epsilon=epsilon,
        structure=structure,
        public_ranges=True,
        protected=list(census.roles.protected),
        admissible=list(census.roles.admissible),
        outcome=list(census.roles.outcome),
    )
    with warnings.catch_warnings():
        # The point is that plain MST connects outcomes to whatever predicts them.
        warnings.simplefilter('ignore', FairnessWarning)
        synthesizer.fit(census.data)
    return synthesizer


def _measure(
    census: Dataset, rows: dict[str, pd.DataFrame], fair: PreFairSynthesizer
) -> pd.DataFrame:
    """Return a line for each table, and for the best that the guarantee permits."""
    (real,) = census.data.values()
    found = {
        name: (dependence_left(census, table, fair), *classifier_on(census, table, fair),
               two_way_error(census, table))
        for name, table in rows.items()
    }  # fmt: skip
    ceiling = classifier_on(census, real, fair, census.roles.admissible)
    found[CEILING] = (np.nan, *ceiling, np.nan)
    found[REAL] = (dependence_left(census, real, fair), *classifier_on(census, real, fair), np.nan)
    return pd.DataFrame.from_dict(found, orient='index', columns=_MEASURES)


def _introduce(census: Dataset, num_rows: int, epsilon: float, say: Say) -> None:
    roles = census.roles
    protected, outcome = listed(roles.protected), listed(roles.outcome)
    say(f'A simulated census of {num_rows:,} people, in which {protected} act on {outcome}')
    say(f'through {listed(roles.admissible)}, and directly.')
    say(f'PreFair promises synthetic rows without the direct part: {outcome} is independent of')
    say(f'{protected} given {listed(roles.admissible)}.')
    say('')
    say(f'Two private synthesizers, epsilon = {epsilon:g} each:')


def _meanings(census: Dataset) -> list[str]:
    (outcome,), protected = census.roles.outcome, census.roles.protected
    return [
        f'  direct dependence  I({outcome}; {", ".join(protected)} | admissible) in nats, beyond '
        'chance; promised',
        '                     to be 0 in the model',
        f'  conditional gap    by {protected[0]}, among people with the same admissible values, in '
        'what',
        '                     a classifier predicts for the real rows; signed, as in the paper',
        '  accuracy           of that classifier, trained on the rows named on the left',
        '  2-way error        of the synthetic table: mean total variation distance of all pairs',
    ]


def _given_up(census: Dataset, plain: PreFairSynthesizer, measured: pd.DataFrame) -> list[str]:
    accuracy, (outcome,) = 100 * measured['accuracy'], census.roles.outcome
    beside = [
        column
        for column in plain.get_fair_graph()[outcome]
        if column not in census.roles.admissible
    ]
    lost, short = accuracy[PLAIN] - accuracy[FAIR], accuracy[CEILING] - accuracy[FAIR]
    reached = f'is {short:.1f} points below it' if short >= 0.05 else 'reaches it'
    lines = [
        f'What was given up: {lost:.1f} points of accuracy against plain MST. Why: by guarantee',
        f'{outcome} depends on admissible columns only, and these alone reach '
        f'{accuracy[CEILING]:.1f} % on the real',
        f'rows. That is the ceiling, and PreFair {reached}.',
    ]
    if beside:
        lines.append(f'What plain MST has beyond it comes from {listed(beside)}.')
    return lines


def _promise(census: Dataset, fair: PreFairSynthesizer, say: Say) -> None:
    ledger = fair.get_privacy_ledger()
    footer = ledger.attrs
    say('')
    say(f'Where the privacy budget of PreFair went ({RHO_OF[footer["accounting"]]}):')
    for step, rho in ledger.groupby('step', sort=False)['rho'].sum().items():
        say(f'  {step:<28} {rho:.6f}  {rho / footer["rho"]:4.0%}')
    say(f'  {"total":<28} {ledger["rho"].sum():.6f}  exactly the budget')
    fair.verify_fairness()
    roles = census.roles
    say('')
    say('Guaranteed, whatever the data:')
    say(
        f'  - ({footer["epsilon"]:g}, {footer["delta"]:g})-differential privacy; neighbours '
        f'{footer["neighbours"]}.'
    )
    say(
        f'  - {", ".join(roles.outcome)} is independent of {", ".join(roles.protected)} given '
        f'{", ".join(roles.admissible)} (checked on the model).'
    )
    say('Not guaranteed: parity (effects through admissible columns remain), nor what a')
    say('classifier trained on the table does to real rows; the gap above was measured.')


def _write(
    fitted: dict[str, PreFairSynthesizer],
    rows: pd.DataFrame,
    measured: pd.DataFrame,
    lines: Sequence[str],
    folder: Path,
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rows.to_csv(folder / 'synthetic.csv', index=False)
    fitted[FAIR].save_release(folder / 'census.prefair')
    pictures = {name: one.visualize() for name, one in fitted.items()}
    write_demo_page(folder / 'graphs.html', pictures, measured, lines)
