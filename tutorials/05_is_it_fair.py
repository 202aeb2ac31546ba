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
# # Is it fair?
#
# **Question.** I have a synthetic table. How do I measure whether it is fair, and what will the
# numbers not tell me?
#
# **Answer.** Test the table first: is the outcome independent of the protected columns given the
# admissible ones, up to chance? Then test a classifier, and expect some of its metrics to stay as
# they were, or to get worse.
#
# **The argument.** Conditional independence is what was promised, so measure that first, against
# its null distribution. Metrics of a classifier on real rows measure something else: the synthetic
# table, the classifier and the real people together. They can disagree with the guarantee in both
# directions without anything being broken, and parity can even get worse because the table became
# fair.
#
# Everything on this page is computed on real rows, outside any privacy budget. Do it where the real
# table lives, and do not release the numbers with the synthetic table.

# %%
import os
import warnings

import pandas as pd
import plotly.express as px
import plotly.graph_objects as go
from sdv.evaluation import evaluate_quality

from sdv_prefair import FairnessWarning, PreFairSynthesizer
from sdv_prefair.datasets import simulate_census
from sdv_prefair.metrics import (
    MEASURES,
    ConditionalMutualInformation,
    DownstreamAccuracy,
    FairnessReport,
    demographic_parity,
    predict_real,
    read_tables,
    strata_codes,
    with_known,
)
from sdv_prefair.plots import BLUE, GREEN, GREY, LIGHT_GREY, VERMILION

ROWS = int(os.environ.get('TUTORIAL_ROWS', 20_000))
pd.options.display.float_format = '{:.4f}'.format
warnings.simplefilter('ignore', FairnessWarning)  # what it warns about is measured below
COLOURS = {'real': GREY, 'plain MST': VERMILION, 'adaptive': GREEN, 'planned': BLUE}

# %% [markdown]
# ## A table whose bias is known
#
# `simulate_census` samples people from a causal model that you can read in its source. Sex and race
# affect income in two ways: *through* education, occupation and hours, and *directly*. The direct
# path is the unfair one; `direct_effect=0` turns it off and leaves everything else as it is. So we
# have a table without unfairness to compare with.

# %%
biased = simulate_census(ROWS, seed=0)
unbiased = simulate_census(ROWS, seed=0, direct_effect=0)
metadata, roles = biased.metadata, biased.roles
roles.as_dict()

# %% [markdown]
# We fit three private synthesizers, all with epsilon 1: plain MST, which ignores fairness, and two
# fair ones: the default, `'planned'`, and `'adaptive'`, which may connect an outcome to a column
# without a role.


# %%
def synthesize(dataset, structure):
    synthesizer = PreFairSynthesizer(
        dataset.metadata,
        epsilon=1.0,
        structure=structure,
        public_ranges=True,
        **dataset.roles.as_dict(),
    )
    synthesizer.fit(dataset.data)
    return synthesizer


structures = {'plain MST': 'none', 'adaptive': 'adaptive', 'planned': 'planned'}
fitted = {name: synthesize(biased, structure) for name, structure in structures.items()}
synthetic = {name: synthesizer.sample(ROWS)['census'] for name, synthesizer in fitted.items()}

# %% [markdown]
# ## First, test the table
#
# Justifiable fairness says: outcome independent of protected, given admissible. The measure is the
# conditional mutual information I(O; P | A): how many nats of information sex and race carry about
# income once education, occupation and hours are known. Zero is fair.
#
# On a finite table, the number is never zero. Within a stratum of ten people who agree on all
# admissible columns, men and women differ in income by chance. So the metric is a permutation test:
# it shuffles the incomes within each stratum, 200 times, and reports the range under independence.
# **Compare with that range, never with zero.**

# %%
by_role = {role: list(columns) for role, columns in roles.as_dict().items()}


def information(table, **options):
    asked = by_role | {'seed': 0} | options
    found = ConditionalMutualInformation.compute_breakdown(None, table, metadata, **asked)
    return _low_and_high(found, 'null_interval')


def _low_and_high(found, interval):
    low, high = found.pop(interval)
    return found | {'low': low, 'high': high}


tables = {
    'real, direct path off': unbiased.data['census'],
    'real': biased.data['census'],
    **synthetic,
}
asked = pd.DataFrame({name: information(table) for name, table in tables.items()}).T
asked[['score', 'low', 'high', 'p_value', 'coverage']]


