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
# **Question.** I hold a table about people and must hand a synthetic one to others. What do I do,
# from the first line to the page that somebody signs?
#
# **Answer.** Write down what is public about the columns, give the columns roles, fit, check the
# promise on the fitted model, and hand out rows, the release file or both. About twenty lines.

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
# The people here are made up, by a simulator whose injustice is known: sex and race act on income
# through education, occupation and hours, **and** directly. Data comes as SDV 2.0 has it, a
# dictionary from table names to frames.

# %%
data, metadata, roles = simulate_census(num_rows=ROWS, seed=0)
data['census'].head()

# %% [markdown]
# ## What is public
#
# A private fit may not look at the rows to find out between which bounds ages lie or which
# occupations exist: the answer could give somebody away. So the metadata says it. Here it was
# written by hand, from what anybody may know about such a survey. Look at three columns: bounds,
# decimal places and values are all there, and so is whether a value may be missing.

# %%
for column in ('age', 'commute_km', 'education'):
    print(column, metadata.tables['census'].columns[column])

# %% [markdown]
# SDV's `detect_from_dataframes` would fill the same fields *from the rows*, which is not private;
# [tutorial 04](04_what_do_ranges_leak.ipynb) shows what that gives away. `public_ranges=True` below
# is your word that these ranges did not come from the rows.
#
# ## Roles
#
# **Protected** columns must not influence an **outcome** except through **admissible** columns. The
# rest stays unlabelled. Choosing these lists is the hard part of the work, and [tutorial
# 02](02_which_columns_are_admissible.ipynb) is about nothing else.

# %%
pd.Series(roles.as_dict(), name='columns').to_frame()

# %% [markdown]
# ## Fit and sample
#
# `epsilon` is the privacy budget: smaller is more private and noisier. [Tutorial
# 03](03_how_much_epsilon.ipynb) helps to choose it. There is no seed: whoever knew it could
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
# The columns, their order and their types are those of the real table. `person_id` and `email` are
# made up from the metadata alone; nothing was learnt from the real ones.
#
# ## Is the promise kept?
#
# `verify_fairness` looks at the fitted model and returns `True`, or raises an error that names the
# offending path. It does not look at rows.

# %%
synthesizer.verify_fairness()

# %% [markdown]
# The same as a picture. Start at any protected column (diamond) and walk along the lines to the
# outcome (square): you have to pass an admissible column (blue circle) every time. That is the
# whole criterion. Which columns are neighbours was chosen privately, and may differ in your run.

# %%
synthesizer.visualize().show()

# %% [markdown]
# ## Where the privacy budget went
#
# Every access to the rows is a line in the ledger, and the lines add up to the budget exactly.
# `scale` is the standard deviation of the noise on a count, in rows (on the scores by which pairs
# are planned too).

# %%
ledger = synthesizer.get_privacy_ledger()
ledger.iloc[[0, 1, 12, 13, -2, -1]]

# %%
plot_ledger(ledger, title='Where the privacy budget went').update_layout(
    width=800, height=430
).show()

# %% [markdown]
# The footer of the ledger says what was promised, and to whom: two tables are neighbours if one has
# one row more.

# %%
pd.Series({
    name: f'{value:.4g}' if isinstance(value, float) else value
    for name, value in ledger.attrs.items()
}).to_frame('footer')

# %% [markdown]
# ## Does it look like the real table?
#
# **Looking is not private.** The picture below shows the real rows, outside of any budget. Keep it
# among those who may see the real table; do not put it in the release.


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
# Single columns come out close. Pairs of columns that are neighbours in the graph do too; other
# pairs come out as well as these imply, and the pair of sex and income on purpose not. Compare
# the shares of high incomes: in the synthetic table the sexes differ far less, and what difference
# is left goes through education, occupation and hours. That is the meaning of *justifiably* fair:
# it is not parity.

# %%
pd.DataFrame({
    name: tables['census'].groupby('sex')['income'].apply(lambda income: (income == '>50K').mean())
    for name, (tables, _) in sources.items()
}).round(3)

# %% [markdown]
# ## What to hand out
#
# Three things, all covered by the promise: the rows, the release file from which others can sample
# for themselves, and the report. A `.prefair` file is a zip of JSON and arrays. It holds no code,
# so it is safe to open one that somebody sent you.

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
# Whoever receives the release file can verify and sample without ever meeting the real table:

# %%
received = load_release(release)
print('justifiably fair:', received.verify_fairness())
received.sample(num_rows=3)['census']

# %% [markdown]
# The report is one page for the person who must sign, and works offline: what is promised in plain
# words, the graph, the ledger, how much of each measured table is noise, what is *not* promised,
# and a list to go through before signing. Numbers computed on the real table are left out unless
# you pass `show_real_numbers=True`, and are then marked.

# %%
folder.cleanup()

# %% [markdown]
# ## What to remember
#
# - Ranges and values in the metadata count as public. Write them from knowledge, not from the rows.
# - `verify_fairness()` checks the fitted model; the picture of the graph shows it to people.
# - The ledger lists every access to the rows and adds up to the budget. A second fit spends it
#   again.
# - Rows, release file and report may go out. Anything that compares with the real table may not.
# - Justifiably fair is not parity: what acts through admissible columns stays.
#
# Next: [02: Which columns are admissible?](02_which_columns_are_admissible.ipynb)
