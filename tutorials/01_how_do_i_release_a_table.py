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
# # How do I release a table?
#
# **Question.** I have a table about people and need to share a synthetic one. What are the steps,
# from the first line of code to the report that somebody signs?
#
# **Answer.** Declare what is public about the columns, assign roles, fit, verify the fitted model,
# and share rows, the release file or both. It takes about twenty lines.
#
# **The argument.** Noise hides one person only if nothing else about the fit depends on that
# person. So the ranges must be public knowledge before the fit, every later access to the rows must
# be paid for, and what you share must be computed from the noisy results alone. Fairness is a
# property of the model's graph, so you can check it before you share anything. Each step below
# follows from one of these points.

# %%
import os
import tempfile
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from sdv_prefair import PreFairSynthesizer, load_release
from sdv_prefair.datasets import simulate_census
from sdv_prefair.plots import plot_ledger

ROWS = int(os.environ.get('TUTORIAL_ROWS', 20_000))

# %% [markdown]
# ## The table
#
# The people are simulated, so we know exactly how the table is unfair: sex and race affect income
# through education, occupation and hours, **and** directly. The data is in SDV 2.0's format, a
# dictionary from table names to DataFrames.

# %%
data, metadata, roles = simulate_census(num_rows=ROWS, seed=0)
data['census'].head()

# %% [markdown]
# ## What is public
#
# A private fit must not read the bounds of ages, or the list of occupations, from the rows: either
# could give somebody away. So the metadata declares them. Here it was written by hand, from what
# anyone can know about such a survey. Three columns show the pattern: bounds, decimal places,
# values, and whether a value can be missing.

# %%
for column in ('age', 'commute_km', 'education'):
    print(column, metadata.tables['census'].columns[column])

# %% [markdown]
# SDV's `detect_from_dataframes` would fill the same fields *from the rows*, which is not private;
# [tutorial 04](04_what_do_ranges_leak.ipynb) shows what that reveals. With `public_ranges=True`
# below, you declare that these ranges did not come from the rows.
#
# ## Roles
#
# **Protected** columns must not influence an **outcome** except through **admissible** columns. The
# rest stay unlabelled. Choosing these lists is the hard part; [tutorial
# 02](02_which_columns_are_admissible.ipynb) is devoted to it.

# %%
pd.Series(roles.as_dict(), name='columns').to_frame()

# %% [markdown]
# ## Fit and sample
#
# `epsilon` is the privacy budget: smaller is more private and noisier. [Tutorial
# 03](03_how_much_epsilon.ipynb) helps you choose it. There is no seed: anyone who knew it could
# subtract the noise. So your numbers will differ from those on this page.

# %%
synthesizer = PreFairSynthesizer(
    metadata,
    epsilon=1.0,
    protected=['sex', 'race'],
    admissible=['education', 'occupation', 'hours'],
    outcome=['income'],
    public_ranges=True,
)
synthesizer.fit(data)
synthetic = synthesizer.sample(num_rows=ROWS)
synthetic['census'].head()

# %% [markdown]
# Columns, order and types match the real table. `person_id` and `email` are generated from the
# metadata alone; nothing was learnt from the real ones.
#
# ## Is the model fair?
#
# `verify_fairness` checks the fitted model and returns `True`, or raises an error that names the
# offending path. It does not read rows.

# %%
synthesizer.verify_fairness()

# %% [markdown]
# Here is the same as a picture. Every path from a protected column (diamond) to the outcome
# (square) passes through an admissible column (blue circle). That is the whole criterion. The edges
# were selected privately, so they may differ in your run.

# %%
synthesizer.visualize().show()

# %% [markdown]
# ## Where the privacy budget went
#
# Every access to the rows is a line in the ledger, and the lines add up to the budget exactly.
# `scale` is the standard deviation of the noise, in rows, on a count or on the score of a pair.

# %%
ledger = synthesizer.get_privacy_ledger()
ledger.iloc[[0, 1, 12, 13, -2, -1]]

# %%
plot_ledger(ledger, title='Where the privacy budget went').update_layout(
    width=800, height=430
).show()

# %% [markdown]
# The footer of the ledger states the guarantee and its unit: two tables are neighbours if one has
# one more row.

