# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # How much epsilon?
#
# **Question.** What does epsilon mean, how large should it be, and how do I read the ledger?
#
# **Answer.** Larger epsilon, less noise, less privacy. Choose it before the fit, from what a person
# risks and from how many rows stand against the noise; the ledger says what each count paid.

# %%
import os

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets import simulate_census
from sdv_prefair.metrics import TwoWayTotalVariation
from sdv_prefair.plots import plot_ledger
from sdv_prefair.privacy.accounting import epsilon_of, rho_of

ROWS = int(os.environ.get('TUTORIAL_ROWS', 20_000))
SAMPLE = min(ROWS, 5_000)
EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0)
FITS = 3
census = simulate_census(num_rows=ROWS, seed=0)

# %% [markdown]
# ## What a person risks
#
# Somebody knows every row of the table but yours, and does not know whether you are in it:
# fifty-fifty. Then they see everything the fit released. However clever they are, they cannot
# become surer than this (but for a chance of `delta`):

# %%
risk = pd.DataFrame({'epsilon': EPSILONS})
risk['surest an attacker can become'] = [f'{1 / (1 + np.exp(-e)):.3%}' for e in EPSILONS]
risk

# %% [markdown]
# At 0.1 they have learnt next to nothing. At 1 they may hold a fair bet. At 10 the bound says
# nothing any more; whatever protects you then is not the proof. This is the worst case over all
# attackers and all tables. Most are far from it, but nobody can tell you how far.
#
# ## What the table gains
#
# The other side: how close is the synthetic table? The measure is the mean total variation distance
# over all pairs of columns, 0 for the same and 1 for nothing in common. Several fits of each
# epsilon, for all the rows and for a tenth of them.
#
# **This compares with the real rows, which no ledger pays for.** Doing it on your own table, and
# picking the epsilon you like, is itself a leak. Do it on public or made-up rows of the same shape,
# as here, and decide before you fit the real ones.


# %%
def fit(data, metadata=census.metadata, **options):
    """Fit with the roles of the census; no seed."""
    options = {'public_ranges': True} | census.roles.as_dict() | options
    synthesizer = PreFairSynthesizer(metadata, **options)
    synthesizer.fit(data)
    return synthesizer


def error(data, synthesizer):
    """Mean distance of all two-way tables; not private."""
    rows = synthesizer.sample(num_rows=SAMPLE)
    return TwoWayTotalVariation.compute(data['census'], rows['census'], census.metadata)


