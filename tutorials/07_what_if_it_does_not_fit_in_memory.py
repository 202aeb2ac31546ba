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
# # What if it does not fit in memory?
#
# **Question.** My table is larger than memory, or in a database that I may query but not copy. Can
# I still fit?
#
# **Answer.** Yes. `fit_table` counts a file, a stream or a database table piece by piece, and
# `fit_counts` takes counts from your own SQL.
#
# **The argument.** A fit needs counts, not rows: a histogram of each column and a contingency table
# of each candidate pair. Counting can happen anywhere, in pieces and in any order. Everything after
# it (noise, selection, estimation) is the same code, so privacy, fairness and accuracy do not
# depend on where the table is.

# %%
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import pandas as pd
import plotly.express as px
import plotly.graph_objects as go
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from sdv.metadata import Metadata

from sdv_prefair import PreFairSynthesizer, PrivacyWarning, save_metadata
from sdv_prefair.datasets import simulate_census
from sdv_prefair.plots import BLUE, GREEN, GREY, VERMILION

ROWS = int(os.environ.get('TUTORIAL_ROWS', 50_000))
pd.options.display.float_format = '{:.3f}'.format

# %% [markdown]
# Two sections need DuckDB and ibis (`pip install 'sdv-prefair[sql]'`), one line needs polars.
# Whatever is not installed is skipped below.

# %%
installed = {
    name: importlib.util.find_spec(name) is not None for name in ('duckdb', 'ibis', 'polars')
}
pd.Series(installed, name='installed').to_frame()

# %% [markdown]
# ## A folder of files
#
# Big tables come in parts. Each of these files is created separately; the whole table is never in
# memory.