# %%
pd.Series({
    name: f'{value:.4g}' if isinstance(value, float) else value
    for name, value in ledger.attrs.items()
}).to_frame('footer')

# %% [markdown]
# ## Does it look like the real table?
#
# **Comparing is not private.** The figure below reads the real rows, outside any budget. Show it
# only to people who may see the real table, and keep it out of the release.


# %%
def shares(values: pd.Series) -> pd.Series:
    """Share of rows for each value; numbers are put in ten-wide bins."""
    if pd.api.types.is_numeric_dtype(values):
        values = values // 10 * 10
    return values.value_counts(normalize=True).sort_index()


levels = metadata.tables['census'].columns['education']['range_values']
columns = ['sex', 'education', 'occupation', 'age', 'hours', 'income']
figure = make_subplots(rows=2, cols=3, subplot_titles=columns, vertical_spacing=0.32)
sources = {'real': (data, '#9A9A9A'), 'synthetic': (synthetic, '#0072B2')}
for name, (tables, colour) in sources.items():
    for place, column in enumerate(columns):
        share = shares(tables['census'][column])
        bar = go.Bar(x=share.index, y=share, name=name, marker_color=colour, showlegend=place == 0)
        figure.add_trace(bar, row=1 + place // 3, col=1 + place % 3)
figure.update_xaxes(categoryorder='array', categoryarray=levels, row=1, col=2)
figure.update_yaxes(tickformat='.0%')
figure.update_yaxes(title='share of rows', col=1)
figure.update_layout(
    title='Shares of values, real and synthetic (not private: shows real rows)',
    template='plotly_white', width=900, height=560,
    legend={'orientation': 'h', 'y': 1.1, 'x': 1, 'yanchor': 'bottom', 'xanchor': 'right'},
)  # fmt: skip
figure.show()

# %% [markdown]
# Single columns are close. So are pairs that are adjacent in the graph; other pairs are as close as
# these imply. The pair of sex and income differs on purpose: in the synthetic table the sexes
# differ far less in their share of high incomes, and the remaining difference goes through
# education, occupation and hours. That is what *justifiably* fair means: it is not parity.

# %%
pd.DataFrame({
    name: tables['census'].groupby('sex')['income'].apply(lambda income: (income == '>50K').mean())
    for name, (tables, _) in sources.items()
}).round(3)

# %% [markdown]
# ## What to share
#
# Three things are covered by the guarantee: the rows, the release file that others can sample from,
# and the report. A `.prefair` file is a zip of JSON and arrays. It contains no code, so it is safe
# to open one that somebody sent you.

# %%
folder = tempfile.TemporaryDirectory()
release = Path(folder.name) / 'census.prefair'
report = Path(folder.name) / 'report.html'
synthetic['census'].to_csv(Path(folder.name) / 'synthetic.csv', index=False)
synthesizer.save_release(release)
synthesizer.create_release_report(path=report)
for file in sorted(Path(folder.name).iterdir()):
    print(f'{file.name:<16} {file.stat().st_size / 1e3:8,.0f} kB')

# %% [markdown]
# Whoever receives the release file can verify it and sample from it without access to the real
# table:

# %%
received = load_release(release)
print('justifiably fair:', received.verify_fairness())
received.sample(num_rows=3)['census']

# %% [markdown]
# The report is for the person who must sign, and works offline: the guarantees in plain words, the
# graph, the ledger, the share of noise in each measured table, what is *not* promised, and a
# checklist to go through before signing. Numbers computed on the real table are left out unless you
# pass `show_real_numbers=True`, and are then marked as such.

# %%
folder.cleanup()

# %% [markdown]
# ## What to remember
#
# - Ranges and values in the metadata count as public. Take them from prior knowledge, not from the
#   rows.
# - `verify_fairness()` checks the fitted model; the picture of the graph shows it to people.
# - The ledger lists every access to the rows and adds up to the budget. A second fit spends it
#   again.
# - You may share rows, release file and report. Do not share anything that compares with the real
#   table.
# - Justifiably fair is not parity: effects through admissible columns remain.
#
# Next: [02: Which columns are admissible?](02_which_columns_are_admissible.ipynb)
