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
# # Can I keep rules and ask for rows?
#
# **Question.** My table has rules (nobody started work at an age above their own, a district lies
# in its region), and I need rows of a certain kind. Does that work with privacy and fairness?
#
# **Answer.** Yes: SDV's constraints hold in every sampled row, and public ones cost no privacy;
# conditions are met exactly, however rare. Two things do not go unnoticed: a constraint that ties a
# protected column to an outcome is refused, and a condition that does so warns.
#
# **The argument.** A constraint makes its columns dependent whatever the model says, and a
# condition selects rows by its columns. For fairness both count as one more clique of the graph, so
# the same test decides what is allowed. For privacy the question is where a constraint comes from:
# a rule that anyone could know is free, one that is learnt from the rows must be paid for.

# %%
import contextlib
import io
import os
import time
import warnings

os.environ['TQDM_DISABLE'] = '1'  # no progress bars on the page

import numpy as np
import pandas as pd
import plotly.express as px
from sdv.cag import FixedCombinations, Inequality
from sdv.sampling import Condition

from sdv_prefair import FairnessWarning, PreFairSynthesizer
from sdv_prefair.constraints import PublicCombinations
from sdv_prefair.datasets import DISTRICTS, simulate_careers
from sdv_prefair.errors import UnfairModelError
from sdv_prefair.metrics import ConditionalMutualInformation
from sdv_prefair.plots import BLUE, GREEN, GREY, VERMILION

ROWS = int(os.environ.get('TUTORIAL_ROWS', 20_000))
pd.options.display.float_format = '{:.4f}'.format

# %% [markdown]
# ## A table with two rules
#
# `simulate_careers` is the simulated census with two more columns: the age at which a person
# started work, which is never above their age, and the district they live in, which lies in one
# region. Its metadata was written by hand, as always.

# %%
data, metadata, roles = simulate_careers(ROWS, seed=0)
people = data['census']
people[['age', 'started_work', 'region', 'district']].head(3)


# %%
def new_synthesizer(constraints=()):
    synthesizer = PreFairSynthesizer(metadata, epsilon=1.0, public_ranges=True, **roles.as_dict())
    if constraints:
        synthesizer.add_constraints(list(constraints))
    return synthesizer


# %% [markdown]
# ## Rules that hold
#
# These are the rules as SDV constraints. Which district lies in which region is on the map, so
# `PublicCombinations` takes the list and nothing has to be learnt. SDV's `FixedCombinations` allows
# what occurs in the rows; that is private, so here it is learnt within the budget.

# %%
on_the_map = [(region, name) for region, names in DISTRICTS.items() for name in names]
work = Inequality('started_work', 'age')
listed = PublicCombinations(['region', 'district'], on_the_map)
learnt = FixedCombinations(['region', 'district'])

fitted = {}
for name, constraints in {
    'no constraints': [],
    'public list': [work, listed],
    'learnt list': [work, learnt],
}.items():
    fitted[name] = new_synthesizer(constraints)
    fitted[name].fit(data)
with contextlib.redirect_stderr(io.StringIO()):  # SDV shows a bar where there are constraints
    synthetic = {name: model.sample(ROWS)['census'] for name, model in fitted.items()}

# %%
allowed = pd.MultiIndex.from_tuples(on_the_map)


def broken(table):
    pairs = pd.MultiIndex.from_frame(table[['region', 'district']])
    return {
        'started work after today': (table['started_work'] > table['age']).mean(),
        'district in another region': (~pairs.isin(allowed)).mean(),
    }


shares_broken = pd.DataFrame({name: broken(table) for name, table in synthetic.items()})
figure = px.bar(
    shares_broken.rename_axis('rule').reset_index().melt('rule', var_name='synthesizer'),
    x='rule', y='value', color='synthesizer', barmode='group', pattern_shape='synthesizer',
    color_discrete_sequence=[VERMILION, BLUE, GREEN], text_auto='.1%', width=800, height=420,
    title='Synthetic rows that break a rule', template='plotly_white',
)  # fmt: skip
figure.update_traces(textposition='outside', cliponaxis=False)
figure.update_layout(xaxis_title=None, yaxis={'title': 'share of rows', 'tickformat': '.0%'})
figure.show()