# %%
def plot_information(asked, title):
    figure = go.Figure()
    for number, (name, row) in enumerate(asked.iterrows()):
        figure.add_scatter(
            x=[row['low'], row['high']], y=[name, name], mode='lines', legendgroup='null',
            name='if independent (95 % of shuffles)', showlegend=number == 0,
            line={'color': LIGHT_GREY, 'width': 18},
        )  # fmt: skip
    figure.add_scatter(
        x=asked['score'], y=asked.index, mode='markers', name='this table',
        marker={'size': 12, 'color': BLUE},
    )  # fmt: skip
    return figure.update_layout(
        title=title, template='plotly_white', width=800, height=130 + 55 * len(asked),
        xaxis={'title': 'I(income; sex, race | admissible), nats', 'rangemode': 'tozero'},
        yaxis={'autorange': 'reversed'}, margin={'t': 90},
        legend={'orientation': 'h', 'y': 1.0, 'yanchor': 'bottom', 'x': 0},
    )  # fmt: skip


plot_information(asked, 'What sex and race tell about income, the rest being equal').show()

# %% [markdown]
# The real table and plain MST are far to the right of their range. The two fair tables are where
# the table without an unfair path is. Now and then a fair table falls just outside its grey bar:
# about one in twenty does, because the range covers 95 %.
#
# The metric can *detect* unfairness; it cannot prove fairness. The proof is the model's graph, and
# one line checks it:

# %%
{name: fitted[name].verify_fairness() for name in ('adaptive', 'planned')}

# %% [markdown]
# ## Coverage: how much of the table was tested at all
#
# A stratum with one person in it, or with men only, says nothing. `coverage` is the share of rows
# in strata that could show a dependence. The finer the strata, the fewer such rows, and the larger
# the value expected by chance. Here are the same two tables, conditioned on more and more columns.

# %%
held_equal = {
    'education': ['education'],
    'admissible': by_role['admissible'],
    'and age': [*by_role['admissible'], 'age'],
    'and age, commute': [*by_role['admissible'], 'age', 'commute_km'],
}
strata = pd.DataFrame({
    (table, held): information(synthetic[table], admissible=columns, protected='sex')
    for table in ('plain MST', 'planned')
    for held, columns in held_equal.items()
}).T
strata[['score', 'null_mean', 'excess', 'p_value', 'coverage']]

# %% [markdown]
# Read it downwards:
#
# - *Education alone*: the fair table depends on sex too. It may, because occupation and hours are
#   not in the conditioning set. The guarantee is about all admissible columns together, or more,
#   not about some of them.
# - *The admissible columns*: the fair table drops to chance level.
# - *And more*: the guarantee still holds, but nearly everybody is now in a stratum of their own. A
#   small excess with a small coverage means no evidence, not fairness.
#
# ## Then, test a classifier
#
# The paper's six metrics train a classifier on the synthetic table and apply it to real people,
# here people in no training table. Each is a difference in rates between groups:
#
# | | all rows | within strata of the admissible columns |
# |---|---|---|
# | how often a high income is predicted | DP | CDP |
# | the same among those who have one | TPRB | CTPRB |
# | how often a low income is predicted among those who have that | TNRB | CTNRB |

# %%
people = simulate_census(ROWS, seed=1).data['census']
print({name: measure.__name__ for name, measure in MEASURES.items()})


def six_measures(trained_on, judged):
    about = {'outcome': 'income', 'protected': 'sex', 'positive': '>50K', 'seed': 0}
    rows = {}
    for name, measure in MEASURES.items():
        strata = {'admissible': by_role['admissible']} if measure.conditional else {}
        found = measure.compute_breakdown(judged, trained_on, metadata, **about, **strata)
        rows[name] = _low_and_high(found, 'interval')
    return pd.DataFrame(rows).T.infer_objects()


trained_on = {'real': biased.data['census'], **synthetic}
judged = pd.concat({name: six_measures(table, people) for name, table in trained_on.items()})
judged.loc['planned', ['score', 'first', 'second', 'low', 'high', 'coverage']]


# %%
def plot_measures(judged, title):
    figure = go.Figure()
    for number, (name, rows) in enumerate(judged.groupby(level=0, sort=False)):
        figure.add_bar(
            x=rows.index.get_level_values(1), y=rows['score'], name=name,
            marker_color=COLOURS[name], marker_pattern_shape=['', '/', '.', 'x'][number],
            error_y={
                'array': rows['high'] - rows['score'], 'arrayminus': rows['score'] - rows['low'],
                'color': '#444444', 'thickness': 1.5,
            },
        )  # fmt: skip
    return figure.update_layout(
        title=title, template='plotly_white', barmode='group', width=800, height=450,
        yaxis={'title': 'difference (with 95 % interval)'},
        legend={'title': 'trained on', 'orientation': 'h', 'y': 1.0, 'yanchor': 'bottom'},
    )  # fmt: skip


