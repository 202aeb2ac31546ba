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
# # How far off is it?
#
# **Question.** I have computed a share, a mean, a difference from a release. How far may it be from
# the truth?
#
# **Answer.** Ask `estimate`, not the rows: it answers from the release, with an interval, and says
# what the interval rests on. Nothing is spent for it.

# %%
import os
import warnings

import pandas as pd

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets import simulate_census
from sdv_prefair.inference import Difference, Mean, Share, combine
from sdv_prefair.plots import plot_estimate

ROWS = int(os.environ.get('TUTORIAL_ROWS', 20_000))
REPLICATES = 20 if ROWS < 5_000 else 60
population = simulate_census(num_rows=200_000, seed=1)
census = simulate_census(num_rows=ROWS, seed=0)
everybody, table = population.data['census'], census.data['census']

synthesizer = PreFairSynthesizer(census.metadata, public_ranges=True, **census.roles.as_dict())
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    synthesizer.fit(census.data)
print(*(warning.message for warning in caught), sep='\n')
spent = synthesizer.get_privacy_ledger()

# %% [markdown]
# ## A marginal
#
# All single columns were measured: their noisy counts are in the release, and how noisy they are is
# known exactly. So the interval is exact, too. `basis` says `measured`.

# %%
found = synthesizer.estimate('education')
found.assign(truth=everybody['education'].value_counts(normalize=True))

# %%
plot_estimate(found, 'Education, with 95 % intervals').show()

# %% [markdown]
# These intervals are for the population that the private rows were drawn from. They hold two kinds
# of chance: which people are in the table, and the noise. For the private table itself there is the
# noise alone:

# %%
widths = pd.DataFrame({
    name: synthesizer.estimate('education', sampling=sampling).eval('upper - lower')
    for name, sampling in (('for the population', True), ('for the table', False))
})
widths

# %% [markdown]
# ## Shares given something else, means, differences
#
# Where no measured table tells, the whole release is made again many times: rows drawn from the
# model, counted, made noisy, fitted. How far these replicates stray is the error. They are drawn
# when first needed, or by hand; 200 of them are usual, here are fewer.

# %%
synthesizer.replicates(REPLICATES, seed=1, progress=False)
hours = synthesizer.estimate(Mean('hours', given='education'))
hours.assign(truth=everybody.groupby('education')['hours'].mean())

# %%
plot_estimate(hours, 'Mean hours by education').show()

# %%
synthesizer.estimate(Difference(Share({'home_owner': True}), {'sex': ('male', 'female')}))

# %% [markdown]
# Queries can be texts as well, as on the command line:
# `sdv-prefair estimate people.prefair "mean of hours by education"`.

# %%
synthesizer.estimate('median of age by education')

# %% [markdown]
# ## What no interval says
#
# The model leaves out, on purpose, what ties income to sex other than through admissible columns.
# So this is the gap of the fair model, with the noise in it. It is not the gap that the population
# has, and its `basis` says so: `fair model`.

# %%
gap = synthesizer.estimate('difference in income by sex')
by_sex = everybody.groupby('sex')['income'].value_counts(normalize=True).unstack()
print('In the population:', (by_sex.loc['male'] - by_sex.loc['female']).round(3).to_dict())
gap

# %% [markdown]
# An interval with `basis` `model` holds the truth if the truth is as the model's graph says. It
# does not know of a dependence that the graph has no edges for, and at small epsilon there are few.
#
# ## Any statistic
#
# A function of a table, computed on rows of the model and of every replicate:


# %%
def mean_hours_of_owners(rows: pd.DataFrame) -> pd.Series:
    return rows.groupby('home_owner')['hours'].mean().rename({True: 'owners', False: 'others'})


synthesizer.estimate_statistic(mean_hours_of_owners, num_rows=2_000, progress=False)

# %% [markdown]
# Or take tables away, analyse each as you would a real one, and combine. The rows of these tables
# are independent, so the usual variances are right for each of them; the combining rules add the
# noise of the fit.

# %%
shares = [
    (rows['census']['income'] == '>50K').mean()
    for rows in synthesizer.sample_replicates(m=10, num_rows=2_000, seed=2)
]
combine(shares, [share * (1 - share) / 2_000 for share in shares])

# %% [markdown]
# And the ledger is what it was before:

# %%
synthesizer.get_privacy_ledger().equals(spent)
