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
# **Answer.** An admissible column is a difference between people you are ready to defend as a
# reason. No software can tell whether you are right; this page shows what follows from each choice.

# %%
import os

import pandas as pd
import plotly.graph_objects as go
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer
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


def without_identifiers(census):
    """Leave out the id and the address, which are made up anyway: drawing them is slow."""
    columns = ['person_id', 'email']
    description = census.metadata.to_dict()
    table = description['tables']['census']
    del table['primary_key']
    table['columns'] = {
        name: column for name, column in table['columns'].items() if name not in columns
    }
    return census.data['census'].drop(columns=columns), Metadata.load_from_dict(description)


census = simulate_census(num_rows=ROWS, seed=0)
real, metadata = without_identifiers(census)
data = {'census': real}
just = simulate_census(num_rows=10 * ROWS, seed=0, direct_effect=0).data['census']

# %% [markdown]
# ## Four kinds of columns
#
# | role | what you say | what the synthesizer does |
# |---|---|---|
# | **protected** | must not influence the outcome by itself | cut off, but for admissible columns |
# | **admissible** | may, even where groups differ in it | the only bridge between the two |
# | **outcome** | decision or label to be fair | independent of protected given admissible |
# | unlabelled | nothing | on one side or the other, never a bridge |
#
# The promise: in the synthetic table each outcome is independent of the protected columns *given*
# the admissible ones. The more you call admissible, the weaker the promise.
#
# The simulator lets us judge choices, because we know what causes what in it:
#
# - sex and race act on education, occupation and hours, and these on income;
# - sex and race also act on income **directly**: that is the injustice;
# - race goes with `region`, and through it with the commute and the date of the interview;
# - `marital_status` follows from sex, age and income, `home_owner` from income and marriage.
#
# With real people nobody hands you such a list. You argue for it. Nor can you switch the injustice
# off, as the simulator can: `just` above is the same world without the direct effects.
#
# ## A narrow and a wide list
#
# The same table, the same epsilon, several lists, a few fits of each: fits are not seeded and
# differ. From each fit more rows are drawn than the real table has. That is free, and keeps the
# accident of drawing out of the comparison.

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
# Two different things can be measured. **Plain parity**: how far apart are the groups' shares of
# high incomes? Admissible columns play no part in it.


# %%
def plain_gap(table, column):
    """Largest difference between groups in the share of high incomes."""
    return demographic_parity(table['income'], table[column], '>50K').gap


figure = go.Figure()
for column, colour, symbol in (('sex', '#D55E00', 'circle'), ('race', '#0072B2', 'diamond')):
    points = [(name, plain_gap(rows, column)) for name in fits for _, rows in fits[name]]
    figure.add_scatter(
        x=[name for name, _ in points], y=[gap for _, gap in points], mode='markers',
        name=f'by {column}, synthetic', marker={'color': colour, 'symbol': symbol, 'size': 11},
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
# Look at the gap between the sexes. With education alone next to nothing is left, because in this
# simulation the sexes do not differ in education. With occupation and hours in the list some of it
# comes back: men and women are in different occupations, and you have said that this may count.
# Each column added is one more way in which a difference may pass.
#
# Between races something stays even with the narrow list: education differs by race, and education
# was called admissible. All gaps are far below the real one (dashed). The dotted lines are the gaps
# of the world without the direct effects, where all that is left goes through education, occupation
# and hours: a perfect table for the middle list would lie on them. Two things to see there. The
# synthetic gaps fall short of them, between races most, because the model is a tree and keeps one
# path between two columns where the world has several: a smaller gap is not a fairer one, some of
# what you admitted was lost. And with `marital_status` in the list the gap between the sexes rises
# *above* what the three reasons explain: a part of the direct effect is back, under another name.
#
# **What is promised** is the other thing: independence *given* the list. The measure is
# I(O; P | A), the information that protected columns give about the outcome once the
# admissible ones are known. An estimate from finitely many rows is never zero, so it comes with
# what independence alone would give, and with a p-value against it. Under independence one p-value
# in twenty is below 0.05 by chance, so a single one says little: here are twenty fresh draws of
# rows from one fit, and the share of them that look dependent.

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
# Given its own list every synthetic table looks like independence: the two numbers are close, and
# about as many draws look dependent as chance would have it (5 %, and of twenty draws it may well
# be none or three). The real table, measured given education, occupation and hours, does not look
# like it at all.
#
# Now hold them all to the *strict* standard, education alone:

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
# ### 1. A stand-in for the protected column
#
# Where people live may say little more than their race. If `region` is called admissible, race may
# reach income by way of region, and the result is still certified. To see the permission itself,
# ask for one and the same tree twice, in which race, region and income are neighbours.

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
# certificate on top. Without a tree of your own the synthesizer might not have used region as the
# bridge in this fit, but it was allowed to, and the next fit may. **What you allow counts, not what
# one fit happens to use.**
#
# The test to apply: *would I accept this column as a reason if I knew nothing about the protected
# column?* "She lives in the south" is not a reason for a lower wage.
#
# ### 2. A consequence of the outcome
#
# `home_owner` and `marital_status` come *after* income here: people with money buy homes and marry
# more, men more than women. A consequence cannot justify its cause. Calling it admissible means to
# compare people after sorting them by the very thing that may be unjust. In the figure above,
# adding `marital_status` let a part of the direct effect of sex through, though marriage is no
# reason for anybody's income in this world.
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
# If people are held back on the way into occupations, then admitting occupation admits that too. If
# they choose freely, leaving it out treats a choice as an injustice. The table cannot tell these
# apart: both worlds make the same rows. Law, history and the people concerned can say more than any
# measure on this page.
#
# What you can do is show what hangs on it: release notes with both lists, as in the first figure,
# let readers see how much of the gap the choice of occupation accounts for. (Each fit costs its
# epsilon.) If in doubt, take the narrow list: it promises more.
#
# ## What about unlabelled columns?
#
# The promise holds for the synthetic *table*. A classifier trained on it and used on *real* people
# is another matter. In real rows `marital_status` goes with sex. With `structure='adaptive'` an
# unlabelled column may be tied to the outcome (as long as it is then cut off from the protected
# ones). A classifier learns that tie, and in real rows the column gives sex away again. The
# default, `'planned'`, ties outcomes to admissible columns and other outcomes only, and so do
# `'greedy'` and `'aim'`. The other way is to give such columns a role: here, to protect them too.

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
# Look at the gap of `adaptive`: its *table* is justifiably fair, a classifier trained on it treats
# real men and women with equal education, occupation and hours quite differently. The default,
# `planned`, does not, because it has tied income to admissible columns only. Protecting the proxies
# does the same here. Compare the accuracies as well. What of it comes from predicting a past that
# was unjust is not all loss; but measure it before you choose. (One classifier and one simulated
# table: read this as a warning, not as a law.)
#
# ## When the lists cannot be used
#
# Slips are caught when the synthesizer is made, before any row is read:

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
# No error tells you that a column *should not* be admissible. That one is yours.
#
# ## What to remember
#
# - Admissible means: I will defend this difference as a reason. Write the reason beside the list.
# - Not admissible: stand-ins for protected columns, consequences of the outcome, and reasons that
#   are themselves the injustice. The last is a judgement no table can make for you.
# - A longer list is a weaker promise. If in doubt, leave a column out.
# - `verify_fairness()` certifies the model against your list. It cannot certify the list.
# - If a model will be trained on the rows, use `'greedy'` or `'aim'`, or give proxies a role, and
#   measure.
#
# Next: [03: How much epsilon?](03_how_much_epsilon.ipynb)
