"""The structures that can be requested by name, and how each selects its graph, in words.

The command line offers them and the report explains them; ``_resolve.py`` constructs them.
Nothing is imported here, so that a help text does not wait for SDV.
"""

DEFAULT_STRUCTURE = 'planned'

STRUCTURES = {
    'planned': 'planned from noisy scores of all pairs of columns at once: it has the pairs whose '
    'error is expected to fall by more than the noise of one more table adds',
    'adaptive': 'chosen privately, edge by edge; an edge was allowed unless it would have joined a '
    'protected and an outcome column with no admissible one between',
    'greedy': 'chosen privately, edge by edge; outcome columns may touch outcome and admissible '
    'columns only',
    'exact': 'the best fair tree for privately measured scores of all pairs',
    'aim': 'begun as a tree that was chosen privately, edge by edge; then edges were added, chosen '
    'privately among the pairs of columns that the model so far explained worst',
    'privbayes': 'grown as a Bayesian network, node by node: a column and its parents among those '
    'already there were chosen privately, as far as their table is clear of noise',
    'mwem': 'grown clique by clique: the pair or three columns that the model so far explained '
    'worst were chosen privately, in each of a fixed number of rounds',
    'none': 'chosen privately, edge by edge, without regard to fairness',
}
"""What the report says of each structure: the graph was ..."""

ANY_RULE = ('planned', 'aim', 'privbayes', 'mwem')
"""Those that join the pairs of any rule: with roles those that are fair, without roles all."""

GIVEN = 'fixed'
"""The name of a tree that the user gives."""

GIVEN_IN_WORDS = 'given by whoever made the fit, and taken as public'