TABLES = {
    f'{ROWS:,} rows': census.data,
    f'{ROWS // 10:,} rows': {'census': census.data['census'].head(ROWS // 10)},
}
fits = {}
errors = []
for name, data in TABLES.items():
    for epsilon in EPSILONS:
        for _ in range(FITS):
            fits[name, epsilon] = fit(data, epsilon=epsilon)
            errors.append((name, epsilon, error(data, fits[name, epsilon])))
errors = pd.DataFrame(errors, columns=['table', 'epsilon', 'error'])

# %%
figure = go.Figure()
for (name, points), colour in zip(
    errors.groupby('table', sort=False), ('#0072B2', '#D55E00'), strict=True
):
    mean = points.groupby('epsilon')['error'].mean()
    figure.add_scatter(
        x=mean.index, y=mean, mode='lines', name=f'{name}, mean', line={'color': colour}
    )
    figure.add_scatter(
        x=points['epsilon'], y=points['error'], mode='markers', name=f'{name}, each fit',
        marker={'color': colour, 'size': 8, 'opacity': 0.6},
    )  # fmt: skip
figure.update_xaxes(type='log', tickvals=EPSILONS, title='epsilon (log scale)')
figure.update_layout(
    title='Error of the synthetic table: more epsilon or more rows, less noise',
    yaxis_title='mean total variation distance of pairs', yaxis_rangemode='tozero',
    template='plotly_white', width=860, height=460,
)  # fmt: skip
figure.show()

# %% [markdown]
# Read it from left to right: error falls with epsilon, and flattens. What is left on the right is
# not noise: it is that the model holds pairs and no more, that rows are finitely many, and that the
# direct effect of sex and race on income is kept out on purpose. More epsilon cannot buy that. How
# many pairs it holds depends on the noise: the plan takes those that are worth theirs.
#
# Compare the lines: ten times the rows are worth about ten times the epsilon, for noise does not
# grow with the table. So "which epsilon is normal?" has no answer without "for how many rows?".
#
# ## What sigma means, in rows
#
# All the synthesizer learns is counts: how many rows have this occupation and that income. Each
# count gets noise with standard deviation **sigma, in rows**: two thirds of the noisy counts lie
# within sigma of the truth, nearly all within two. The graph of the model knows sigma for each pair
# it measured. Hold it against the rows that a cell has on average:

# %%
largest = f'{ROWS:,} rows'
pairs = pd.DataFrame([
    {'pair': f'{one} - {other}', **about}
    for one, other, about in fits[largest, 1.0].get_fair_graph().edges(data=True)
])
pairs['rows per cell'] = ROWS / pairs['cells']
pairs['sigma / rows per cell'] = pairs['sigma'] / pairs['rows per cell']
pairs.sort_values('cells').round(2)

# %% [markdown]
# Pairs with few cells stand far above the noise; the more cells a pair has, the fewer rows are in
# each, and the nearer it comes to sigma. And cells are uneven: many hold far fewer rows than the
# average, and are noise. If that matters, use fewer bins ([tutorial
# 04](04_what_do_ranges_leak.ipynb)), more rows, or more epsilon. Small groups suffer first: a group
# of fifty people under a sigma of fifty is invisible.
#
# The same count under each epsilon:

# %%
noise = []
for epsilon in EPSILONS:
    ledger = fits[largest, epsilon].get_privacy_ledger()
    line = ledger[ledger['columns'] == ('occupation',)].iloc[0]
    noise.append({
        'epsilon': epsilon,
        'rho, whole budget': ledger.attrs['rho'],
        'sigma of an occupation': line['scale'],
    })
pd.DataFrame(noise).round(5)

# %% [markdown]
# Ten times the epsilon is about a tenth of the sigma.
#
# ## The ledger
#
# Every question asked of the rows is a line. `mechanism` says how noise came in, `columns` what was
# looked at, `rho` what it cost, `delta` the part of delta it used (only learning unknown categories
# does), `scale` is sigma in rows, of counts and of the scores by which pairs are planned.

# %%
ledger = fits[largest, 1.0].get_privacy_ledger()
ledger.groupby('step', sort=False).head(2)

# %%
plot_ledger(ledger, title='Privacy budget of one fit, epsilon = 1').update_layout(
    width=800, height=430
).show()

# %% [markdown]
# Each slice of a bar is a line. Why rho and not epsilon? Epsilons of many noisy counts do not add
# up tightly; rho (of zero-concentrated differential privacy) simply adds. The sum is the budget to
# the last bit, and is turned into epsilon once, at the end:

# %%
footer = ledger.attrs
print('sum of the lines      ', ledger['rho'].sum())
print('budget                ', footer['rho'])
print('epsilon it stands for ', round(epsilon_of(footer['rho'], footer['delta']), 6))

# %% [markdown]
# ## Protected against what?
#
# The footer says what the promise is about. **Neighbours** are two tables of which one has one row
# more. Some definitions *replace* a row instead; that is a larger step, and the same fit then has a
# larger epsilon. And if people had twice the rows you thought, it would be larger still:

# %%
pd.Series({
    name: f'{value:.4g}' if isinstance(value, float) else value for name, value in footer.items()
}).to_frame('footer')

# %% [markdown]
# When you compare with another tool, compare under the same neighbours.
#
# ## One person, many rows
#
# A table of visits, loans or months has several rows for a person. Then a row is not the unit to
# protect: a person is. Say which column tells people apart, and how many rows of one may be used.
# Others are dropped; the noise covers all that are left.

# %%
description = census.metadata.to_dict()
del description['tables']['census']['primary_key']
visits_metadata = Metadata.load_from_dict(description)
times = np.random.default_rng(0).integers(1, 6, size=ROWS // 3)
visits = census.data['census'].head(ROWS // 3)
visits = {'census': visits.loc[visits.index.repeat(times)].reset_index(drop=True)}

persons = []
for most in (1, 2, 5):
    synthesizer = fit(visits, visits_metadata, person_column='person_id', max_rows_per_person=most)
    ledger = synthesizer.get_privacy_ledger()
    used = visits['census'].groupby('person_id').size().clip(upper=most).sum()
    sigma = ledger.loc[ledger['columns'] == ('occupation',), 'scale'].iloc[0]
    persons.append({
        'max_rows_per_person': most,
        'neighbours': ledger.attrs['neighbours'],
        'rows used (not private)': used,
        'sigma of an occupation': round(sigma, 1),
        'rows / sigma': round(used / sigma),
    })
pd.DataFrame(persons)

# %% [markdown]
# Sigma grows in proportion to the bound, and the rows used grow more slowly, so the last column
# falls: for the noise alone, one row of each person is best. A larger bound is worth it only where
# the first rows of a person say too little about the rest. Without `person_column` nothing is
# dropped, and `max_rows_per_person` is your word for how the table was made.
#
# ## Several fits add up
#
# A second fit of the same table, with other roles or after a change of mind, is a second look at
# the same people. Add the rhos and convert once; that is less than the sum of the epsilons, but it
# grows.

# %%
count = np.arange(1, 21)
figure = go.Figure()
figure.add_scatter(
    x=count, y=[epsilon_of(n * footer['rho'], footer['delta']) for n in count],
    mode='lines+markers', name='rhos added, then converted', line={'color': '#0072B2'},
)  # fmt: skip
figure.add_scatter(
    x=count, y=count * footer['epsilon'], mode='lines', name='epsilons added',
    line={'color': '#9A9A9A', 'dash': 'dash'},
)  # fmt: skip
figure.update_layout(
    title='What fits of one table cost together, epsilon = 1 each',
    xaxis_title='number of fits', yaxis_title='epsilon of all fits together',
    template='plotly_white', width=800, height=430,
)  # fmt: skip
figure.show()

# %% [markdown]
# Sampling costs nothing: draw as many rows as you like from one fit. Fits that learn categories
# also use up delta, and those deltas add as well.
#
# ## And delta?
#
# Delta is the chance that the promise fails. It must be far below one over the number of people, or
# "publish one random person" would pass. Being strict is cheap:

# %%
strictness = pd.DataFrame({'delta': [1e-5, 1e-7, 1e-9, 1e-12]})
strictness['rho at epsilon 1'] = [float(rho_of(1.0, delta)) for delta in strictness['delta']]
reference = strictness['rho at epsilon 1'].iloc[2]
strictness['sigma, relative to the default'] = np.sqrt(reference / strictness['rho at epsilon 1'])
strictness.style.format({
    'delta': '{:.0e}',
    'rho at epsilon 1': '{:.4f}',
    'sigma, relative to the default': '{:.2f}',
})

# %% [markdown]
# ## What to remember
#
# - Larger epsilon means less noise and less privacy. Around 1 the bound still says something to a
#   person; at 10 it does not.
# - Sigma is in rows. Hold it against the rows of the smallest group you care about.
# - Choose epsilon on made-up or public rows of the same shape, then fit the real table once.
# - The ledger is the proof: its lines add up to the budget. Fits add up too; samples are free.
# - Know your unit: one row added or removed, unless you say how many rows a person has.
#
# Next: [04: What do ranges leak?](04_what_do_ranges_leak.ipynb)