# %% [markdown]
# What did the constraints cost? A public list costs nothing. Learning one is a line of the ledger,
# paid from the same epsilon, so less is left for measurements:

# %%
pd.concat(
    {
        name: synthesizer.get_privacy_ledger().groupby('step', sort=False)['rho'].sum()
        for name, synthesizer in fitted.items()
    },
    axis=1,
).fillna(0).sort_index()

# %% [markdown]
# And a learnt list misses what is rare: few people live in Fairport, and to release that anybody
# does would reveal too much about them. If you know the combinations, list them.

# %%
pd.DataFrame({
    name: table['district'].value_counts() for name, table in {'real': people, **synthetic}.items()
}).fillna(0).astype(int).reindex(DISTRICTS['north'])

# %% [markdown]
# ## What constraints do to roles
#
# A constraint makes its columns dependent, so the fairness check has to include it. The synthesizer
# models other columns in place of the constrained ones (for the ages, the first age and the
# difference to the second), and gives these new columns roles that preserve the guarantee:

# %%
pd.DataFrame({
    version: fitted['public list'].get_roles(version).as_dict()
    for version in ('original', 'modified')
}).map(', '.join)

# %% [markdown]
# The two ages had no role. Now they are modelled by two columns, and if one of them were adjacent
# to sex and the other to income, the constraint would connect what the model separates. So both are
# treated as protected: separated from income except through admissible columns. The graph shows it,
# and `verify_fairness()` checks the cliques of the constraints together with the model's.

# %%
fitted['public list'].verify_fairness()
fitted['public list'].visualize().show()

# %% [markdown]
# ## A constraint that is refused
#
# No model can be fair with respect to sex and satisfy a constraint between sex and income: such a
# constraint *is* a dependence, whatever the admissible columns are. The synthesizer refuses it
# before it reads a row.


# %%
def refusal(constraints):
    try:
        new_synthesizer(constraints)
    except UnfairModelError as error:
        return str(error)
    return 'accepted'


print(refusal([FixedCombinations(['sex', 'income'])]))

# %% [markdown]
# It also detects indirect connections. Each of these two constraints is accepted without the other:

# %%
first, second = FixedCombinations(['race', 'region']), FixedCombinations(['region', 'income'])
print(refusal([first]), refusal([second]), refusal([first, second]), sep='\n')

# %% [markdown]
# ## Conditions
#
# `sample_from_conditions` samples from the model's conditional distribution. There is no rejection
# sampling, so a rare condition takes about as long as a common one. Very old people with a master's
# degree who work long hours in a craft are about as rare as it gets:

# %%
plain = fitted['no constraints']
rare = {'age': 88, 'education': 'master', 'occupation': 'craft', 'hours': 55}
common = {'age': 40, 'education': 'secondary', 'occupation': 'service', 'hours': 35}


def ask(wish, num_rows=1000):
    begun = time.perf_counter()
    rows = plain.sample_from_conditions([Condition(wish, num_rows=num_rows)])['census']
    met = np.all([people[column] == value for column, value in wish.items()], axis=0).sum()
    return rows, {
        'real rows': met,
        'rows got': len(rows),
        'ms': 1e3 * (time.perf_counter() - begun),
    }


ask(common)  # the first call prepares things
asked = {'common': ask(common), 'rare': ask(rare)}
pd.DataFrame({name: about for name, (_, about) in asked.items()}).T.astype(int)

# %%
asked['rare'][0][[*rare, 'sex', 'income']].head(3)

# %% [markdown]
# You can condition on any value of the public domain, whether or not somebody has it. Privacy
# requires this: an error would reveal that nobody does. What comes back in that case is what the
# model implies, not what was observed; treat it as an extrapolation.
#
# The same holds with constraints, as long as you condition on *all* columns of a constraint or on
# none. A district alone is one half of the pair that was modelled; such values are found by
# rejection sampling, as in SDV, and rare ones may return too few rows, with a warning.

# %%
fitted['public list'].sample_from_conditions([
    Condition({'region': 'north', 'district': 'Fairport', 'hours': 25}, num_rows=3),
])['census'][['district', 'region', 'hours', 'education', 'age', 'started_work']]

