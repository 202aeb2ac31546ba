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
# **Answer.** A larger epsilon means less noise and less privacy. Choose it before the fit, from
# what a person risks and from the ratio of rows to noise; the ledger shows what each count cost.
#
# **The argument.** Epsilon bounds what anyone can learn about one person, whatever else they know.
# The noise it requires does not depend on the table, so its effect does: the same noise hides a
# small group and hardly touches a large one. Both sides can be computed before the fit, without the
# private rows. That is when to choose.

# %%
import os
import warnings

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from sdv.metadata import Metadata

from sdv_prefair import NoiseWarning, PreFairSynthesizer
from sdv_prefair.datasets import simulate_census
from sdv_prefair.metrics import TwoWayTotalVariation
from sdv_prefair.plots import plot_ledger
from sdv_prefair.privacy import Ledger, PrivacyCurve, gaussian_epsilon_of, gaussian_rho_of

ROWS = int(os.environ.get('TUTORIAL_ROWS', 20_000))
SAMPLE = min(ROWS, 5_000)
EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0)
FITS = 3
census = simulate_census(num_rows=ROWS, seed=0)

# %% [markdown]
# ## What a person risks
#
# Suppose an attacker knows every row of the table except yours, and gives even odds that you are
# in it. Then they see everything the fit released, and guess. However clever they are, they are
# not right more often than this. `members found` is for an attacker who wants to be right about a
# few: the share of members found by a test that takes 1 in 1,000 others for members. All of it
# follows from the *privacy curve*, here of a fit whose noise is all Gaussian and whose delta is
# the default:

# %%
curves = {e: PrivacyCurve.of(Ledger(e, 1e-9, all_gaussian=True)) for e in EPSILONS}
pd.DataFrame([
    {
        'epsilon': epsilon,
        'a guess at even odds is right at most': f'{curve.guess():.1%}',
        'members found at most': f'{curve.true_positives(0.001):.2%}',
        'someone sure to 10 % gets sure to': f'{curve.posterior(0.1):.1%}',
    }
    for epsilon, curve in curves.items()
])

# %% [markdown]
# A coin toss is right half of the time, and a test at random finds 0.1 % of the members. (The last
# column is a bound with an exception: with a probability of 1 %, someone gets surer.) This is the
# worst case over all attackers and all tables. Most are far from it, but nobody can tell you how
# far.
#
# ## What the table gains
#
# The other side: how accurate is the synthetic table? The metric is the mean total variation
# distance over all two-way marginals, 0 if they are identical and 1 if they have nothing in common.
# We fit several times for each epsilon, to all rows and to a tenth of them. Where noise swamps
# columns, `fit` warns and names them; here it is the subject, so the warnings are only counted.
#
# **This compares with the real rows, outside any budget.** Doing it on your own table, and picking
# the epsilon you like, is itself a leak. Do it on public or simulated rows of the same shape, as
# here, and decide before you fit the real ones.


# %%
def fit(data, metadata=census.metadata, **options):
    """Fit with the roles of the census; no seed."""
    options = {'public_ranges': True} | census.roles.as_dict() | options
    synthesizer = PreFairSynthesizer(metadata, **options)
    synthesizer.fit(data, check=False)
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
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter('always', NoiseWarning)
                fits[name, epsilon] = fit(data, epsilon=epsilon)
            warned = any(issubclass(one.category, NoiseWarning) for one in told)
            errors.append((name, epsilon, error(data, fits[name, epsilon]), warned))
errors = pd.DataFrame(errors, columns=['table', 'epsilon', 'error', 'warned of noise'])
errors.groupby(['table', 'epsilon'], sort=False)['warned of noise'].sum().unstack()

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
# From left to right, the error falls with epsilon and levels off. What remains on the right is not
# noise: the model captures only pairs, the sample is finite, and the direct effect of sex and race
# on income is left out on purpose. A larger epsilon does not change that. The number of pairs
# depends on the noise: the plan includes those that are worth their noise.
#
# Compare the curves: ten times as many rows are worth about ten times the epsilon, because noise
# does not grow with the table. So "which epsilon is normal?" has no answer without "for how many
# rows?".
#
# ## What sigma means, in rows
#
# The synthesizer learns only counts: how many rows have this occupation and that income. Each count
# gets noise with standard deviation **sigma, in rows**: two thirds of the noisy counts are within
# sigma of the truth, nearly all within two sigma. The graph of the model records sigma for each
# measured pair. Compare it with the average number of rows per cell:

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
# Pairs with few cells are far above the noise; the more cells a pair has, the fewer rows are in
# each, and the closer it gets to sigma. Cells are also uneven: many have far fewer rows than
# average, and are mostly noise. If that matters, use fewer bins ([tutorial
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
# Ten times the epsilon gives about a tenth of the sigma.
#
# ## The ledger
#
# Every query on the rows is a line. `mechanism` says how noise was added, `columns` what was
# queried, `rho` what it cost, `delta` the share of delta it used (only learning unknown categories
# uses any), and `scale` is sigma in rows, for counts and for scores of pairs.

