"""The model: its graph, its columns, and where their values come from."""

from xml.etree.ElementTree import Element

import plotly.graph_objects as go

from sdv_prefair.plots import plot_fair_graph
from sdv_prefair.plots._fair_graph import heading_of
from sdv_prefair.plots._style import plain_text
from sdv_prefair.report._elements import bullets, code, num, paragraph, plot, section, table, tag
from sdv_prefair.report._facts import Facts
from sdv_prefair.report._words import counted, short, whole
from sdv_prefair.roles import Roles
from sdv_prefair.selection._catalogue import ANY_RULE, GIVEN, GIVEN_IN_WORDS, STRUCTURES


def model_section(facts: Facts) -> Element:
    """Return the graph with roles, its edges as a table, the columns and the constraints."""
    return section(
        'model',
        'The model',
        paragraph(
            f'A graph of {counted(len(facts.modelled), "column")}. Adjacent columns have '
            'the dependence that was measured between them; all others depend on each '
            f'other only along the edges. The graph was {_how(facts)}.'
        ),
        plot(_graph(facts), _graph_in_words(facts), is_wide=True),
        tag('details', tag('summary', 'The edges as a table'), _edges(facts)),
        _constraints(facts),
    )


def _how(facts: Facts) -> str:
    if facts.structure == GIVEN:
        return GIVEN_IN_WORDS
    how = STRUCTURES.get(facts.structure, f'found by the structure {facts.structure}')
    if facts.structure in ANY_RULE and facts.is_fair:
        how += ', but none that would have ' + (
            'connected a protected and an outcome column without an admissible one in between'
            if isinstance(facts.roles, Roles)
            else 'broken a statement'
        )
    return how


def _graph(facts: Facts) -> go.Figure:
    title = f'{plain_text(facts.table_name)}: {heading_of(facts.graph, facts.modelled_roles)}'
    return plot_fair_graph(facts.graph, title, facts.modelled_roles)


def _graph_in_words(facts: Facts) -> str:
    roles = [f'{name} is {about["role"]}' for name, about in facts.graph.nodes(data=True)]
    edges = [f'{one} with {other}' for one, other in facts.graph.edges]
    return f'Graph of the model. {"; ".join(roles)}. Edges: {"; ".join(edges)}.'


def _edges(facts: Facts) -> Element:
    rows = [
        (
            str(one),
            str(other),
            num(whole(about['cells'])) if 'cells' in about else num('not measured'),
            num(short(about['sigma'])) if 'sigma' in about else num(''),
            'beyond the tree' if about.get('beyond_tree') else '',
        )
        for one, other, about in facts.graph.edges(data=True)
    ]
    header = ('Column', 'Joined with', 'Cells', 'sigma (rows)', 'Chosen')
    if not any(last for *_, last in rows):
        header, rows = header[:-1], [row[:-1] for row in rows]
    return table('Edges of the model, and the noise in each cell', header, rows)


def _constraints(facts: Facts) -> Element | None:
    if not facts.constraints:
        return None
    return tag(
        'div',
        paragraph('Sampled rows satisfy these constraints, and the fairness check includes them:'),
        bullets([code(rule) for rule in facts.constraints]),
    )
