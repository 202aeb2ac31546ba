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
# **Question.** My table has rules (nobody starts to work after today, a district lies in its
# region), and I need rows of a certain kind. Does that work with privacy and fairness?
#
# **Answer.** Yes: SDV's constraints hold in every sampled row and public ones cost no privacy;
# conditions are met exactly, however rare. Two things are not allowed to pass unnoticed: a rule
# that ties a protected to an outcome column is refused, and a condition that does so warns.

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
from sdv.metadata import Metadata
from sdv.sampling import Condition

from sdv_prefair import FairnessWarning, PreFairSynthesizer
from sdv_prefair.constraints import PublicCombinations
from sdv_prefair.datasets import simulate_census
from sdv_prefair.errors import UnfairModelError
from sdv_prefair.metrics import ConditionalMutualInformation
from sdv_prefair.plots.style import BLUE, GREEN, GREY, VERMILION

ROWS = int(os.environ.get('TUTORIAL_ROWS', 20_000))
pd.options.display.float_format = '{:.4f}'.format

# %% [markdown]
# ## A table with two rules
#
# The simulated census gets two more columns: the age at which somebody started to work, which is
# never above their age, and the district they live in, which lies in one region.

# %%
census, census_metadata, roles = simulate_census(ROWS, seed=0)
rng = np.random.default_rng(0)
districts = {
    'north': ['Northmoor', 'Hillend', 'Fairport'],
    'east': ['Eastgate', 'Marsham'],
    'south': ['Southwold', 'Greenley', 'Kingsby'],
    'west': ['Westbury', 'Oldham Cross'],
}
shares = {'Northmoor': 8, 'Hillend': 3, 'Fairport': 0.01, 'Kingsby': 0.5}  # others 1


def district_of(region):
    weights = np.array([shares.get(name, 1) for name in districts[region]])
    return rng.choice(districts[region], p=weights / weights.sum())


people = census['census'].drop(columns='email')
people['district'] = people['region'].map(district_of)
started = rng.integers(14, 31, ROWS) + rng.geometric(0.3, ROWS)
people['started_work'] = np.minimum(started, people['age'])
data = {'census': people}
people[['age', 'started_work', 'region', 'district']].head(3)

# %% [markdown]
# Their public description, by hand as always:

# %%
described = census_metadata.to_dict()
columns = described['tables']['census']['columns']
del columns['email']
columns['district'] = {
    'sdtype': 'categorical',
    'range_values': [name for names in districts.values() for name in names],
    'range_is_nullable': False,
}
columns['started_work'] = columns['age'] | {'range_min': 14}
metadata = Metadata.load_from_dict(described)


def new_synthesizer(constraints=()):
    synthesizer = PreFairSynthesizer(metadata, epsilon=1.0, public_ranges=True, **roles.as_dict())
    if constraints:
        synthesizer.add_constraints(list(constraints))
    return synthesizer


# %% [markdown]
# ## Rules that hold
#
# The rules in SDV's words. Which district lies in which region can be looked up on a map, so
# `PublicCombinations` takes the list and nothing has to be learnt. SDV's `FixedCombinations`
# allows what occurs in the rows; that is private, so here it is learnt within the budget.

# %%
on_the_map = [(region, name) for region, names in districts.items() for name in names]
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
# What did the rules cost? A public list costs nothing. Learning one is a line of the ledger, paid
# from the same epsilon, so that less is left to measure:

# %%
pd.concat(
    {
        name: synthesizer.get_privacy_ledger().groupby('step', sort=False)['rho'].sum()
        for name, synthesizer in fitted.items()
    },
    axis=1,
).fillna(0).sort_index()

# %% [markdown]
# And a learnt list is short of what is rare: few people live in Fairport, and to say that anybody
# does would tell too much about them. If you know the combinations, list them.

# %%
pd.DataFrame({
    name: table['district'].value_counts() for name, table in {'real': people, **synthetic}.items()
}).fillna(0).astype(int).reindex(districts['north'])

# %% [markdown]
# ## What rules do to roles
#
# A rule ties its columns together, so fairness has to count it. The synthesizer models other
# columns in place of the tied ones (for the ages, the first age and the step up to the second),
# and gives these new columns roles that keep the promise:

