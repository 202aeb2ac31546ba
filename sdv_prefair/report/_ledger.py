"""Where the privacy budget went: a chart, a line for each access, and the footer."""

from xml.etree.ElementTree import Element

import pandas as pd
import plotly.graph_objects as go

from sdv_prefair.plots import plot_ledger
from sdv_prefair.plots._style import SEQUENCE, plain_text
from sdv_prefair.privacy._ledger_words import GDP, MEASURE_TWO_WAYS, ZCDP
from sdv_prefair.report._elements import num, paragraph, plot, section, table, tag
from sdv_prefair.report._facts import Facts
from sdv_prefair.report._words import counted, percent, short, some_of

_UNITS = {
    ZCDP: 'zero-concentrated differential privacy',
    GDP: 'Gaussian differential privacy (rho is half of mu squared): all noise is Gaussian, so the '
    'whole fit is one Gaussian mechanism',
}
# A threshold on categories covers the rows a person may have, and no more.
_UNKNOWN = 'no promise: values were learnt by threshold'


def ledger_section(facts: Facts) -> Element:
    """Return the ledger as a chart and as tables."""
    steps = _by_step(facts.ledger)
    return section(
        'ledger',
        'Where the privacy budget went',
        paragraph(
            'Every access to the private rows is a line of the ledger, written before the answer '
            f'is given. The lines add up to rho = {short(facts.promise["rho"])} of '
            f'{_UNITS[facts.promise["accounting"]]}. This is the whole budget that epsilon and '
            'delta allow.'
        ),
        _repeated(facts.ledger),
        plot(_picture(facts.ledger), _in_words(steps)),
        _steps_table(steps),
        tag(
            'details',
            tag('summary', f'All {counted(len(facts.ledger), "line")} of the ledger'),
            _lines_table(facts.ledger),
        ),
        _footer(facts),
        *_attempts(facts),
    )


def _repeated(ledger: pd.DataFrame) -> Element | None:
    if not ledger.loc[ledger['step'] == MEASURE_TWO_WAYS, 'columns'].duplicated().any():
        return None
    return paragraph(
        'Pairs were measured twice: first to find out which further pairs the model needs, and '
        'again at the end with the remaining budget. Both are paid for, and the model uses both.'
    )


def _picture(ledger: pd.DataFrame) -> go.Figure:
    names = ledger['columns'].map(lambda names: tuple(plain_text(name) for name in names))
    figure = plot_ledger(ledger.assign(columns=names), title='')
    return figure.update_layout(
        title=None, colorway=SEQUENCE, height=340, margin={'l': 60, 'r': 20, 't': 20, 'b': 40},
        legend={'orientation': 'h', 'y': -0.18},
    )  # fmt: skip


def _by_step(ledger: pd.DataFrame) -> pd.DataFrame:
    steps = ledger.groupby(['step', 'mechanism'], sort=False)
    return steps.agg(lines=('rho', 'size'), rho=('rho', 'sum')).reset_index()


def _in_words(steps: pd.DataFrame) -> str:
    total = steps['rho'].sum()
    shares = [f'{row.step} {percent(row.rho / total, 0)}' for row in steps.itertuples()]
    return f'Bars of the budget by step: {"; ".join(shares)}.'


def _steps_table(steps: pd.DataFrame) -> Element:
    total = steps['rho'].sum()
    rows = [
        (row.step, row.mechanism, num(str(row.lines)), num(f'{row.rho:.6f}'),
         num(percent(row.rho / total)))
        for row in steps.itertuples()
    ]  # fmt: skip
    lines = str(steps['lines'].sum())
    rows.append(('all', '', num(lines), num(f'{total:.6f}'), num(percent(1.0))))
    return table('The budget by step', ('Step', 'Mechanism', 'Lines', 'rho', 'Share of rho'), rows)


def _lines_table(ledger: pd.DataFrame) -> Element:
    rows = [
        (line.step, line.mechanism, some_of([str(name) for name in line.columns]),
         num(f'{line.rho:.3e}'), num(short(line.delta) if line.delta else ''),
         num(short(line.scale)))
        for line in ledger.itertuples()
    ]  # fmt: skip
    header = ('Step', 'Mechanism', 'Columns', 'rho', 'delta', 'Scale')
    caption = 'The ledger; scale is sigma in rows for measurements, epsilon for choices'
    return table(caption, header, rows)


def _attempts(facts: Facts) -> list[Element]:
    """Return all attempts, if this fit was not the only one to spend budget."""
    if not facts.spent_elsewhere:
        return []
    promise = facts.promise
    total = (
        f'rho = {short(promise["rho_all_attempts"])}, epsilon = '
        f'{short(promise["epsilon_all_attempts"])}, delta = {short(promise["delta_all_attempts"])}'
        if promise['private_all_attempts']
        else 'no guarantee at all, because a seed was given'
    )
    rows = [
        (num(str(row.attempt)), row.call, row.outcome, 'yes' if row.private else 'no: seeded',
         num(str(row.lines)), num(f'{row.rho:.6f}'), num(short(row.delta) if row.delta else ''))
        for row in facts.account.itertuples()
    ]  # fmt: skip
    header = ('Attempt', 'Call', 'Outcome', 'Private', 'Lines', 'rho', 'delta')
    return [
        paragraph(
            'This fit was not the only attempt. For anyone who is in the table of every attempt, '
            f'the guarantee is their sum: {total}.'
        ),
        table('All attempts to fit this synthesizer', header, rows),
    ]


def _footer(facts: Facts) -> Element:
    promise, rows = facts.promise, facts.promise['max_rows_per_person']
    unit = '1 row' if rows == 1 else f'{rows} rows'
    units = {
        f'adding or removing {unit} of a person (this release)': promise['epsilon'],
        f'replacing {unit} of a person by others': promise['epsilon_if_replace_one'],
        f'adding or removing twice as many, {2 * rows} rows': promise['epsilon_if_twice_the_rows'],
    }
    delta = num(short(promise['delta']))
    return table(
        'What the same fit guarantees for other units of privacy',
        ('Tables differ by', 'epsilon', 'delta'),
        [
            (name, num(short(epsilon)), delta) if epsilon is not None else (name, _UNKNOWN, '')
            for name, epsilon in units.items()
        ],
    )
