"""SDV's metadata with the roles of columns, or fairness statements, in addition to sdtypes."""

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import graphviz
import pandas as pd
from sdv.metadata import Metadata

from sdv_prefair._metadata_files import (
    check_modelled_roles,
    check_one_table,
    put_roles,
    save_metadata,
    take_roles,
)
from sdv_prefair._sdv_versions import accepted
from sdv_prefair.columns import modelled_columns
from sdv_prefair.errors import RolesError
from sdv_prefair.fairness._statements import Independent, Statements
from sdv_prefair.plots._fair_graph import ROLE_MARKERS
from sdv_prefair.roles import UNLABELLED, Roles, as_statements


class FairMetadata(Metadata):
    """SDV's ``Metadata`` of one table, in which columns have roles.

    Every method of SDV's class is there, and it can be passed wherever SDV takes a ``Metadata``;
    SDV's own synthesizers ignore the roles. ``PreFairSynthesizer(metadata)`` takes them, so they
    need not be repeated as arguments. Statements that roles cannot express, such as demographic
    parity, take their place with ``set_fairness``.

    ``save_to_json`` and ``load_from_json`` keep the roles, as a key ``role`` of each column, or the
    statements, as a list ``fairness``, in the file that ``save_metadata`` writes too. ``to_dict``
    leaves them out: SDV builds metadata of its own from that dictionary, and refuses keys that it
    does not know.
    """

    def __init__(self) -> None:
        super().__init__()
        self._roles: Statements = Roles()

    @classmethod
    def from_metadata(
        cls,
        metadata: Metadata,
        roles: Statements | Sequence[Independent] | Mapping[str, Any] = Roles(),  # noqa: B008
    ) -> Self:
        """Return a copy of SDV's metadata, with roles.

        Args:
            metadata: SDV's metadata of one table.
            roles: ``Roles``, a dictionary with ``protected``, ``admissible`` and ``outcome``, or
                statements as for ``set_fairness``.
        """
        if not isinstance(metadata, Metadata):
            raise RolesError(
                f"metadata must be SDV's Metadata, not {type(metadata).__name__}. Load a file "
                'with FairMetadata.load_from_json, a dictionary with FairMetadata.load_from_dict.'
            )
        made = cls.load_from_dict(metadata.to_dict())
        made.set_fairness(Roles(**roles) if isinstance(roles, Mapping) else roles)
        return made

    # -- roles --------------------------------------------------------------------------------

    def set_roles(
        self,
        protected: Iterable[str] = (),
        admissible: Iterable[str] = (),
        outcome: Iterable[str] = (),
    ) -> None:
        """Replace the roles of all columns; without arguments no column has one.

        Args:
            protected: Columns that must not influence an outcome except through admissible ones.
            admissible: Columns that may.
            outcome: The decision or label columns.

        Raises:
            RolesError: If a list is missing, a column has two roles, or a column is not in the
                metadata or is not modelled.
        """
        self.set_fairness(Roles(protected, admissible, outcome))

    def set_fairness(self, fairness: Independent | Sequence[Independent] | Statements) -> None:
        """Replace the roles of all columns by statements of independence.

        Args:
            fairness: A statement, several, or the result of a preset of ``sdv_prefair.fairness``.

        Raises:
            RolesError: If it is something else, or names a column that is not in the metadata or
                is not modelled.
        """
        promised = as_statements(fairness)
        self._check(promised)
        self._roles = promised

    def get_roles(self) -> Statements:
        """Return the roles; empty ones if none were set.

        They are ``Roles`` unless ``set_fairness`` was given statements that roles cannot express;
        then they are those statements.
        """
        return self._roles

    def get_fairness(self) -> Statements:
        """Return the guarantee as statements: those that were set, or the one of the roles."""
        return self._roles

    def validate(self) -> None:
        """Validate the metadata as SDV does, and that its roles name columns that are modelled.

        Raises:
            InvalidMetadataError: If SDV finds an error.
            RolesError: If a role names a column that is not in the metadata or is not modelled.
        """
        Metadata.validate(accepted(self))
        self._check(self._roles)

    def _convert_to_single_table(self) -> Any:
        # The metadata for SDV's own synthesizers: everything that they know.
        return Metadata._convert_to_single_table(accepted(self))

    def _check(self, roles: Statements) -> None:
        if roles:
            table = check_one_table(self)
            check_modelled_roles(roles, table.columns, modelled_columns(table))

    def remove_column(self, column_name: str, table_name: str | None = None) -> None:
        """Remove a column that has no role."""
        role = self._roles.of(column_name)
        if role != UNLABELLED:
            raise RolesError(
                f"The column '{column_name}' has the role {role}. Set the roles without it using "
                'set_roles or set_fairness, then remove it.'
            )
        super().remove_column(column_name, table_name)

    # -- construction from other objects
    # ---------------------------------------------------------------

    @classmethod
    def detect_from_dataframes(
        cls, data: Mapping[str, pd.DataFrame], *arguments: Any, **options: Any
    ) -> Self:
        """Detect metadata as SDV does, from values; ranges detected this way are not public.

        Args:
            data: Dictionary of table names to frames.
            *arguments: As for SDV's ``Metadata``.
            **options: As for SDV's ``Metadata``.

        Returns:
            Metadata without roles: the meaning of a column cannot be inferred from its values.
        """
        return cls._lifted(Metadata.detect_from_dataframes(data, *arguments, **options))

    @classmethod
    def load_from_dict(
        cls, metadata_dict: Mapping[str, Any], single_table_name: str | None = None
    ) -> Self:
        """Return the metadata in a dictionary, whose columns may have a key ``role``.

        Args:
            metadata_dict: SDV's dictionary, with roles or without.
            single_table_name: Name of the table, if the dictionary describes one without a name.
        """
        document, roles = take_roles(metadata_dict)
        made: Self = super().load_from_dict(document, single_table_name)
        made._roles = roles
        return made

    @classmethod
    def _lifted(cls, metadata: Metadata) -> Self:
        made = cls()
        made.__dict__.update(vars(metadata))
        return made

    def copy(self) -> Self:
        """Return a copy, including the roles."""
        return type(self).from_metadata(super().copy(), self._roles)

    def anonymize(self) -> 'FairMetadata':
        """Return the metadata with other names for table and columns, and the same roles."""
        anonymized = self._lifted(super().anonymize())
        names = next(iter(self.tables.values()))._anonymized_column_map if self._roles else {}
        renamed = [
            Independent(*([names[c] for c in group] for group in (one.left, one.right, one.given)))
            for one in self._roles.statements
        ]
        anonymized.set_fairness(renamed)
        return anonymized

    def save_to_json(self, filepath: str | Path, mode: str = 'write') -> None:
        """Save metadata and roles in one file.

        Args:
            filepath: Where to save them.
            mode: ``'write'`` refuses to replace a file, ``'overwrite'`` does not.
        """
        save_metadata(self, self._roles, filepath, mode)

    # -- shown --------------------------------------------------------------------------------

    def __repr__(self) -> str:
        document = self.to_dict()
        put_roles(document, self._roles)
        return json.dumps(document, indent=4)

    def visualize(
        self,
        show_table_details: str | None = 'full',
        show_relationship_labels: bool = True,
        output_filepath: str | None = None,
    ) -> graphviz.Digraph:
        """Draw the table as SDV does, with each column that has a role in the colour of its role.

        Args:
            show_table_details: ``'full'`` for all columns; with ``'summarized'`` or None the
                drawing is SDV's own.
            show_relationship_labels: As for SDV's ``Metadata``.
            output_filepath: Where to save it, if given.
        """
        plain = super().visualize(
            show_table_details, show_relationship_labels, None if self._roles else output_filepath
        )
        if show_table_details != 'full' or not self._roles:
            return plain
        (name,) = self.tables
        drawn = graphviz.Digraph('Metadata', node_attr={'shape': 'plain'})
        drawn.node(name, label=_coloured_table(name, self.tables[name].columns, self._roles))
        if output_filepath:
            drawn.render(outfile=output_filepath, cleanup=True)
        return drawn


def _coloured_table(name: str, columns: Mapping[str, Mapping[str, Any]], roles: Statements) -> str:
    """Return a table in graphviz's HTML: one line per column, with sdtype and role."""
    lines = [_line([name, '', ''], '#FFFFFF', 'b')]
    for column, description in columns.items():
        role = roles.of(column)
        text = '' if role == UNLABELLED else role
        colour = '#FFFFFF' if role == UNLABELLED else ROLE_MARKERS[role]['color'] + '66'
        lines.append(_line([column, str(description.get('sdtype')), text], colour, 'font'))
    return f'<<table border="1" cellborder="0" cellspacing="0">{"".join(lines)}</table>>'


def _line(cells: list[str], colour: str, tag: str) -> str:
    texts = (f'<{tag}>{html.escape(text)}</{tag}>' if text else '' for text in cells)
    return (
        '<tr>' + ''.join(f'<td align="left" bgcolor="{colour}">{t}</td>' for t in texts) + '</tr>'
    )
