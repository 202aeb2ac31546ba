"""Who is under contract: our synthesizer with every structure, and SDV's own as the control."""

import warnings
from typing import NamedTuple

import pandas as pd
from sdv.metadata import Metadata
from sdv.single_table import GaussianCopulaSynthesizer

from sdv_prefair import PreFairSynthesizer
from sdv_prefair._sdv_versions import accepted, as_given_back, by_name

# So large that noise is nearly always zero: what is left is the contract.
NO_NOISE = 1e6

CONTROL = 'GaussianCopula'
STRUCTURES = ('none', 'greedy', 'exact', 'adaptive', 'aim', 'planned', 'privbayes', 'mwem', 'tree')
KINDS = (CONTROL, *STRUCTURES)


class Table(NamedTuple):
    """A table in SDV's form with roles, and what of it SDV itself cannot take."""

    data: dict[str, pd.DataFrame]
    metadata: Metadata
    roles: dict[str, list[str]]
    beyond_sdv: tuple[str, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        return only(self.data)

    def without(self, columns) -> 'Table':
        """Return the table with some columns fewer."""
        name, described = next(iter(self.metadata.to_dict()['tables'].items()))
        kept = {c: d for c, d in described['columns'].items() if c not in columns}
        metadata = Metadata.load_from_dict({'tables': {name: described | {'columns': kept}}})
        return Table({name: self.frame[list(kept)]}, metadata, self.roles)


def only(tables: dict[str, pd.DataFrame] | pd.DataFrame) -> pd.DataFrame:
    """Return the table, in whichever form SDV's version gives it back."""
    (table,) = by_name(tables, 'it').values()
    return table


def modelled(metadata: Metadata) -> list[str]:
    """Return the columns that a synthesizer learns, told by their sdtype alone."""
    (table,) = metadata.tables.values()
    learnt = ('categorical', 'ordinal', 'boolean', 'numerical', 'datetime')
    return [column for column, about in table.columns.items() if about['sdtype'] in learnt]


def make(kind: str, table: Table, **changes):
    """Return a synthesizer for a table, not yet fitted."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        if kind == CONTROL:
            shown = accepted(table.metadata)
            return GaussianCopulaSynthesizer(shown, default_distribution='norm')
        arguments = {'epsilon': NO_NOISE, 'public_ranges': True, 'structure': kind} | table.roles
        if kind == 'tree':
            centre = table.roles['admissible'][0]
            others = [column for column in modelled(table.metadata) if column != centre]
            arguments['structure'] = [(centre, column) for column in others]
        return PreFairSynthesizer(table.metadata, **(arguments | changes))


def fit(kind: str, table: Table, **changes):
    """Return a synthesizer fitted to a table; SDV's warnings are not what is tested here."""
    synthesizer = make(kind, table, **changes)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        synthesizer.fit(as_given_back(table.data))
    return synthesizer