# %%
workshop = tempfile.TemporaryDirectory()
folder = Path(workshop.name) / 'census'
folder.mkdir()
PARTS = 4
for part in range(PARTS):
    people, metadata, roles = simulate_census(ROWS // PARTS, seed=part)
    people['census'].to_parquet(folder / f'part{part}.parquet', index=False)
sorted(file.name for file in folder.iterdir())


# %%
def new_synthesizer(**options):
    return PreFairSynthesizer(
        metadata, epsilon=1.0, public_ranges=True, **roles.as_dict(), **options
    )


synthesizer = new_synthesizer()
synthesizer.fit_table(folder)
synthesizer.sample(3)['census']

# %% [markdown]
# That is all. The ledger, the graph, `verify_fairness()`, conditions and releases are the same as
# after `fit`.
#
# ## Many sources, one fit
#
# Fit the same table from every source: a DataFrame, files, an Arrow stream, a polars lazy frame, a
# DuckDB relation, and an ibis table, which is counted in its database, so rows never reach this
# process.
#
# To check that all of them count the same, the noise has to be the same, and that takes a `seed`.
# The synthesizer warns what that means:

# %%
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always', PrivacyWarning)
    in_memory = new_synthesizer(seed=0)
    in_memory.fit({'census': pd.read_parquet(folder)})
print(caught[0].message)

# %%
doors = {
    'Parquet folder': lambda: folder,
    'Arrow dataset': lambda: ds.dataset(folder),
    'Arrow stream': lambda: ds.dataset(folder).scanner().to_reader(),
}
if installed['polars']:
    import polars

    doors['polars lazy frame'] = lambda: polars.scan_parquet(folder / '*.parquet')
if installed['duckdb']:
    import duckdb

    doors['DuckDB relation'] = lambda: duckdb.sql(f"SELECT * FROM '{folder}/*.parquet'")
if installed['ibis']:
    import ibis

    doors['ibis table'] = lambda: ibis.duckdb.connect().read_parquet(
        f'{folder}/*.parquet', table_name='census'
    )


# %%
def same_model(one, other):
    """Whether two fits measured the same noisy numbers, and so draw the same rows."""
    for synthesizer in (one, other):
        synthesizer.reset_sampling()
    rows = [synthesizer.sample(1000)['census'].astype(str) for synthesizer in (one, other)]
    return rows[0].equals(rows[1])


results = {}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('ignore', PrivacyWarning)  # an experiment, with the seed of above
    for name, open_door in doors.items():
        through = new_synthesizer(seed=0)
        through.fit_table(open_door())
        results[name] = same_model(in_memory, through)
print(*(warning.message for warning in caught), sep='\n')
pd.Series(results, name='same rows as fit').to_frame()

# %% [markdown]
# All but one return the same rows. A stream can be read only once, so its bins cannot be learnt
# before they are counted; it gets other bins, hence another model, and the warning says so.
#
# No seeds from here on: anyone who knows one can subtract the noise.
#
# ## Only queries
#
# Sometimes nobody may run Python next to the data, but somebody may run SQL. `count_queries()`
# writes one `GROUP BY` for each histogram that a fit reads, and no others.

# %%
if installed['ibis']:
    queries = new_synthesizer().count_queries(dialect='duckdb')
    print(len(queries), 'queries; the one for age and sex:\n')
    print(next(sql for clique, sql in queries.items() if set(clique) == {'age', 'sex'}))
    print('\nleft out, because a fair tree cannot use it:', end=' ')
    print([pair for pair in (('sex', 'income'), ('race', 'income')) if pair not in queries])

# %% [markdown]
# `print(queries)` gives a script to hand over; `dialect` can be any of ibis's databases. The
# answers come back as DataFrames with a column `count`. They are exact, so they are as private as
# the rows: `fit_counts` adds the noise.

# %%
if installed['ibis'] and installed['duckdb']:
    database = duckdb.connect()
    database.sql(f"CREATE VIEW census AS SELECT * FROM '{folder}/*.parquet'")
    counts = {clique: database.sql(sql).df() for clique, sql in queries.items()}
    from_counts = new_synthesizer()
    from_counts.fit_counts(counts)
    print(from_counts.get_privacy_ledger().groupby('step', sort=False)['rho'].sum())

# %% [markdown]
# `fit_counts` checks that the histograms are consistent: counts from different days, or of a table
# that changed in between, are refused.
#
# ## Constant memory
#
# Each measurement runs in its own process, on tables of increasing size: `fit`, which reads
# everything into a DataFrame, and `fit_table`. The figure shows peak memory, minus what the process
# used after importing everything.

# %%
MEASURE = """
import json, resource, sys, time
from multiprocessing import get_context
import pandas as pd, pyarrow.parquet as pq
from sdv_prefair import PreFairSynthesizer, load_metadata

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

def run(door, path, described):
    metadata, roles = load_metadata(described)
    synthesizer = PreFairSynthesizer(metadata, public_ranges=True, **roles.as_dict())
    before, started = peak(), time.process_time()
    if door == 'fit_table':
        synthesizer.fit_table(path)
    else:
        synthesizer.fit({'census': pd.read_parquet(path)})
    after, seconds = peak(), time.process_time() - started
    started = time.process_time()
    for batch in pq.ParquetFile(path).iter_batches():
        pass
    return {'MB': after - before, 'ratio': seconds / (time.process_time() - started)}

with get_context('fork').Pool(1, maxtasksperchild=1) as pool:
    print(json.dumps([pool.apply(run, job) for job in json.loads(sys.argv[1])]))
"""


def write_table(path, num_rows, group=20_000):
    """Write a table in row groups, so that it can be read a piece at a time."""
    piece = pa.Table.from_pandas(simulate_census(min(group, num_rows)).data['census'])
    with pq.ParquetWriter(path, piece.schema) as writer:
        for _ in range(num_rows // len(piece)):
            writer.write_table(piece)


# %%
described = Path(workshop.name) / 'metadata.json'
save_metadata(metadata, roles, described)
jobs = []
for num_rows in (ROWS, 4 * ROWS, 16 * ROWS):
    path = Path(workshop.name) / f'{num_rows}.parquet'
    write_table(path, num_rows)
    jobs += [(door, num_rows, str(path)) for door in ('fit', 'fit_table')]
asked = json.dumps([(door, path, str(described)) for door, _, path in jobs])
done = subprocess.run([sys.executable, '-c', MEASURE, asked], capture_output=True, check=True)
measured = pd.DataFrame([
    {'door': door, 'rows': num_rows} | found
    for (door, num_rows, _), found in zip(jobs, json.loads(done.stdout), strict=True)
])

figure = px.line(
    measured, x='rows', y='MB', color='door', symbol='door', markers=True,
    color_discrete_map={'fit': VERMILION, 'fit_table': BLUE}, template='plotly_white', width=800,
    height=430, title='Peak memory of a fit, above what was in use before',
)  # fmt: skip
figure.update_traces(marker={'size': 10})
figure.update_layout(
    xaxis={'tickvals': measured['rows'].unique(), 'tickformat': ','},
    yaxis={'title': 'MB', 'rangemode': 'tozero'},
).show()

# %% [markdown]
# `fit_table` keeps one chunk and the histograms in memory; `fit` keeps the DataFrame and its codes.
# And the processor time, as a multiple of just reading the file from end to end:

# %%
measured.pivot(index='rows', columns='door', values='ratio').rename_axis(columns='time / reading')

# %% [markdown]
# A fit has a fixed cost (planning the pairs, estimating the model), which is why the multiple falls
# with the number of rows. Times on a busy machine are rough; `python benchmarks/speed.py` measures
# more carefully, up to 100 million rows.
#
# Two things do grow: the list of distinct values of a column whose categories have to be learnt,
# and the list of persons in the next section. If a column has no public range, the table is also
# read several more times.
#
# ## Several rows of one person
#
# The guarantee protects a row. If a person can have several, say so: `person_column` identifies
# persons, `max_rows_per_person` limits how many rows of each are counted, and the noise protects
# all of them together. Here are visits to an office; some people come often.

# %%
one_each = simulate_census(ROWS // 2, seed=9).data['census']
visits = one_each.loc[one_each.index.repeat(1 + one_each.index.to_numpy() % 7)]
described = metadata.to_dict()
del described['tables']['census']['primary_key']  # a person now has several rows
visits_metadata = Metadata.load_from_dict(described)
many_rows = Path(workshop.name) / 'visits.parquet'
visits.to_parquet(many_rows, index=False)
visits['person_id'].value_counts().value_counts().sort_index().rename_axis('visits').to_frame(
    'persons'
)

# %%
found = []
for bound in (1, 2, 4, 7):
    synthesizer = PreFairSynthesizer(
        visits_metadata,
        public_ranges=True,
        person_column='person_id',
        max_rows_per_person=bound,
        **roles.as_dict(),
    )
    synthesizer.fit_table(many_rows)
    ledger = synthesizer.get_privacy_ledger()
    kept = visits.groupby('person_id').cumcount().lt(bound).mean()
    noise = ledger.loc[ledger['step'] == 'measure one-ways', 'scale'].mean()
    found.append({'bound': bound, 'rows counted': kept, 'sigma in rows': noise})
found = pd.DataFrame(found)

figure = go.Figure()
figure.add_scatter(
    x=found['bound'], y=found['rows counted'], name='share of rows that are counted',
    line={'color': GREEN}, marker={'symbol': 'square', 'size': 9},
)  # fmt: skip
figure.add_scatter(
    x=found['bound'], y=found['sigma in rows'], name='noise on a count (sigma, in rows)',
    yaxis='y2', line={'color': GREY, 'dash': 'dash'}, marker={'size': 9},
)  # fmt: skip
figure.update_layout(
    title='What max_rows_per_person buys and costs', template='plotly_white', width=800,
    height=430, xaxis_title='max_rows_per_person',
    yaxis={'title': 'share of rows', 'tickformat': '.0%', 'range': [0, 1.05]},
    yaxis2={
        'title': 'sigma', 'overlaying': 'y', 'side': 'right', 'rangemode': 'tozero',
        'showgrid': False, 'tickmode': 'auto', 'nticks': 6,
    },
    legend={'orientation': 'h', 'y': 1.0, 'yanchor': 'bottom'},
)  # fmt: skip
figure.show()

# %% [markdown]
# (The share is computed on the private rows, for this page only.) A higher bound counts more rows
# and adds proportionally more noise. Choose it from what you know about the process, not by looking
# at the table.
#
# In a stream or file, the first rows of each person are counted, so the persons seen so far have to
# be stored: this is the one place where memory grows with the number of people. For an ibis table,
# the database does it.
#
# ## Spark
#
# This is not run here, because it needs Java and workers: `fit_table(spark.table('census'))` counts
# on the workers, in one pass, and only histograms come back. The workers need this package (`pip
# install 'sdv-prefair[spark]'`). Everything after counting is the same.

# %%
workshop.cleanup()

# %% [markdown]
# ## What to remember
#
# - A fit needs only histograms. `fit`, `fit_table` and `fit_counts` differ only in where the
#   counting happens.
# - The memory of `fit_table` does not grow with rows; it grows with persons (`person_column`) and
#   with values that have to be learnt.
# - `count_queries()` is for people who may run queries but not code. The answers are exact: treat
#   them like the rows.
# - If a person can have several rows, say so. It costs noise; otherwise the fit protects rows, not
#   people.
#
# Next: [08: How does it compare on Adult?](08_how_does_it_compare_on_adult.ipynb)
