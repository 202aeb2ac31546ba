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
# # Which columns are admissible?
#
# **Question.** I must sort my columns into protected, admissible and outcome. What does each list
# do, and how can I get it wrong?
#
# **Answer.** An admissible column is a difference between people that you are ready to defend as a
# legitimate reason. No software can tell whether you are right; this page shows what follows from
# each choice.
#
# **The argument.** Protected columns reach the outcome only through admissible ones. So every
# admissible column is a channel, and the list decides how much of the group difference remains.
# There are three ways to get it wrong: a proxy for a protected column, a consequence of the
# outcome, and a reason that is itself the injustice. In each case the check passes, because it
# tests the model against your list, not your list against the world.

# %%
import os
import warnings

import pandas as pd
import plotly.graph_objects as go

from sdv_prefair import FairnessWarning, PreFairSynthesizer
from sdv_prefair.datasets import simulate_census
from sdv_prefair.errors import SynthesizerInputError
from sdv_prefair.metrics import (
    ConditionalDemographicParity,
    ConditionalMutualInformation,
    DownstreamAccuracy,
    demographic_parity,
)

ROWS = int(os.environ.get('TUTORIAL_ROWS', 20_000))
SAMPLE = min(5 * ROWS, 50_000)
FITS = 3
warnings.simplefilter('ignore', FairnessWarning)  # this page makes the mistakes it warns about
# The id and the address are made up anyway, and generating them is slow.
census = simulate_census(num_rows=ROWS, seed=0)
data, metadata, _ = census.drop(['person_id', 'email'])
real = data['census']
many = simulate_census(num_rows=10 * ROWS, seed=0).data['census']
just = simulate_census(num_rows=10 * ROWS, seed=0, direct_effect=0).data['census']

# %% [markdown]
# ## Four kinds of columns
#
# | role | what you say | what the synthesizer does |
# |---|---|---|
# | **protected** | must not influence the outcome directly | separated by admissible columns |
# | **admissible** | may, even if groups differ in it | the only connection between the two |
# | **outcome** | decision or label to make fair | independent of protected given admissible |
# | unlabelled | nothing | on one side or the other, never a connection |
#
# The guarantee: in the synthetic table, each outcome is independent of the protected columns
# *given* the admissible ones. The more columns you call admissible, the weaker the guarantee.
#
# The simulator lets us judge choices, because we know its causal structure:
#
# - sex and race affect education, occupation and hours, and these affect income;
# - sex and race also affect income **directly**: that is the injustice;
# - race correlates with `region`, and through it with the commute and the interview date;
# - `marital_status` depends on sex, age and income, `home_owner` on income and marriage.
#
# With real people nobody hands you such a list; you have to argue for it. Nor can you switch the
# injustice off, as the simulator can: `just` above is the same world without the direct effects.
#
# ## A narrow and a wide list
#
# We use the same table, the same epsilon and several lists, with a few fits each, because fits are
# not seeded and differ. We sample more rows from each fit than the real table has. That is free,
# and keeps sampling error out of the comparison.

# %%
LISTS = {
    'education': ['education'],
    'education, occupation, hours': ['education', 'occupation', 'hours'],
    '... and marital_status': ['education', 'occupation', 'hours', 'marital_status'],
}
PROTECTED, OUTCOME = ['sex', 'race'], ['income']


def fit(admissible, structure='planned', protected=PROTECTED):
    """Fit once and return the synthesizer with its rows."""
    synthesizer = PreFairSynthesizer(
        metadata, epsilon=1.0, public_ranges=True, structure=structure,
        protected=protected, admissible=admissible, outcome=OUTCOME,
    )  # fmt: skip
    synthesizer.fit(data)
    return synthesizer, synthesizer.sample(num_rows=SAMPLE)['census']


fits = {name: [fit(admissible) for _ in range(FITS)] for name, admissible in LISTS.items()}

# %% [markdown]
# We can measure two different things. **Parity**: how much do the groups differ in their share of
# high incomes? Admissible columns play no part in it.


# %%
def plain_gap(table, column):
    """Largest difference between groups in the share of high incomes."""
    return demographic_parity(table['income'], table[column], '>50K').gap


