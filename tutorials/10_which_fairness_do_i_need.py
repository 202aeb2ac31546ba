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
# should the synthetic table satisfy?
#
# **Answer.** Say in one sentence what must not depend on what, and given what. That sentence is a
# statement of conditional independence, and this page has the common ones. Then check what the
# statement lets through, before anybody signs.
#
# **The argument.** Each definition makes one difference between groups disappear and says nothing
# about the others. Which difference is the harm depends on the use: being turned away, being turned
# away although you would have paid back, or being approved on weaker evidence. No table can answer
# that, and no model can satisfy all definitions at once. So choose the sentence first, then the
# preset that says it.

# %%
import os
import warnings

import pandas as pd
import plotly.express as px

from sdv_prefair import FairnessWarning, PreFairSynthesizer
from sdv_prefair.datasets import public_metadata, simulate_loans
from sdv_prefair.fairness import (
    demographic_parity,
    equalized_odds,
    justifiable,
    sufficiency,
)
from sdv_prefair.plots import BLUE, GREEN, GREY, ORANGE, VERMILION

ROWS = int(os.environ.get('TUTORIAL_ROWS', 20_000))
pd.options.display.float_format = '{:.3f}'.format

# %% [markdown]
# ## A bank's decisions, and what came of them
#
# The simulated people apply for a loan. `approved` is the decision, `repaid` is the label: whether
# they pay the loan back. Both depend on income, and the decision also depends on sex, directly.
# That is unfair by any of the definitions below.

# %%
data, metadata, _ = simulate_loans(ROWS, seed=0)
people = data['loans']
people.head()

# %% [markdown]
# ## Four sentences
#
# - **`justifiable`**: *decisions depend on sex and race only through reasons that we name.* Use it
#   if some differences between groups have a legitimate reason, and you can say which.
# - **`demographic_parity`**: *decisions do not depend on sex and race at all.* Use it if no
#   difference is acceptable, whatever its reason, as with quotas or advertising.
# - **`equalized_odds`** (separation): *among people with the same label, decisions do not depend on
#   sex and race.* Use it if there is a true label to compare with and errors are the harm, as with
#   risk scores and tests.
# - **`sufficiency`** (calibration): *among people with the same decision, the label does not depend
#   on sex and race.* Use it if people who rely on the decision must be able to trust it equally for
#   every group.
#
# Each returns a list of statements of independence, which you can print.

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
# `fairness=` takes such a list in place of the three lists of columns. For comparison, we also fit
# without any statement.


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
# We compare men and women by four differences: in the approval rate; in the approval rate among
# those who do not pay back (FPR) and among those who do (TPR); and in the share of the approved who
# pay back (PPV). Each notion makes its own difference vanish, and says nothing about the others.


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
# - **No promise** preserves what the model could learn from the real table.
# - **Demographic parity** makes the first difference vanish, here together with FPR and TPR,
#   because the decision is separated from everything that depends on sex. It says nothing about
#   PPV.
# - **Equalized odds** makes FPR and TPR vanish. If one group pays back more often, it is still
#   approved more often; that is intended.
# - **Sufficiency** makes PPV vanish, and leaves the rest unchanged.
# - **Justifiable** lets through what passes through education and income, and nothing else.
#
# ## You cannot have everything
#
# Separation and sufficiency together are possible only if the groups do not differ at all, or if
# decisions are never wrong (Kleinberg, Mullainathan and Raghavan 2016; Chouldechova 2017). A model
# that satisfies both statements guarantees more than they say, and a warning tells you so.

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
# A statement can hold and still let through what nobody intended. `explain_fairness()` shows it,
# from the fitted model and at no cost: how much the admissible columns reveal about sex and race,
# which columns without a role are proxies for them, what the decision depends on, and how much sex
# and race still reveal about it.

# %%
print(fitted['justifiable'].explain_fairness())

# %% [markdown]
# The last part comes from a private query on the table, for a hundredth of the budget: is some
# column without a role the outcome under another name? Suppose the bank also has a column
# `paid_out`, and nobody thought of it.

# %%
with_copy = people.assign(paid_out=people['approved'])
columns = metadata.to_dict()['tables']['loans']['columns']
longer = public_metadata('loans', columns | {'paid_out': columns['approved']})
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter('always')
    copied = synthesize(notions['demographic parity'], with_copy, longer)
for warning in told:
    if issubclass(warning.category, FairnessWarning):
        print(warning.message)

# %% [markdown]
# Without a role, the copy stays on the side of sex and race, and `paid_out` shows what `approved`
# no longer shows:

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
# The remedy is to name both as outcomes. Before a fit, the data owner can check the real rows with
# `sdv-prefair roles people.csv --metadata metadata.json`, which lists such columns with a
# suggestion for each. Its output is not private and must stay with the owner.
#
# ## In short
#
# 1. Write the sentence: *what* must not depend on *whom*, given *what*.
# 2. Use the preset that says it, or write `Independent(left, right, given)` yourself.
# 3. Read `explain_fairness()` and the warnings before you sign: which reasons are copies, and which
#    copies have no role.
# 4. Expect the rates of the other notions to stay as they were.