# %%
pd.DataFrame({
    version: fitted['public list'].get_roles(version).as_dict()
    for version in ('original', 'modified')
}).map(', '.join)

# %% [markdown]
# The two ages had no role. Tied by a rule, they are modelled by two columns, and if one of them
# stood beside sex and the other beside income, the rule would join what the model keeps apart. So
# both are treated as protected: kept away from income but through admissible columns. The graph
# shows it, and `verify_fairness()` checks the rules' ties with the model's.

# %%
fitted['public list'].verify_fairness()
fitted['public list'].visualize().show()

# %% [markdown]
# ## A rule that is refused
#
# No model can be fair to sex and keep a rule between sex and income: such a rule *is* a
# dependence, whatever the admissible columns say. The synthesizer says so before it has seen a
# row.


# %%
def refusal(constraints):
    try:
        new_synthesizer(constraints)
    except UnfairModelError as error:
        return str(error)
    return 'accepted'


print(refusal([FixedCombinations(['sex', 'income'])]))

# %% [markdown]
# It also sees the long way round. Each of these two rules is accepted without the other:

# %%
first, second = FixedCombinations(['race', 'region']), FixedCombinations(['region', 'income'])
print(refusal([first]), refusal([second]), refusal([first, second]), sep='\n')

# %% [markdown]
# ## Asking for rows
#
# `sample_from_conditions` draws from the model *given* what you ask. No row is drawn and thrown
# away, so a rare wish takes about as long as a common one. Very old people with a master's degree
# who work long hours in a craft are about as rare as it gets:

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
# Any value of the public domain can be asked for, whether or not somebody has it. That is needed
# for privacy: an error would tell that nobody does. What comes back for such a wish is what the
# model implies, not what was seen; take it as an extrapolation.
#
# With constraints it is the same, as long as you ask for *all* columns of a rule or for none. A
# district alone is one half of the pair that was modelled; such values are found by drawing and
# trying, as in SDV, and rare ones may come back short, with a warning.

# %%
fitted['public list'].sample_from_conditions([
    Condition({'region': 'north', 'district': 'Fairport', 'hours': 25}, num_rows=3),
])['census'][['district', 'region', 'hours', 'education', 'age', 'started_work']]

# %% [markdown]
# `sample_remaining_columns` completes a table of which some columns are known. Its lines keep
# their order. What you pass in is your own data: if it comes from private rows, the result is as
# private as they are.

# %%
known = pd.DataFrame({
    'sex': ['female', 'male', 'female'],
    'occupation': ['technical', 'technical', 'care'],
    'hours': [40, 40, 25],
})
completed = plain.sample_remaining_columns(known)['census']
completed[[*known, 'education', 'region', 'income']]

# %% [markdown]
# ## The wish that undoes fairness
#
# Suppose you have read somewhere that 60 % of the men and 20 % of the women have a high income,
# and ask for just that. The synthesizer gives it to you, with a warning:

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
# The warning also comes when a column *without a role* stands in for one of the two: if age hangs
# on income in the graph, age and sex together are as good as income and sex. `visualize()` shows
# which side a column is on.
#
# Asking for either of them alone is no such thing, and there is no warning: the promise is about
# income *given* everything else, and choosing more women changes nothing of it.

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
# Left and middle, men and women of one occupation lie close together; what is left comes from
# education and hours, which are admissible too. Right, they part. With all admissible columns held
# equal, beside what chance gives:

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
# The model is as fair as it was; the *selection* is not. The same happens when somebody filters or
# reweights the released rows by sex and income afterwards, and no synthesizer can warn of that.
#
# ## What to remember
#
# - `add_constraints` takes SDV's constraints. Give lists with `PublicCombinations` when they are
#   public: nothing is paid, and nothing rare is lost.
# - Rules change roles: look at `get_roles('modified')`. A rule that ties protected to outcome
#   columns, on whatever way, is refused.
# - Conditions are met exactly, for any value of the domain, without rejecting rows. With
#   constraints, ask for all columns of a rule or for none.
# - Never ask for protected and outcome values together, unless the `FairnessWarning` is what you
#   want.
#
# Next: [07: What if it does not fit in memory?](07_what_if_it_does_not_fit_in_memory.ipynb)