def exactly_fair_gap(column, admissible):
    """The gap if everybody had the chances of all who are equal to them in the list."""
    chances = (many['income'] == '>50K').groupby([many[name] for name in admissible])
    by_group = chances.transform('mean').groupby(many[column]).mean()
    return by_group.max() - by_group.min()


figure = go.Figure()
for column, colour, symbol in (('sex', '#D55E00', 'circle'), ('race', '#0072B2', 'diamond')):
    points = [(name, plain_gap(rows, column)) for name in fits for _, rows in fits[name]]
    figure.add_scatter(
        x=[name for name, _ in points], y=[gap for _, gap in points], mode='markers',
        name=f'by {column}, synthetic', marker={'color': colour, 'symbol': symbol, 'size': 11},
    )  # fmt: skip
    figure.add_scatter(
        x=list(LISTS), y=[exactly_fair_gap(column, admissible) for admissible in LISTS.values()],
        mode='markers', name=f'by {column}, exactly fair',
        marker={'color': colour, 'symbol': f'{symbol}-open', 'size': 19},
    )  # fmt: skip
    for table, name, dash in ((real, 'real table', 'dash'), (just, 'no direct effect', 'dot')):
        figure.add_scatter(
            x=list(LISTS), y=[plain_gap(table, column)] * len(LISTS), mode='lines',
            name=f'by {column}, {name}', line={'color': colour, 'dash': dash},
        )  # fmt: skip
figure.update_layout(
    title='Gap in the share of high incomes, by list of admissible columns',
    xaxis_title='admissible', yaxis_title='gap between groups', yaxis_rangemode='tozero',
    template='plotly_white', width=860, height=460,
)  # fmt: skip
figure.show()

# %% [markdown]
# Look at the gap between the sexes. With education alone, next to nothing is left, because in this
# simulation the sexes do not differ in education. With occupation and hours in the list, some of it
# comes back: men and women have different occupations, and you have said that this may count. Each
# added column is one more channel for a difference.
#
# Between races, some gap remains even with the narrow list: education differs by race, and
# education was called admissible. All gaps are far below the real one (dashed).
#
# The hollow marks are what the guarantee allows, without noise and without a model: everybody has
# the chances of all who are equal to them in the list. The fits of the first two lists are close to
# them. Those of the third are lower between the sexes, because the model holds fewer dependences
# than the table. A smaller gap is not a fairer one: some of what you admitted was lost.
#
# The dotted lines are the gaps in the world without the direct effects, where everything that is
# left goes through education, occupation and hours. Between the sexes, the hollow mark of the
# second list is *above* its line: where most people in an occupation are women, what they lose by
# being women looks like the pay of the occupation, and you have admitted occupation. With
# `marital_status` the mark is higher still, although marriage affects nobody's income here: more of
# the direct effect may come back, under another name.
#
# **The guarantee** is the other thing: independence *given* the list. The measure is the
# conditional mutual information I(O; P | A), the information that protected columns carry about the
# outcome once the admissible ones are known. An estimate from finitely many rows is never zero, so
# it comes with its expectation under independence, and a p-value. Under independence, one p-value
# in twenty is below 0.05 by chance, so a single one says little: here are twenty samples from one
# fit, and the share of them that look dependent.

# %%
DRAWS, DRAWN = 20, ROWS // 4


def independence(tables, admissible):
    """I(income; sex, race | admissible) of some tables, beside what independence would give."""
    measured = pd.DataFrame([
        ConditionalMutualInformation.compute_breakdown(
            None, rows, metadata, outcome=OUTCOME, protected=PROTECTED, admissible=admissible
        )
        for rows in tables
    ])
    return {
        'mean I(O; P | A)': measured['score'].mean().round(4),
        'if independent': measured['null_mean'].mean().round(4),
        'draws with p < 0.05': f'{(measured["p_value"] < 0.05).mean():.0%}',
    }


draws = {
    name: [results[0][0].sample(num_rows=DRAWN)['census'] for _ in range(DRAWS)]
    for name, results in fits.items()
}
draws['real table'] = [real.sample(DRAWN, random_state=draw) for draw in range(DRAWS)]
own_list = LISTS | {'real table': LISTS['education, occupation, hours']}
pd.DataFrame({name: independence(draws[name], own_list[name]) for name in draws}).T

