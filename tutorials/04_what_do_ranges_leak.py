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
# # What do ranges leak?
#
# **Question.** SDV detects metadata for me. Why should I write ranges by hand, and what if I
# cannot?
#
# **Answer.** Detected ranges are the extremes of your rows, and an extreme is a person. Declare
# what is public; strip the rest and let it be learnt within the budget, which costs accuracy and
# rare values.
#
# **The argument.** Noise on counts protects nobody if the list of things to count already gives
# people away. A maximum, a rare category, even the number of decimal places is a statistic of the
# rows. So the domain must be public knowledge, or it must be learnt with noise like everything
# else. Learning costs budget, and cannot find what only a few people have; declaring is free and
# exact.

# %%
import os
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from scipy.stats import ks_2samp, norm
from sdv.metadata import Metadata

from sdv_prefair import (
    NoiseWarning,
    PreFairSynthesizer,
    load_metadata,
    save_metadata,
    strip_ranges,
)
from sdv_prefair.datasets import simulate_census
from sdv_prefair.plots import plot_ledger

ROWS = int(os.environ.get('TUTORIAL_ROWS', 20_000))
SAMPLE = min(ROWS, 5_000)
census = simulate_census(num_rows=ROWS, seed=0)
folder = tempfile.TemporaryDirectory()

# %% [markdown]
# ## One person in the metadata
#
# Add one remarkable person to the table: a 107-year-old astronaut. Then detect the metadata as
# SDV's own tutorials do, with and without that person.

# %%
without = census.data['census']
astronaut = without.tail(1).assign(
    person_id='P99999999', email='astro@example.org', age=107, occupation='astronaut'
)
people = pd.concat([without, astronaut], ignore_index=True)


def detect(table):
    """Let SDV detect the metadata from the rows, and save it as SDV recommends."""
    metadata = Metadata.detect_from_dataframes({'census': table})
    metadata.save_to_json(Path(folder.name) / 'detected.json', mode='overwrite')
    return metadata


detected = {'with the astronaut': detect(people), 'without': detect(without)}
pd.DataFrame({
    name: {
        'age, range_max': metadata.tables['census'].columns['age']['range_max'],
        'occupation, first three range_values': sorted(
            metadata.tables['census'].columns['occupation']['range_values']
        )[:3],
    }
    for name, metadata in detected.items()
})

# %% [markdown]
# The metadata alone reveals, with certainty, whether the astronaut is in the table. It is saved
# with the synthesizer, it bounds what is sampled, and it has no noise. That is the whole problem:
# noise on counts is useless if the list of things to count gives people away.
#
# ## What the synthesizer does about it
#
# It cannot know where ranges come from. By default (`public_ranges=None`) it treats them as public,
# and warns:


# %%
def fit(metadata, public_ranges, table=people, **options):
    """Fit with epsilon 1 unless told otherwise, and return the synthesizer."""
    options = {'epsilon': 1.0} | census.roles.as_dict() | options
    synthesizer = PreFairSynthesizer(metadata, public_ranges=public_ranges, **options)
    synthesizer.fit({'census': table}, check=False)
    return synthesizer