plot_measures(judged, 'How a classifier treats real men and women').show()

# %% [markdown]
# Note two things.
#
# **Intervals.** They resample the people being classified. They neither retrain the classifier nor
# refit the synthesizer, so they are narrower than the variation from fit to fit. An interval that
# contains zero means that these rows show no difference between the groups.
#
# **A conditional gap (CDP) remains with `adaptive`**, although its table is fair. Nothing is
# broken. The guarantee is about the synthetic table, not about a classifier on real rows. In the
# synthetic table, a column without a role, such as marital status, may be adjacent to income, with
# no path to sex that bypasses the admissible columns. In the *real* table, marital status differs
# between the sexes, and the classifier, which learnt to use it, passes that on. `planned` never
# connects an outcome to a column without a role, so its classifier has no such proxy to use. The
# accuracies:

# %%
accuracy = {
    name: DownstreamAccuracy.compute(people, table, metadata, outcome='income', seed=0)
    for name, table in trained_on.items()
}
pd.Series(accuracy, name='accuracy on real people').to_frame()

# %% [markdown]
# The same classifier, applied to *synthetic* people it has not seen, shows that the difference
# comes from the people. (A small gap can remain there too: the classifier was trained on finitely
# many rows.)

# %%
unseen = fitted['adaptive'].sample(ROWS)['census']
crowds = {'real people': people, 'synthetic people': unseen}
pd.DataFrame({
    crowd: six_measures(synthetic['adaptive'], rows).loc['CDP', ['score', 'low', 'high']]
    for crowd, rows in crowds.items()
}).T.astype(float)

# %% [markdown]
# If the rows will train a model that is applied to real people, keep the default or give such
# columns a role, and measure.
#
# ## A fair table with less parity than the real one
#
# Parity says: equal rates, whatever the reasons. Justifiable fairness says: no difference without a
# reason from your list. They can conflict. Suppose that women, who have the
# worse paid occupations and fewer hours here, are paid *more* than men of the same occupation and
# hours, just enough to make up for it. A negative `direct_effect` does that (to minorities too).

# %%
balanced = simulate_census(ROWS, seed=0, direct_effect=-0.22)
real = balanced.data['census']
fair = synthesize(balanced, 'planned').sample(ROWS)['census']
both = {'real': real, 'planned': fair}

rates = pd.concat({
    name: table['income'].eq('>50K').groupby(table['sex']).mean() for name, table in both.items()
})
rates = rates.rename_axis(['table', 'sex']).rename('share with a high income').reset_index()
figure = px.bar(
    rates, x='table', y='share with a high income', color='sex', barmode='group',
    color_discrete_sequence=[GREEN, GREY], pattern_shape='sex', template='plotly_white',
    title='High incomes by sex, where the direct path favours women', width=800, height=420,
)  # fmt: skip
figure.show()

# %%
asked = pd.DataFrame({name: information(table) for name, table in both.items()}).T
asked[['score', 'low', 'high', 'p_value', 'coverage']]

# %% [markdown]
# In the real table men and women earn about the same, and yet sex is informative about income among
# otherwise equal people (with few rows the test may lack the power to detect it). The fair table
# removes that path, and the difference in occupations and hours shows: **demographic parity gets
# worse because the table was made fair**. Neither table is wrong; they answer different questions.
# If you need parity, use the statement `demographic_parity` ([tutorial
# 10](10_which_fairness_do_i_need.ipynb)).
#
# Another common disappointment: with the direct path off there is nothing to repair, and a fair
# synthesizer does not lower DP. It may even be a little higher, by chance or because of noise.

# %%
nothing_to_repair = {'real': unbiased.data['census']} | {
    name: synthesize(unbiased, structures[name]).sample(ROWS)['census']
    for name in ('plain MST', 'planned')
}
people_without_bias = simulate_census(ROWS, seed=1, direct_effect=0).data['census']
pd.DataFrame({
    name: six_measures(table, people_without_bias)['score']
    for name, table in nothing_to_repair.items()
})

# %% [markdown]
# ## All of it in one report
#
# `FairnessReport` works like SDMetrics' reports: generate, scores, details, figures. Its verdicts
# come first: fair within some points, unfair by at least some, or cannot be told. They come from
# one joint test over all groups within strata, in which no direction cancels another.