# %% [markdown]
# Given its own list, every synthetic table looks independent: the two numbers are close, and about
# as many samples look dependent as chance predicts (5 %; out of twenty, that may well be none or
# three). The real table, measured given education, occupation and hours, does not.
#
# Now hold all of them to the *strict* standard, education alone:

# %%
pd.DataFrame({name: independence(draws[name], ['education']) for name in draws}).T

# %% [markdown]
# The wide lists fail a test they never promised to pass. Nothing went wrong: all three models pass
# `verify_fairness()`, each for its own list. The check knows your list, not the world.

# %%
for name, results in fits.items():
    print(f'{name:<32}', all(synthesizer.verify_fairness() for synthesizer, _ in results))

# %% [markdown]
# ## Three ways to be wrong
#
# ### 1. A proxy for the protected column
#
# Where people live may say little more than their race. If `region` is admissible, race may affect
# income through region, and the result still passes the check. To see that permission at work,
# request the same tree twice, with the path race - region - income.

# %%
TREE = [
    ('race', 'region'), ('region', 'income'), ('income', 'occupation'), ('occupation', 'sex'),
    ('occupation', 'education'), ('occupation', 'hours'), ('education', 'age'),
    ('age', 'marital_status'), ('income', 'home_owner'), ('region', 'commute_km'),
    ('region', 'interview_date'),
]  # fmt: skip
WIDE = LISTS['education, occupation, hours']

try:
    fit(WIDE, TREE)
except SynthesizerInputError as error:
    print(f'{type(error).__name__}: {error}')

# %%
redlined, rows = fit([*WIDE, 'region'], TREE)
print('verify_fairness:', redlined.verify_fairness())
print(f'gap between races, through region: {plain_gap(rows, "race"):.3f}')

# %% [markdown]
# The first was refused, with the path named. The second is the old practice of redlining with a
# certificate on top. Without a given tree, the synthesizer might not have connected the two through
# region in this fit, but it was allowed to, and the next fit may. **What you allow counts, not what
# one fit happens to use.**
#
# The test to apply: *would I accept this column as a reason if I knew nothing about the protected
# column?* "She lives in the south" is not a reason for a lower wage.
#
# ### 2. A consequence of the outcome
#
# `home_owner` and `marital_status` come *after* income here: people with money buy homes and marry
# more, men more than women. A consequence cannot justify its cause. Calling it admissible means
# comparing people after sorting them by the very thing that may be unjust. In the figure above,
# `marital_status` raises what the guarantee allows between the sexes, although marriage does not
# affect anybody's income in this world.
#
# The test: *was the column settled before the outcome?* If not, leave it unlabelled.
#
# ### 3. A reason that is itself the injustice
#
# Occupation is the hard one. It does decide income. But women are in care and men in craft and
# technical work far more often than their education explains:

# %%
men = real.assign(men=real['sex'] == 'male').groupby('occupation')['men'].mean().sort_values()
figure = go.Figure(go.Bar(x=men, y=men.index, orientation='h', marker_color='#0072B2'))
figure.add_vline(x=(real['sex'] == 'male').mean(), line_dash='dash', line_color='#555555')
figure.update_layout(
    title='Share of men by occupation, simulated census (dashed: all people)',
    xaxis={'title': 'share of men', 'tickformat': '.0%', 'range': [0, 1]}, yaxis_title='occupation',
    template='plotly_white', width=800, height=400,
)  # fmt: skip
figure.show()

# %% [markdown]
# If people are kept out of occupations, then admitting occupation admits that too. If they choose
# freely, leaving it out treats a choice as an injustice. The table cannot distinguish the two: both
# worlds produce the same rows. Law, history and the people concerned can say more than any metric
# on this page.
#
# What you can do is show what depends on it: release notes with both lists, as in the first figure,
# let readers see how much of the gap occupation accounts for. (Each fit costs its epsilon.) If in
# doubt, use the narrow list: it guarantees more.
#
# ## What about unlabelled columns?
#
# The guarantee holds for the synthetic *table*. A classifier trained on it and applied to *real*
# people is another matter. In real rows, `marital_status` correlates with sex. With
# `structure='adaptive'`, an unlabelled column may be connected to the outcome (as long as it is
# then separated from the protected ones). A classifier learns that dependence, and in real rows the
# column is a proxy for sex again. The default, `'planned'`, connects outcomes to admissible columns
# and other outcomes only, and so do `'greedy'` and `'aim'`. Alternatively, give such columns a
# role: here, protect them too.

