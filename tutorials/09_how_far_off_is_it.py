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
# **Question.** I have computed a share, a mean or a difference from a release. How large is its
# error?
#
# **Answer.** Use `estimate` instead of the rows: it answers from the release, with a confidence
# interval, and says what the interval is based on. It costs no budget.
#
# **The argument.** A number computed from synthetic rows has three sources of error: the people in
# the table are a sample, the counts are noisy, and the model simplifies. The first two can be
# quantified from the release, because the noise scale is public. The third cannot: no interval
# covers a dependence that nobody measured. So every interval comes with its basis.

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
# All single columns were measured: their noisy counts are in the release, and the noise
# distribution is known exactly. So the interval is exact, too. `basis` says `measured`.

# %%
found = synthesizer.estimate('education')
found.assign(truth=everybody['education'].value_counts(normalize=True))

# %%
plot_estimate(found, 'Education, with 95 % intervals').show()

# %% [markdown]
# These intervals are for the population that the private rows were sampled from. They include
# sampling error and noise. For the private table itself, only the noise counts:

# %%
widths = pd.DataFrame({
    name: synthesizer.estimate('education', sampling=sampling).eval('upper - lower')
    for name, sampling in (('for the population', True), ('for the table', False))
})
widths

# %% [markdown]
# ## Conditional shares, means, differences
#
# If no measured table answers the query, a parametric bootstrap repeats the whole release many
# times: sample rows from the model, count, add noise, fit. The spread of these replicates estimates
# the error. They are computed when first needed, or explicitly; the default is 200, here we use
# fewer.

# %%
synthesizer.replicates(REPLICATES, seed=1, progress=False)
hours = synthesizer.estimate(Mean('hours', given='education'))
hours.assign(truth=everybody.groupby('education')['hours'].mean())

# %%
plot_estimate(hours, 'Mean hours by education').show()

# %% [markdown]
# The next pair was measured, so its interval is around the measured difference. The estimate is the
# model's, as everywhere, which is drawn a little towards the rest of the graph: it need not be in
# the middle.

# %%
synthesizer.estimate(Difference(Share({'home_owner': True}), {'sex': ('male', 'female')}))

# %% [markdown]
# Queries can also be strings, as on the command line: `sdv-prefair estimate people.prefair "mean of
# hours by education"`.

# %%
synthesizer.estimate('median of age by education')

# %% [markdown]
# ## What no interval covers
#
# The model deliberately leaves out any dependence of income on sex except through admissible
# columns. So the next gap, which must be asked for as one in the fair table, is not the gap in the
# population. Its `basis` says so too: `fair model`.

# %%
gap = synthesizer.estimate('difference in income by sex', in_the_fair_table=True)
by_sex = everybody.groupby('sex')['income'].value_counts(normalize=True).unstack()
print('In the population:', (by_sex.loc['male'] - by_sex.loc['female']).round(3).to_dict())
gap

# %% [markdown]
# An interval with `basis` `model` is valid if the model's graph is correct. It ignores dependences
# that the graph has no edges for, and at small epsilon the graph has few edges.
#
# ## Any statistic
#
# Any function of a table can be computed on rows of the model and of every replicate:


# %%
def mean_hours_of_owners(rows: pd.DataFrame) -> pd.Series:
    return rows.groupby('home_owner')['hours'].mean().rename({True: 'owners', False: 'others'})


synthesizer.estimate_statistic(mean_hours_of_owners, num_rows=2_000, progress=False)

# %% [markdown]
# Or generate several tables, analyse each as you would a real one, and combine the results. The
# rows of these tables are independent, so the usual variances are right for each of them; the
# combining rules add the noise of the fit.

# %%
shares = [
    (rows['census']['income'] == '>50K').mean()
    for rows in synthesizer.sample_replicates(m=10, num_rows=2_000, seed=2)
]
combine(shares, [share * (1 - share) / 2_000 for share in shares])

# %% [markdown]
# The ledger has not changed:

# %%
synthesizer.get_privacy_ledger().equals(spent)