# %%
report = FairnessReport(roles, positive={'income': '>50K'}, seed=0)
report.generate(biased.data, {'census': synthetic['planned']}, metadata, verbose=False)
for about in report.get_verdicts().itertuples():
    print(f'{about.Protected}: {about.Verdict}')
    print(f'    real rows: {about._4}')

# %%
report.get_details('Conditional Independence')[
    ['Protected', 'Gap', 'Gap Low', 'Gap High', 'At Least', 'Within', 'Coverage']
]

# %%
report.get_visualization('Conditional Independence').update_layout(width=800).show()

# %%
report.get_visualization('Group Rates').update_layout(width=800).show()

# %% [markdown]
# `report.get_score()` is the mean of the three, and NaN if one of them is. It exists because
# SDMetrics has one; a mean of fairness and accuracy settles nothing. A table of pure noise would be
# perfectly independent.
#
# ## A classifier without a gap
#
# A classifier that sees admissible columns only decides alike about people who agree on them: its
# conditional gap is exactly 0, on any rows. That takes three lines, and costs little of the area
# under the ROC curve, since nothing else may decide anyway.

# %%
features = list(roles.admissible)
pair = with_known('income', read_tables(biased.data, {'census': synthetic['planned']}, metadata))
predicted = predict_real(pair, 'income', features=features, seed=0)
everything = predict_real(pair, 'income', seed=0)
exact = strata_codes(pair, features, None)
sex = pair.real['sex'].to_numpy()
pd.Series({
    'all columns': demographic_parity(everything, sex, '>50K', exact).gap,
    'admissible columns': demographic_parity(predicted, sex, '>50K', exact).gap,
}, name='conditional gap, signed')  # fmt: skip

# %% [markdown]
# Parity between the groups as a whole may move either way: the groups differ in admissible columns.

# %% [markdown]
# ## SDV's quality report counts fairness as an error
#
# SDMetrics' Column Pair Trends compares pairs of columns with the real ones. A pair of a protected
# column and the outcome *must* differ: the direct path is gone. So its score falls for exactly what
# was requested.

# %%
trends = {}
for name in ('plain MST', 'planned'):
    quality = evaluate_quality(
        biased.data, {'census': synthetic[name]}, metadata, verbose=False
    ).get_details('Column Pair Trends')
    pairs = quality['Column 1'] + ' and ' + quality['Column 2']
    trends[name] = pd.Series(quality['Score'].to_numpy(), index=pairs)
trends = pd.DataFrame(
    trends
).dropna()  # pairs with little association in the real table have no score
of_income = trends[trends.index.str.contains('income')].sort_values('planned')
figure = px.scatter(
    of_income.reset_index(names='pair').melt('pair', var_name='table', value_name='score'),
    x='score', y='pair', color='table', symbol='table', color_discrete_map=COLOURS,
    title="SDMetrics' score of each pair with income", template='plotly_white', width=800,
    height=400,
)  # fmt: skip
figure.update_traces(marker={'size': 11}).update_layout(
    xaxis_title='Column Pair Trends (1 is like the real table)', yaxis_title=None
).show()

# %% [markdown]
# The score of sex and income is lower on purpose (as is that of race and income, if it is strong
# enough to be scored). If another pair with income scores lower than plain MST's, that is a real
# loss: a fair model cannot connect income to some columns, and loses those dependences. Not so for
# `hours and income`: SDMetrics bins a number between the extremes of each table separately, so a
# few values further out shift all bins. With the same bins for both tables, `planned` has hardly
# any error there ([tutorial 11](11_do_numbers_come_back.ipynb) compares numbers without bins). To
# compare synthesizers on what both may preserve, leave out the protected-outcome pairs:

# %%
on_purpose = ['sex and income', 'race and income', 'income and sex', 'income and race']
pd.DataFrame({
    'all pairs': trends.mean(),
    'without protected-outcome pairs': trends.drop(on_purpose, errors='ignore').mean(),
})

# %% [markdown]
# ## What to remember
#
# - I(O; P | A) tests the table itself. Compare it with its permutations, never with zero, and read
#   it with its coverage.
# - Metrics detect unfairness; `verify_fairness()` proves its absence, and only for the synthetic
#   table.
# - A classifier trained on a fair table can still distinguish real groups by columns without a
#   role, if the outcome was connected to them, as `'adaptive'` may do. The default does not.
# - Parity is a different notion. Making a table justifiably fair can leave DP unchanged, or raise
#   it.
# - General quality scores count the removed dependence as an error. Look at the pairs, not at the
#   mean.
#
# Next: [06: Can I keep rules and ask for rows?](06_can_i_keep_rules_and_ask_for_rows.ipynb)