# %%
CHOICES = {
    'plain MST, no fairness': {'structure': 'none'},
    'adaptive': {'structure': 'adaptive'},
    'adaptive, marriage and<br>home protected too': {
        'structure': 'adaptive',
        'protected': ['sex', 'race', 'marital_status', 'home_owner'],
    },
    'planned': {},
}


def on_real_rows(rows):
    """Train on synthetic rows, predict the real ones: gap given admissible, and accuracy."""
    tables = {'real_data': real, 'synthetic_data': rows, 'metadata': metadata, 'outcome': 'income'}
    gap = ConditionalDemographicParity.compute(
        **tables, protected='sex', admissible=WIDE, positive='>50K', seed=0
    )
    return {'gap': gap, 'accuracy': DownstreamAccuracy.compute(**tables, seed=0)}


trained = pd.DataFrame([
    {'synthesizer': name} | on_real_rows(fit(WIDE, **choice)[1])
    for name, choice in CHOICES.items()
    for _ in range(FITS)
])
trained.groupby('synthesizer', sort=False).mean().round(3)

# %%
figure = go.Figure()
for measure, colour, symbol in (('gap', '#D55E00', 'circle'), ('accuracy', '#555555', 'x')):
    figure.add_scatter(
        x=trained['synthesizer'], y=trained[measure], mode='markers', name=measure,
        marker={'color': colour, 'symbol': symbol, 'size': 11},
    )  # fmt: skip
figure.update_layout(
    title='A linear classifier trained on synthetic rows, used on real ones<br>'
    '<sup>gap between the sexes given education, occupation, hours; one mark for each fit</sup>',
    xaxis_title='trained on rows of', yaxis_title='gap, accuracy', yaxis_range=[-0.05, 1],
    template='plotly_white', width=860, height=480,
)  # fmt: skip
figure.show()

# %% [markdown]
# Look at the gap of `adaptive`: its *table* is justifiably fair, but a classifier trained on it
# treats real men and women with equal education, occupation and hours quite differently. The
# default, `planned`, does not, because it connects income to admissible columns only. Protecting
# the proxies has the same effect here. Compare the accuracies as well. Accuracy at predicting an
# unjust past is not all worth keeping, but measure it before you choose. (This is one classifier on
# one simulated table: a warning, not a general result.)
#
# ## When the lists cannot be used
#
# Mistakes in the lists are caught when the synthesizer is constructed, before any row is read:

# %%
SLIPS = {
    'a name, not a list': {'protected': 'sex'},
    'one column twice': {'admissible': ['education', 'sex']},
    'a list forgotten': {'admissible': []},
    'a typing error': {'outcome': ['Income']},
    'an id': {'protected': ['person_id']},
}
for slip, wrong in SLIPS.items():
    given = {'protected': ['sex'], 'admissible': ['education'], 'outcome': ['income']} | wrong
    try:
        PreFairSynthesizer(census.metadata, public_ranges=True, **given)
    except SynthesizerInputError as error:
        print(f'{slip}\n  {type(error).__name__}: {error}\n')

# %% [markdown]
# No error tells you that a column *should not* be admissible. That judgement is yours.
#
# ## What to remember
#
# - Admissible means: I will defend this difference as a reason. Write the reason down next to the
#   list.
# - Not admissible: proxies for protected columns, consequences of the outcome, and reasons that are
#   themselves the injustice. The last is a judgement that no table can make for you.
# - A longer list is a weaker guarantee. If in doubt, leave a column out.
# - `verify_fairness()` certifies the model against your list. It cannot certify the list.
# - If a model will be trained on the rows, keep the default structure or give proxies a role, and
#   measure.
#
# Next: [03: How much epsilon?](03_how_much_epsilon.ipynb)
