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
# # Which fairness do I need?
#
# **Question.** There are many definitions of fairness, and they contradict each other. Which one
# should the synthetic table keep?
#
# **Answer.** Say in a sentence what must not depend on what, and given what. That sentence is a
# statement of independence, and this page has the common ones. Then look at what the statement
# lets through, before anybody signs.

# %%
import os
import warnings

import numpy as np
import pandas as pd
import plotly.express as px
from scipy.special import expit

from sdv_prefair import FairnessWarning, PreFairSynthesizer
from sdv_prefair.datasets import simulate_census
from sdv_prefair.datasets.dataset import categorical, public_metadata
from sdv_prefair.fairness import (
    demographic_parity,
    equalized_odds,
    justifiable,
    sufficiency,
)
from sdv_prefair.plots.style import BLUE, GREEN, GREY, ORANGE, VERMILION

ROWS = int(os.environ.get('TUTORIAL_ROWS', 20_000))
pd.options.display.float_format = '{:.3f}'.format

# %% [markdown]
# ## A bank that decides, and what came of it
#
# The simulated people ask for a loan. `approved` is the decision, `repaid` what was true: whether
# they pay back. Both depend on income, and the decision also on sex, directly. That is unfair by
# any of the definitions below.

# %%
census = simulate_census(ROWS, seed=0)
kept = ['sex', 'race', 'education', 'occupation', 'income', 'home_owner', 'region']
people = census.data['census'][kept].copy()
rng = np.random.default_rng(0)
male = people['sex'] == 'male'
reliable = rng.normal(0.5 * (people['income'] == '>50K'), 1.0)
people['repaid'] = np.where(rng.random(ROWS) < expit(2 * reliable), 'yes', 'no')
people['approved'] = np.where(
    rng.random(ROWS) < expit(2 * reliable - 1.0 + 1.8 * male), 'yes', 'no'
)

columns = census.metadata.to_dict()['tables']['census']['columns']
answer = categorical(['yes', 'no'])
described = {name: columns[name] for name in kept} | {'repaid': answer, 'approved': answer}
metadata = public_metadata('loans', described)
people.head()

# %% [markdown]
# ## Four sentences
#
# - **`justifiable`**: *decisions depend on sex and race only through reasons that we name.* Take it
#   if some differences between groups have a good reason, and you can say which.
# - **`demographic_parity`**: *decisions do not depend on sex and race at all.* Take it if no
#   difference is acceptable, whatever its reason, as with quotas or advertising.
# - **`equalized_odds`** (separation): *among people who are the same in truth, decisions do not
#   depend on sex and race.* Take it if there is a truth to compare with and mistakes are what
#   hurts, as with risk scores and tests.
# - **`sufficiency`** (calibration): *among people with the same decision, the truth does not depend
#   on sex and race.* Take it if whoever reads the decision must be able to trust it equally for
#   everybody.
#
# Each makes a list of statements of independence, and each can be printed.

# %%
protected = ['sex', 'race']
notions = {
    'justifiable': justifiable(protected, ['education', 'income'], ['approved']),
    'demographic parity': demographic_parity(protected, ['approved']),
    'equalized odds': equalized_odds(protected, ['approved'], ['repaid']),
    'sufficiency': sufficiency(protected, ['approved'], ['repaid']),
}
for name, (statement,) in notions.items():
    print(f'{name}: {statement}')


# %% [markdown]
# `fairness=` takes such a list in place of the three lists of columns. Beside the four stands a fit
# that promises nothing.


# %%
def synthesize(fairness, table=people, described=metadata, **options):
    synthesizer = PreFairSynthesizer(
        described, epsilon=1.0, public_ranges=True, fairness=fairness, **options
    )
    synthesizer.fit({'loans': table})
    return synthesizer


fitted = {'no promise': synthesize(None, structure='none')}
fitted |= {name: synthesize(statements) for name, statements in notions.items()}
{name: fitted[name].verify_fairness() for name in notions}

# %% [markdown]
# ## What each notion does to the rates
#
# Four differences between men and women: of how many are approved; of how many are approved among
# those who do not pay back (FPR) and among those who do (TPR); and of how many of the approved pay
# back (PPV). Each notion makes its own difference vanish, and says nothing about the others.


