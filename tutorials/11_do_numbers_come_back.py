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
# # Do numbers come back?
#
# **Question.** My table has numbers: amounts that are mostly zero, a long tail, hours that are
# usually 40. Are they still there in the synthetic table, and how would I notice if not?
#
# **Answer.** Yes, if the bins adapt to the data, which is the default. Compare values, not bins: a
# metric that uses bins of equal width does not notice a lost spike.
#
# **The argument.** The model counts codes, and a wide range has too many values for one code each,
# so numbers are binned. With bins of equal width, a column of zeros and a tail falls into one bin,
# and values within a bin are sampled uniformly: the zeros are gone. The remedy is to spend a little
# of the budget on noisy histograms that find where the rows are. Then bins hold about equal shares
# of the rows, and a value that many rows share gets a bin of its own.

# %%
import os

import pandas as pd

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets import simulate_gains
from sdv_prefair.metrics import (
    FrequentValueDifference,
    OneWayTotalVariation,
    describe_numbers,
    plot_column_pair,
)

ROWS = int(os.environ.get('TUTORIAL_ROWS', 20_000))
data, metadata, roles = simulate_gains(ROWS, seed=0)
data['people'].describe().round(1)

# %% [markdown]
# Nine in ten gains are 0, and the largest are near 100,000. That is the range anyone would declare:

# %%
metadata.tables['people'].columns['gain']


# %% [markdown]
# ## Three fits
#
# The default learns the bins privately. `'uniform'` makes 32 bins of equal width, and costs
# nothing. If a spike is public knowledge, name it with `spikes`, and it need not be found.


# %%
def fit(**options):
    synthesizer = PreFairSynthesizer(metadata, public_ranges=True, **roles.as_dict(), **options)
    synthesizer.fit(data)
    return synthesizer


fitted = {
    'private bins': fit(),
    'equal width': fit(discretization='uniform'),
    'equal width, spikes named': fit(discretization='uniform', spikes={'gain': [0]}),
}
synthetic = {name: synthesizer.sample(ROWS) for name, synthesizer in fitted.items()}

# %% [markdown]
# ## Compare values, not bins
#
# **Not private**: everything below reads the real rows, outside any budget. Three metrics for the
# same column. The first uses bins of equal width, as the paper does. The second is the largest
# difference in the share of a frequent value. The third is the share of zeros itself.


# %%
def compare(rows):
    binned = OneWayTotalVariation.compute_breakdown(data, rows, metadata)['marginals']
    frequent = FrequentValueDifference.compute_breakdown(data, rows, metadata)['marginals']
    return {
        'error in equal bins': binned['gain',],
        'error of a frequent value': frequent['gain',],
        'share of zeros': (rows['people']['gain'] == 0).mean(),
    }


found = pd.DataFrame({name: compare(rows) for name, rows in synthetic.items()}).T
found.loc['real', 'share of zeros'] = (data['people']['gain'] == 0).mean()
found.round(3)

# %% [markdown]
# In bins of equal width all three fits look alike. By value, the second has lost nearly all its
# zeros: they are spread over the first bin. In the cumulative distribution function a lost spike is
# a missing step:

# %%
plot_column_pair(data, synthetic['equal width'], 'gain', metadata).show()

# %%
plot_column_pair(data, synthetic['private bins'], 'gain', metadata).show()

# %% [markdown]
# `describe_numbers` has the same for all numeric columns at once: the Kolmogorov-Smirnov distance,
# the frequent value that differs most, mean, standard deviation and quantiles.

# %%
describe_numbers(data, synthetic['private bins'], metadata).T

# %% [markdown]
# Quantiles come back, but the mean and the standard deviation of `gain` are too large. Hardly any
# real row is far up the tail; noise puts a few there, and one gain of 90,000 weighs as much as 170
# average ones. More bins make that worse. For means of such a column, declare the smallest range
# that is true, or spend a larger epsilon.
#
# ## What the bins cost
#
# Learning the bins is a step of its own in the ledger, `discretize`. Only `gain` needs it: `hours`
# has at most a hundred values, so each value has its own code.

# %%
ledger = fitted['private bins'].get_privacy_ledger()
(ledger.groupby('step', sort=False)['rho'].sum() / ledger['rho'].sum()).round(3)

# %% [markdown]
# ## What to remember
#
# - Bins adapt to the data by default, within the budget. A spike gets a bin of its own.
# - Name spikes that are public knowledge; declare a range that is wide enough. A range that is too
#   wide costs little.
# - Within a bin, values are sampled independently of all other columns.
# - Use metrics without bins: `describe_numbers`, `KolmogorovSmirnovDistance`,
#   `FrequentValueDifference`, or SDV's `KSComplement`.
#
# [Numbers: spikes, ranges and bins](../docs/numbers.md) has the reference.
