"""What classifiers do to groups, signed and unsigned: on all columns, and on admissible ones.

On COMPAS, Adult and three generated tables at epsilon 1, each classifier is trained on rows of
plain MST, of the default and on real rows, with all columns and with the admissible ones, and
predicts real rows. Beside the paper's CDP, whose differences in opposite directions cancel, stands
the mean unsigned gap within strata minus that of shuffled predictions; and what it costs, in area
under the curve, to see the admissible columns only. Writes ``results/unsigned_gaps.md``.
Run: ``python benchmarks/unsigned_gaps.py FOLDER [fits]``, a few minutes.
"""

import sys
import time
import warnings
from pathlib import Path

import pandas as pd
from generated_tables import SHAPES, make_network

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets import load_adult, load_compas
from sdv_prefair.fairness._joint_test import ComparableRows
from sdv_prefair.fairness._verdicts import mean_gap
from sdv_prefair.metrics import ConditionalDemographicParity, predict_real, read_tables
from sdv_prefair.metrics._downstream import area_under_curve, half_and_half
from sdv_prefair.metrics._groups import group_names, strata_of

RESULTS = Path(__file__).parent / 'results' / 'unsigned_gaps.md'
GENERATED = ('strong reasons', 'skewed, up to 100 codes', 'stand-ins')
EPSILON = 1.0


def generated(name):
    """Return a function that draws a table of this shape."""
    (shape,) = (shape for shape in SHAPES if shape.name == name)
    return lambda folder: make_network(shape, 0).draw(shape.rows, 0)


TABLES = {
    'COMPAS': (load_compas, ['linear', 'mlp', 'forest']),
    'Adult': (load_adult, ['linear']),
    **{f'generated: {name}': (generated(name), ['linear']) for name in GENERATED},
}


def synthesize(dataset, structure):
    """Return rows of a fit."""
    (real,) = dataset.data.values()
    synthesizer = PreFairSynthesizer(
        dataset.metadata, epsilon=EPSILON, public_ranges=True, structure=structure,
        **(dataset.roles.as_dict() if structure != 'none' else {}),
    )  # fmt: skip
    synthesizer.fit(dataset.data)
    (rows,) = synthesizer.sample(len(real)).values()
    return rows


def measure(dataset, rows, model, features, seed):
    """Return CDP, the unsigned gap and the AUC; ``rows`` are ``None`` for half of the real ones."""
    (real,), (described,) = dataset.data.values(), dataset.metadata.tables.values()
    (outcome,) = dataset.roles.outcome
    whole = read_tables(real, real if rows is None else rows, described.to_dict())
    tables = half_and_half(whole, seed)[int(rows is None)]
    prediction = predict_real(tables, outcome, model, seed, features)
    strata = strata_of(tables, dataset.roles.admissible, None).codes[0]
    label = tables.real[outcome].to_numpy(dtype=object)
    group = group_names(tables, dataset.roles.protected[0], None)
    signed = ConditionalDemographicParity.compare_groups(
        prediction, label, group, strata, bootstraps=0
    )['score']
    rows = ComparableRows(group, prediction, strata)
    unsigned, _ = mean_gap(rows)
    if rows.coverage < 0.5:
        signed = unsigned = float('nan')
    return signed, unsigned, area_under_curve(tables, outcome, model, seed, features)


def lines_of(name, folder, fits):
    """Yield a line for each classifier and what it learnt from."""
    load, models = TABLES[name]
    dataset = load(folder)
    for seed in range(fits):
        sources = {
            'plain MST': synthesize(dataset, 'none'),
            'default': synthesize(dataset, 'planned'),
            'real rows': None,
        }
        for source, rows in sources.items():
            for model in models:
                for seen, features in (('all', None), ('admissible', dataset.roles.admissible)):
                    figures = measure(dataset, rows, model, features, seed)
                    yield (name, model, source, seen, *figures)


def cost_lines(means):
    """Return what a logistic regression that sees admissible columns only costs, by table."""
    linear = means[means['classifier'] == 'linear']
    areas = linear.pivot(index='table', columns=['learnt from', 'columns'], values='AUC')
    lines = [
        '',
        '## What it costs to see the admissible columns only',
        '',
        'AUC of a logistic regression. The loss is that of learning from the rows of the default, '
        'beside the admissible columns of real rows, and its gap is exactly 0 either way.',
        '',
        '| table | default, admissible | real rows, admissible | loss | default, all columns |',
        '|---|---|---|---|---|',
    ]
    for table in linear['table'].unique():
        ours, real, every = (
            areas.loc[table, key]
            for key in (('default', 'admissible'), ('real rows', 'admissible'), ('default', 'all'))
        )
        lines.append(f'| {table} | {ours:.3f} | {real:.3f} | {real - ours:.3f} | {every:.3f} |')
    return lines


def main():
    """Measure, and write the page."""
    warnings.simplefilter('ignore')
    folder, fits = Path(sys.argv[1]), int((sys.argv[2:] + ['3'])[0])
    began = time.perf_counter()
    lines = [line for name in TABLES for line in lines_of(name, folder, fits)]
    names = ['table', 'classifier', 'learnt from', 'columns', 'signed', 'unsigned', 'AUC']
    found = pd.DataFrame(lines, columns=names)
    grouped = found.groupby(names[:4], sort=False)[names[4:]]
    means, errors = grouped.mean().reset_index(), grouped.sem().reset_index()
    text = [
        '# Gaps of classifiers, signed and unsigned',
        '',
        f'Means of {fits} fits at epsilon {EPSILON:g}, with standard errors. Signed is the CDP of '
        'the paper; unsigned the mean unsigned gap between groups within strata of the admissible '
        'columns (exact values), minus that of shuffled predictions, which may be below 0 by '
        'chance. Groups are those of the first protected column. Where most real rows are in '
        'strata with one group, as on Adult, a gap cannot be told. Predictions are of the half of '
        'the real rows that no classifier has seen.',
        '',
        f'| {" | ".join(names)} |',
        '|' + '---|' * len(names),
    ]
    for row, error in zip(
        means.itertuples(index=False), errors.itertuples(index=False), strict=True
    ):
        told = [
            '–'
            if mean != mean
            else f'{mean:.3f} ± {spread:.3f}'
            if spread >= 0.0005
            else f'{mean:.3f}'
            for mean, spread in zip(row[4:], error[4:], strict=True)
        ]
        text.append('| ' + ' | '.join([*row[:4], *told]) + ' |')
    text += cost_lines(means)
    text += ['', f'*{time.perf_counter() - began:.0f} s on one core.*', '']
    RESULTS.write_text('\n'.join(text), encoding='utf-8')
    print('\n'.join(text))


if __name__ == '__main__':
    main()
