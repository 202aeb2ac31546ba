"""The part of a synthesizer that assigns transformers, ours or those a user chooses."""

import pandas as pd
from sdv.single_table.base import BaseSingleTableSynthesizer

from sdv_prefair.domain import ColumnDomain, Undeclared
from sdv_prefair.encoding.frame_schema import single_table
from sdv_prefair.encoding.table import check_transformers, prepare_processor
from sdv_prefair.transformers import transformers_for


class TransformerChoice(BaseSingleTableSynthesizer):
    """SDV's ``auto_assign_transformers`` and ``update_transformers``, from public facts.

    What the synthesizer provides: ``_domains``, ``_chosen_transformers``, ``_plan``,
    ``_forget_preparation`` and its arguments.
    """

    def _unchosen_domains(self) -> dict[str, ColumnDomain]:
        return {c: d for c, d in self._domains.items() if c not in self._chosen_transformers}

    def _auto_assign_transformers(self, data: dict[str, pd.DataFrame]) -> None:
        table = single_table(data, self._table_name)
        settings = self._settings().for_table(table.dtypes)
        self._plan, self._domains = settings.plan, settings.plan.domains
        table = self._plan.transform(table.iloc[:0])
        edges = self._plan.edges(self.numeric_bins)
        # What is not declared has no transformer before its domain is learnt, in a fit.
        declared = {
            column: domain
            for column, domain in self._unchosen_domains().items()
            if not isinstance(domain, Undeclared)
        }
        transformers = dict.fromkeys(self._domains) | self._chosen_transformers
        transformers |= transformers_for(
            declared, self.numeric_bins, table.dtypes, self.enforce_rounding, edges
        )
        transformers |= self._carried_generators
        self._forget_preparation()
        prepare_processor(self._data_processor, table.dtypes, self._domains, transformers)

    def update_transformers(self, column_name_to_transformer: dict, table_name=None) -> None:
        """Use other transformers: ours for modelled columns, generators for all others."""
        chosen = check_transformers(column_name_to_transformer, set(self._domains))
        super().update_transformers(column_name_to_transformer, table_name)
        self._chosen_transformers.update(chosen)
        self._forget_preparation()