# %%
def differences(table):
    approved, repaid = table['approved'] == 'yes', table['repaid'] == 'yes'
    rates = {
        'approved': (approved, repaid | ~repaid),
        'FPR': (approved, ~repaid),
        'TPR': (approved, repaid),
        'PPV': (repaid, approved),
    }
    men = table['sex'] == 'male'
    return {
        name: counted[among & men].mean() - counted[among & ~men].mean()
        for name, (counted, among) in rates.items()
    }


tables = {'real': people} | {name: one.sample(50_000)['loans'] for name, one in fitted.items()}
found = pd.DataFrame({name: differences(table) for name, table in tables.items()}).T
found

# %%
long = found.rename_axis('table').reset_index().melt('table', var_name='rate', value_name='men')
colours = dict(zip(found.columns, [GREY, VERMILION, ORANGE, BLUE], strict=True))
figure = px.bar(
    long, x='table', y='men', color='rate', barmode='group', color_discrete_map=colours,
    title='By how much rates of men are above those of women', template='plotly_white',
    labels={'men': 'difference', 'table': ''}, width=850, height=420,
)  # fmt: skip
figure.show()

# %% [markdown]
# Read it bar by bar:
#
# - **No promise** keeps what the model could learn of the real table.
# - **Demographic parity** makes the first difference vanish, here with FPR and TPR, for the
#   decision is cut off from all that goes with sex. It says nothing about PPV.
# - **Equalized odds** makes FPR and TPR vanish. If one group pays back more often, it is still
#   approved more often: that is meant.
# - **Sufficiency** makes PPV vanish, and leaves the rest as it was.
# - **Justifiable** lets through what goes by way of education and income, and nothing else.
#
# ## You cannot have everything
#
# Separation and sufficiency together are possible only if the groups do not differ at all, or if
# decisions are never wrong (Kleinberg, Mullainathan and Raghavan 2016; Chouldechova 2017). A model
# of such statements would promise more than they say, and you are told so.

# %%
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter('always')
    PreFairSynthesizer(
        metadata,
        public_ranges=True,
        fairness=notions['equalized odds'] + notions['sufficiency'],
    )
for warning in told:
    if issubclass(warning.category, FairnessWarning):
        print(warning.message)

# %% [markdown]
# ## What the statement lets through
#
# A statement can hold and still let through what nobody meant. `explain_fairness()` shows it, from
# the fitted model and at no cost: what the admissible columns tell about sex and race, which
# columns without a role stand for these, what the decision rests on, and what sex and race still
# tell about it.

# %%
print(fitted['justifiable'].explain_fairness())

# %% [markdown]
# The last part comes from a private look at the table, for a hundredth of the budget: whether some
# column that nobody gave a role is the outcome under another name. Suppose the bank has a column
# `paid_out` as well, and nobody thought of it.

# %%
with_copy = people.assign(paid_out=people['approved'])
longer = public_metadata('loans', described | {'paid_out': answer})
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter('always')
    copied = synthesize(notions['demographic parity'], with_copy, longer)
for warning in told:
    if issubclass(warning.category, FairnessWarning):
        print(warning.message)

# %% [markdown]
# Without a role the copy is kept together with sex and race, and the table shows in `paid_out`
# what `approved` no longer shows:

# %%
rows = copied.sample(50_000)['loans']
rates = {
    column: rows.groupby('sex')[column].agg(lambda values: (values == 'yes').mean())
    for column in ('approved', 'paid_out')
}
both = pd.DataFrame(rates).rename_axis('sex').reset_index().melt('sex', value_name='yes')
px.bar(
    both, x='variable', y='yes', color='sex', barmode='group', template='plotly_white',
    color_discrete_sequence=[GREEN, BLUE], width=600, height=380,
    title='Two names of one decision, one of them with a promise', labels={'variable': ''},
).show()  # fmt: skip

# %% [markdown]
# The remedy is to name both as outcomes. Before a fit, the owner of the table can look at the real
# rows with `sdv-prefair roles people.csv --metadata metadata.json`, which lists such columns with a
# suggestion for each. What it prints is not private and must stay with the owner.
#
# ## In short
#
# 1. Write the sentence: *what* must not depend on *whom*, given *what*.
# 2. Take the preset that says it, or write `Independent(left, right, given)` yourself.
# 3. Read `explain_fairness()` and the warnings before you sign: which reasons are copies, and which
#    copies have no role.
# 4. Expect the rates of the other notions to stay as they were.