# %%
ledger = fits[largest, 1.0].get_privacy_ledger()
ledger.groupby('step', sort=False).head(2)

# %%
plot_ledger(ledger, title='Privacy budget of one fit, epsilon = 1').update_layout(
    width=800, height=430
).show()

# %% [markdown]
# Each slice of a bar is a line. Why rho and not epsilon? Adding up the epsilons of many noisy
# counts is not tight; rho simply adds up. All noise of this fit is Gaussian, so rho is that of
# Gaussian differential privacy (`accounting` is GDP; a fit with other noise uses zero-concentrated
# differential privacy). The sum is exactly the budget, and is converted into epsilon once, at the
# end:

# %%
footer = ledger.attrs
print('sum of the lines      ', ledger['rho'].sum())
print('budget                ', footer['rho'])
print('epsilon it stands for ', round(gaussian_epsilon_of(footer['rho'], footer['delta']), 6))

# %% [markdown]
# ## Protected against what?
#
# The footer says what the guarantee covers. **Neighbours** are two tables, one of which has one
# more row. Some definitions *replace* a row instead; that is a larger step, and the same fit then
# has a larger epsilon. If people had twice as many rows as you thought, it would be larger still:

# %%
pd.Series({
    name: f'{value:.4g}' if isinstance(value, float) else value for name, value in footer.items()
}).to_frame('footer')

# %% [markdown]
# When you compare with another tool, use the same neighbouring relation.
#
# ## One person, many rows
#
# A table of visits, loans or months has several rows per person. Then the unit to protect is a
# person, not a row. Say which column identifies people, and how many rows of each may be used. The
# rest are dropped, and the noise covers all that remain.

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
# Sigma grows in proportion to the bound, and the number of rows used grows more slowly, so the last
# column falls: as far as noise is concerned, one row per person is best. A larger bound is worth it
# only if a person's first rows say too little about the rest. Without `person_column` nothing is
# dropped, and we take your word for `max_rows_per_person`.
#
# ## Several fits add up
#
# A second fit of the same table, with other roles or after a change of mind, is a second query on
# the same people. Add the rhos and convert once; the result is less than the sum of the epsilons,
# but it grows.

# %%
count = np.arange(1, 21)
figure = go.Figure()
figure.add_scatter(
    x=count, y=[gaussian_epsilon_of(n * footer['rho'], footer['delta']) for n in count],
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
# Sampling costs nothing: sample as many rows as you like from one fit. Fits that learn categories
# also use up delta, and those deltas add up as well.
#
# ## And delta?
#
# Delta is what is added to the bound: no result becomes more likely, because of you, than by the
# factor exp(epsilon), and by delta in addition. It is not the probability that the factor is
# exceeded, which is larger. It must be far below one over the number of people; otherwise "publish
# one random person" would satisfy it. Being strict is cheap:

# %%
strictness = pd.DataFrame({'delta': [1e-5, 1e-7, 1e-9, 1e-12]})
strictness['rho at epsilon 1'] = [
    float(gaussian_rho_of(1.0, delta)) for delta in strictness['delta']
]
reference = strictness['rho at epsilon 1'].iloc[2]
strictness['sigma, relative to the default'] = np.sqrt(reference / strictness['rho at epsilon 1'])
strictness['the loss exceeds epsilon with probability'] = [
    PrivacyCurve.of(Ledger(1.0, delta, all_gaussian=True)).exceeds(1.0)
    for delta in strictness['delta']
]
strictness.style.format({
    'delta': '{:.0e}',
    'the loss exceeds epsilon with probability': '{:.1e}',
    'rho at epsilon 1': '{:.4f}',
    'sigma, relative to the default': '{:.2f}',
})

# %% [markdown]
# ## What to remember
#
# - A larger epsilon means less noise and less privacy. Look at the curve, not only at epsilon: it
#   says what a guess, a test or a belief can gain.
# - Sigma is in rows. Compare it with the size of the smallest group you care about.
# - Choose epsilon on simulated or public rows of the same shape, then fit the real table once.
# - The ledger is the proof: its lines add up to the budget. Fits add up too; samples are free.
# - Know your unit: one row added or removed, unless you say how many rows a person has.
#
# Next: [04: What do ranges leak?](04_what_do_ranges_leak.ipynb)