# %% [markdown]
# `sample_remaining_columns` completes a table in which some columns are known. Its rows keep their
# order. What you pass in is your own data: if it comes from private rows, the result is as private
# as they are.

# %%
known = pd.DataFrame({
    'sex': ['female', 'male', 'female'],
    'occupation': ['technical', 'technical', 'care'],
    'hours': [40, 40, 25],
})
completed = plain.sample_remaining_columns(known)['census']
completed[[*known, 'education', 'region', 'income']]

# %% [markdown]
# ## The condition that undoes fairness
#
# Suppose you have read somewhere that 60 % of men and 20 % of women have a high income, and request
# exactly that. The synthesizer returns it, with a warning:

# %%
size = ROWS // 4
wishes = [
    Condition({'sex': sex, 'income': income}, num_rows=int(size * share))
    for sex, high in (('male', 0.6), ('female', 0.2))
    for income, share in (('>50K', high), ('<=50K', 1 - high))
]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always', FairnessWarning)
    together = plain.sample_from_conditions(wishes)['census']
print(*{str(warning.message) for warning in caught}, sep='\n')

# %% [markdown]
# The warning also appears if a column *without a role* is a proxy for one of the two: if age is
# adjacent to income in the graph, age and sex together are as good as income and sex. `visualize()`
# shows which side a column is on.
#
# Conditioning on either of them alone is fine, and there is no warning: the guarantee is about
# income *given* everything else, and selecting more women does not change that.

# %%
alone = plain.sample_from_conditions([
    Condition({'sex': 'female'}, num_rows=size * 3 // 2),
    Condition({'sex': 'male'}, num_rows=size // 2),
])['census']
samples = {
    'nothing asked': plain.sample(2 * size)['census'],
    'asked for sex': alone,
    'asked for sex and income': together,
}
rates = pd.concat({
    name: table['income'].eq('>50K').groupby([table['occupation'], table['sex']]).mean()
    for name, table in samples.items()
})
rates = rates.rename('share').rename_axis(['asked', 'occupation', 'sex']).reset_index()
figure = px.line(
    rates, x='occupation', y='share', color='sex', facet_col='asked', markers=True, symbol='sex',
    color_discrete_map={'female': GREEN, 'male': GREY}, template='plotly_white', width=900,
    height=420, title='Share with a high income, by occupation and sex',
)  # fmt: skip
figure.for_each_annotation(lambda note: note.update(text=note.text.split('=')[1]))
figure.update_xaxes(title=None).update_yaxes(tickformat='.0%', rangemode='tozero')
figure.update_yaxes(title='share with a high income', col=1).show()

# %% [markdown]
# Left and middle, men and women in the same occupation are close together; the remaining difference
# comes from education and hours, which are admissible too. Right, they differ. Conditioned on all
# admissible columns, compared with chance:

# %%
asked_for = {
    name: ConditionalMutualInformation.compute_breakdown(
        None,
        table,
        metadata,
        outcome='income',
        protected='sex',
        admissible=list(roles.admissible),
        seed=0,
    )
    for name, table in samples.items()
}
pd.DataFrame(asked_for).T[['score', 'null_mean', 'excess', 'p_value']].astype(float)

# %% [markdown]
# The model is as fair as before; the *selection* is not. The same happens if somebody later filters
# or reweights the released rows by sex and income, and no synthesizer can warn about that.
#
# ## What to remember
#
# - `add_constraints` takes SDV's constraints. If the combinations are public, list them with
#   `PublicCombinations`: it costs nothing, and nothing rare is lost.
# - Constraints change roles: see `get_roles('modified')`. A constraint that ties protected columns
#   to outcomes, directly or indirectly, is refused.
# - Conditions are met exactly, for any value of the domain, without rejection sampling. With
#   constraints, condition on all columns of a constraint or on none.
# - Do not condition on protected and outcome values together, unless you accept what the
#   `FairnessWarning` says.
#
# Next: [07: What if it does not fit in memory?](07_what_if_it_does_not_fit_in_memory.ipynb)