def fit_and_tell(*arguments):
    """Fit, and print the warnings without the place in the code they come from."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        synthesizer = fit(*arguments)
    for warning in caught:
        print(f'{warning.category.__name__}: {warning.message}')
    return synthesizer


leaky = fit_and_tell(detected['with the astronaut'], None)

# %% [markdown]
# The three settings:
#
# | `public_ranges` | ranges in the metadata are | use it when |
# |---|---|---|
# | `True` | public, as you declare | you wrote them from a codebook, a law, a form |
# | `False` | dropped; domains are learnt within the budget | they were detected |
# | `None` | used, with the warning above | never on purpose |
#
# A column *without* a range is learnt privately under all three. `strip_ranges` removes whatever
# detection read from the rows and keeps the column types, so that you can fill in the rest by hand:

# %%
stripped = strip_ranges(detected['with the astronaut'])
pd.DataFrame({
    'detected': detected['with the astronaut'].tables['census'].columns['age'],
    'stripped': stripped.tables['census'].columns['age'],
}).fillna('')

# %% [markdown]
# ## Three fits of the same people
#
# Detected ranges; domains learnt privately; and ranges written by hand, from the survey's form,
# which has six occupations and ages from 18 to 90.

# %%
private = fit_and_tell(detected['with the astronaut'], False)
by_hand = fit(census.metadata, public_ranges=True)
fits = {'detected (leaks)': leaky, 'learnt privately': private, 'written by hand': by_hand}
samples = {name: one.sample(num_rows=SAMPLE)['census'] for name, one in fits.items()}
pd.DataFrame({
    name: {
        'astronauts in the sample': (rows['occupation'] == 'astronaut').sum(),
        'oldest in the sample': rows['age'].max(),
        'values missing, all columns': rows.isna().sum().sum(),
    }
    for name, rows in samples.items()
}).T

# %%
figure = go.Figure()
order = people['occupation'].value_counts().index
colours = ('#D55E00', '#0072B2', '#009E73')
for (name, rows), colour in zip(samples.items(), colours, strict=True):
    share = rows['occupation'].value_counts(normalize=True).reindex(order, fill_value=0)
    figure.add_bar(x=share.index, y=share, name=name, marker_color=colour)
figure.add_annotation(
    x='astronaut', y=0, ax=0, ay=-150, text='one real person,<br>known to one release'
)
figure.update_layout(
    title='Occupations in synthetic tables: one real astronaut is given away by detected ranges',
    xaxis_title='occupation', yaxis={'title': 'share of rows', 'tickformat': '.0%'},
    template='plotly_white', width=860, height=440,
    legend={'title': 'ranges'},
)  # fmt: skip
figure.show()

# %% [markdown]
# With detected ranges the word *astronaut* is in the release, whether or not noise happens to give
# it rows in this sample. (Often there are several where the real table has one. That is noise, and
# no comfort: without the real one the word could not be there.) It does not appear in the two other
# releases. If the learnt ages reach beyond the real ones, that is not the astronaut either: bounds
# are learnt on a public grid, and a cell of that grid ends there.
#
# ## What learning costs
#
# Learning is a step of its own in the ledger, with a line for each column:

# %%
ledger = private.get_privacy_ledger()
learning = ledger[ledger['step'] == 'learn domains']
learning

# %%
plot_ledger(ledger, title='Budget of a fit that learns its domains').update_layout(
    width=800, height=430
).show()

# %% [markdown]
# Bounds of numbers and dates are learnt from noisy histograms over fixed public grids, so they are
# approximate. Categories are released only if their noisy count exceeds a threshold, which is so
# high that a value held by one person passes with probability at most the line's `delta`. Roughly:

# %%
line = learning[learning['columns'] == ('occupation',)].iloc[0]
threshold = 2 + line['scale'] * norm.isf(line['delta'])
print(f'an occupation needs about {threshold:.0f} rows to be found')

# %% [markdown]
# Everything rarer is lost, and in a small table whole columns may be: the synthesizer then warns
# and says what to declare. That protects the astronaut; it also hides small groups you may care
# about. Which values survived? (The first column is not private.)

# %%
survivors = []
for column in ('race', 'marital_status', 'education', 'occupation'):
    for value, count in people[column].value_counts().items():
        found = (samples['learnt privately'][column] == value).any()
        survivors.append({'column': column, 'value': value, 'real rows': count, 'found': found})
pd.DataFrame(survivors).sort_values('real rows').head(8)

# %% [markdown]
# To keep a small group, *declare* its value: a declared value need not be found. Declaring is free,
# learning is not. So declare what you can and learn only the rest. Keep the metadata in one file
# with the roles:

# %%
known = ('sex', 'race', 'education', 'occupation', 'income', 'marital_status', 'age', 'hours')
for column in known:
    stripped.update_column(column, **census.metadata.tables['census'].columns[column])
path = Path(folder.name) / 'metadata.json'
save_metadata(stripped, census.roles, path)
metadata, roles = load_metadata(path)

mixed = fit_and_tell(metadata, True)
fits['mostly by hand'] = mixed
spent = {name: one.get_privacy_ledger().groupby('step')['rho'].sum() for name, one in fits.items()}
pd.DataFrame(spent).fillna(0).T.round(5)

# %% [markdown]
# ## Values outside the domain
#
# The form has ages from 18 to 90 and six occupations, and the astronaut fits neither. There is no
# error and no warning: a message would reveal that such a person exists. Numbers are clipped; other
# values become "other", which comes back as missing, or, where nulls are not allowed, is
# redistributed over the declared values.
#
# The price: if the range is *wrong*, no single row can make the fit fail. Declare that people work
# 5 to 35 hours, and see.

# %%
description = census.metadata.to_dict()
description['tables']['census']['columns']['hours']['range_max'] = 35
too_narrow = fit_and_tell(Metadata.load_from_dict(description), True)
hours = too_narrow.sample(num_rows=SAMPLE)['census']['hours']
print(f'people at exactly 35 hours: {(hours == 35).mean():.0%} (real: '
      f'{(people["hours"] == 35).mean():.0%}), above: {(hours > 35).mean():.0%}')  # fmt: skip

# %% [markdown]
# Much of the table piles up at the bound. The warning was free: it comes from the noisy counts, so
# it speaks of most rows, never of one. Declare generously: a range that is too wide costs a
# few empty bins; one that is too narrow distorts the data.
#
# The same goes for missing values. `range_is_nullable` says whether a column may have any. If it is
# declared `False` and some rows have missing values anyway, those rows are redistributed over the
# declared values in proportion:

# %%
description = census.metadata.to_dict()
description['tables']['census']['columns']['marital_status']['range_is_nullable'] = False
not_nullable = fit(Metadata.load_from_dict(description), public_ranges=True)
tables = {
    'real rows': people,
    'nullable': samples['written by hand'],
    'declared not nullable': not_nullable.sample(num_rows=SAMPLE)['census'],
}
pd.DataFrame({
    name: rows['marital_status'].value_counts(normalize=True, dropna=False)
    for name, rows in tables.items()
}).fillna(0).round(3)

# %% [markdown]
# ## Bins against noise
#
# A number with a wide range is put into up to `numeric_bins` bins. Few bins lose detail; many bins
# have few rows each, and drown in noise. The best number depends on epsilon and on the number of
# rows. The metric below is the Kolmogorov-Smirnov distance: the largest difference between the real
# and synthetic cumulative distribution of `commute_km` (not private). [Tutorial
# 11](11_do_numbers_come_back.ipynb) is about the bins themselves. At an epsilon of 0.1, `fit` warns
# of columns that noise swamps; here that is expected.

# %%
BINS = (4, 8, 16, 32, 64, 128)
FITS = 3
warnings.simplefilter('ignore', NoiseWarning)
distances = []
for epsilon in (0.1, 1.0):
    for bins in BINS:
        for _ in range(FITS):
            one = fit(census.metadata, public_ranges=True, epsilon=epsilon, numeric_bins=bins)
            rows = one.sample(num_rows=SAMPLE)['census']
            distance = ks_2samp(people['commute_km'].dropna(), rows['commute_km'].dropna())
            distances.append((epsilon, bins, distance.statistic))
distances = pd.DataFrame(distances, columns=['epsilon', 'bins', 'distance'])

# %%
figure = go.Figure()
for (epsilon, points), colour in zip(
    distances.groupby('epsilon'), ('#D55E00', '#0072B2'), strict=True
):
    mean = points.groupby('bins')['distance'].mean()
    figure.add_scatter(
        x=mean.index, y=mean, mode='lines', name=f'epsilon = {epsilon:g}, mean',
        line={'color': colour},
    )  # fmt: skip
    figure.add_scatter(
        x=points['bins'], y=points['distance'], mode='markers', marker={'color': colour},
        opacity=0.6, name=f'epsilon = {epsilon:g}, each fit',
    )  # fmt: skip
figure.update_xaxes(type='log', tickvals=BINS, title='numeric_bins (log scale)')
figure.update_layout(
    title='Commute in km: few bins blur, many bins drown in noise',
    yaxis={'title': 'distance from the real table', 'rangemode': 'tozero'},
    template='plotly_white', width=860, height=440,
)  # fmt: skip
figure.show()

# %% [markdown]
# The default of 32 is a compromise: at a small epsilon more bins buy nothing or hurt, at a larger
# one they help for longer. Integers with at most a hundred values, such as ages and hours, keep one
# code per value, whatever `numeric_bins` says.
#
# ## Ids and personal columns
#
# Keys, ids, personal and unknown columns are generated from the metadata alone. Nothing about them
# is learnt, so no real address can come back:

# %%
columns = ['person_id', 'email']
pd.concat(
    {'real': people[columns].head(3), 'synthetic': samples['written by hand'][columns].head(3)},
    axis=1,
)

# %%
shared = np.intersect1d(people['email'], samples['written by hand']['email'])
print(f'{len(shared)} synthetic addresses are those of a real person')
folder.cleanup()

# %% [markdown]
# Ids with a short format may coincide with real ones by chance.
#
# ## What to remember
#
# - Detected ranges are extremes of the rows. Strip them, or pass `public_ranges=False`.
# - Declare what is public: bounds, values, decimal places, whether nulls occur. It is free and
#   exact.
# - What is learnt is paid for in the ledger, is approximate, and loses values with few rows.
# - Values outside the domain disappear silently, on purpose. Declare generously.
# - `numeric_bins` trades detail for noise; use fewer bins with a smaller epsilon or fewer rows.
#
# Next: [05: Is it fair?](05_is_it_fair.ipynb)
