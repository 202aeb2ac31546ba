"""Mistakes in the privacy core, each of which some test must see.

They are of five kinds: exact counts where released values belong; noise of the wrong size or from
the wrong place; amounts that are not debited as they are spent; counts within reach; pairs and
codes that must not be there.
"""

from mutant import Edit, Mutant

_REPLAY = 'tests/privacy/test_noninterference.py'
_SEPARATION = 'tests/privacy/test_separation.py'
_STREAMS = 'tests/privacy/test_streams.py'
_TABLE = 'tests/property/test_private_table.py'
_SENSITIVITY = 'tests/property/test_sensitivity.py'
_NOISE = 'tests/statistical/test_noise.py'
_SAMPLERS = 'tests/unit/privacy/test_samplers.py'
_PRIVTREE = 'tests/unit/privacy/test_privtree.py'
_ACCOUNTING = 'tests/unit/privacy/test_accounting.py'
_LEARNING = 'tests/unit/learning/test_learning.py'
_DIVERGENCE = 'tests/privacy/test_selection_divergence.py'

_ANSWERS = 'privacy/answers.py'
_PRIVATE_TABLE = 'privacy/private_table.py'
_VALUES = 'privacy/private_values.py'
_LEDGER = 'privacy/accounting.py'
_MECHANISMS = 'privacy/mechanisms.py'
_SCORE = 'privacy/score.py'
_TREE = 'privacy/privtree.py'

# What a careless hand would put in: a door to exact counts.
_DOOR = (
    Edit(_PRIVATE_TABLE, "__slots__ = ('_choose',", "__slots__ = ('exact', '_choose',"),
    Edit(
        _PRIVATE_TABLE,
        '        self._ledger = ledger\n',
        '        self._ledger = ledger\n'
        '        self.exact = lambda clique: answers.counts.project(clique)\n',
    ),
)
_PAY_FOR_VALUES = (
    "    ledger.debit(Debit(step, 'discrete Gaussian, threshold', (column,), rho, delta, sigma))\n"
)
_COUNT_VALUES = '    noisy = gaussian(counts, variance, entropy).tolist()\n'


def _mutant(name, file, old, new, *tests):
    return Mutant(name, (Edit(file, old, new),), tests)


def _peeking(name, file, old, new, case):
    """Return a mutant that reads counts through a door; a replayed fit must see it."""
    test = f'{_REPLAY}::test_another_table_behind_the_same_answers_gives_the_same[{case}]'
    return Mutant(name, (*_DOOR, Edit(file, old, new)), (test,))


EXACT_COUNTS = [
    _peeking(
        'the discount of a pair beyond the tree is worked out from exact counts',
        'extension.py',
        'float(np.minimum(table, noise[p]).sum()) for p, table in expected.items()}',
        'float(np.minimum(self._table.exact(p), noise[p]).sum()) for p in expected}',
        'aim',
    ),
    _peeking(
        'the model that pairs are chosen by is that of exact counts',
        'extension.py',
        'expected = {pair: model.total * model.marginal(pair) for pair in pairs}',
        'expected = {pair: 1.0 * self._table.exact(pair) for pair in pairs}',
        'aim, paper',
    ),
    _peeking(
        'scores compare with exact one-ways',
        'mechanism.py',
        '    _, expected = one_way_model(one_ways)\n',
        '    expected = {c: np.maximum(table.exact((c,)), 1.0) for c in columns}\n',
        'adaptive',
    ),
    _peeking(
        'noise is discounted by exact one-ways',
        'mechanism.py',
        'discount = expected_errors(pairs, expected, ',
        'discount = expected_errors(\n'
        '            pairs, {c: np.maximum(table.exact((c,)), 1.0) for c in columns}, ',
        'greedy',
    ),
    _peeking(
        'rare codes are merged by exact counts',
        'mechanism.py',
        'compress_rare_codes(m, **',
        'compress_rare_codes(Measurement(m.columns, table.exact(m.columns), m.stddev), **',
        'given tree',
    ),
    _peeking(
        'the warning of values outside looks at exact counts',
        'mechanism.py',
        'if _is_mostly_outside(m, hidden_codes)]',
        'if _is_mostly_outside(\n'
        '        Measurement(m.columns, table.exact(m.columns), m.stddev), hidden_codes)]',
        'none',
    ),
    _peeking(
        'bounds are those of exact counts',
        'learning/columns.py',
        'occupied = occupied_range(noisy, sigma)',
        'occupied = occupied_range(table.exact((column,))[:-1], sigma)',
        'learnt',
    ),
    _peeking(
        'the bar of PrivTree is worked out from exact counts',
        'learning/columns.py',
        'int(np.clip(noisy, 0, None).sum()',
        'int(table.exact((column,)).sum()',
        'learnt',
    ),
    _peeking(
        'whether bins are learnt depends on exact counts',
        'learning/columns.py',
        'share = largest_bin_share(noisy, ',
        'share = largest_bin_share(table.exact((column,))[:-1], ',
        'learnt',
    ),
    _mutant(
        'values are let out by their exact counts',
        _VALUES,
        'strict=True) if count > least}',
        'strict=True) if exact[value] > least}',
        f'{_REPLAY}::test_another_table_behind_the_same_answers_gives_the_same[learnt]',
    ),
]

NOISE = [
    _mutant(
        'sigma is 0.7 of what rho asks for',
        _MECHANISMS,
        'Fraction(sensitivity_squared) / (2 * rho)',
        'Fraction(sensitivity_squared) / (2 * rho) * Fraction(49, 100)',
        _SAMPLERS,
    ),
    _mutant(
        'sigma is 1.3 of what rho asks for',
        _MECHANISMS,
        'Fraction(sensitivity_squared) / (2 * rho)',
        'Fraction(sensitivity_squared) / (2 * rho) * Fraction(169, 100)',
        _SAMPLERS,
    ),
    _mutant(
        '0.7 of sigma is drawn',
        'privacy/samplers.py',
        'staircase = _staircase(variance)',
        'staircase = _staircase(variance * Fraction(49, 100))',
        _NOISE,
    ),
    _mutant(
        '1.3 of sigma is drawn',
        'privacy/samplers.py',
        'staircase = _staircase(variance)',
        'staircase = _staircase(variance * Fraction(169, 100))',
        _NOISE,
    ),
    _mutant(
        'histograms are for one row a person',
        _ANSWERS,
        'gaussian_variance(rho, self._rows**2)',
        'gaussian_variance(rho, 1)',
        _TABLE,
    ),
    _mutant(
        'released scores are for one row a person',
        _ANSWERS,
        'len(cliques) * (exact.unit * self._rows) ** 2',
        'len(cliques) * exact.unit**2',
        _TABLE,
    ),
    _mutant(
        'choices are for one row a person',
        _ANSWERS,
        'sensitivity = exact.unit * self._rows',
        'sensitivity = exact.unit',
        _TABLE,
    ),
    _mutant(
        'PrivTree is for one row a person',
        _ANSWERS,
        'noise_scale(epsilon, self._rows)',
        'noise_scale(epsilon, 1)',
        f'{_NOISE}::test_intervals_are_split_as_often_as_the_noise_that_is_paid_for_lets_them',
    ),
    _mutant(
        'unknown values are for one row a person',
        _VALUES,
        'gaussian_variance(rho, ledger.max_rows_per_person**2)',
        'gaussian_variance(rho, 1)',
        f'{_NOISE}::test_counts_of_unknown_values_carry_the_noise_that_is_paid_for',
    ),
    _mutant(
        'noise on many scores is as on one',
        _ANSWERS,
        'len(cliques) * (exact.unit',
        '(exact.unit',
        _TABLE,
    ),
    _mutant(
        'the epsilon of a choice is not halved',
        _MECHANISMS,
        '2 * sensitivity * epsilon.denominator',
        'sensitivity * epsilon.denominator',
        f'{_NOISE}::test_exponential_mechanism_has_its_law_and_no_other',
    ),
    _mutant(
        'a choice has more epsilon than rho pays for',
        _MECHANISMS,
        'exact = 8 * rho',
        'exact = 16 * rho',
        _SAMPLERS,
    ),
    _mutant(
        'the best candidate is taken',
        _MECHANISMS,
        'if bernoulli_exp(numerator * (best - scores[proposal]), denominator, entropy):',
        'if scores[proposal] == best:',
        f'{_NOISE}::test_exponential_mechanism_has_its_law_and_no_other',
    ),
    _mutant(
        'numpy draws the noise',
        'privacy/entropy.py',
        'return os.urandom(num_bytes)',
        'return np.random.bytes(num_bytes)',
        _SAMPLERS,
    ),
    Mutant(
        'entropy is kept in a buffer',
        (
            Edit(
                'privacy/entropy.py',
                '        return os.urandom(num_bytes)\n',
                '        global _KEPT\n'
                '        if len(_KEPT) < num_bytes:\n'
                '            _KEPT += os.urandom(num_bytes + 65536)\n'
                '        taken, _KEPT = _KEPT[:num_bytes], _KEPT[num_bytes:]\n'
                '        return taken\n',
            ),
            Edit(
                'privacy/entropy.py',
                'class SystemEntropy:',
                "_KEPT = b''\n\n\nclass SystemEntropy:",
            ),
        ),
        (_STREAMS,),
    ),
    _mutant(
        'both stages of a fit draw from one stream',
        'synthesizer.py',
        '_LEARNING, _MEASURING = 0, 1',
        '_LEARNING, _MEASURING = 0, 0',
        _STREAMS,
    ),
    _mutant(
        'a fit without a seed is seeded',
        'synthesizer.py',
        'SystemEntropy() if self.seed is None else SeededEntropy((self.seed, stage))',
        'SeededEntropy((self.seed or 0, stage))',
        _STREAMS,
    ),
    _mutant(
        'all integers of a wide block are kept',
        'privacy/samplers.py',
        'accepted = uniform < threshold',
        'accepted = uniform < 2.0',
        f'{_NOISE}::test_single_integers_inside_wide_blocks_have_their_law',
    ),
    _mutant(
        'integers of a wide block are kept by half the exponent',
        'privacy/samplers.py',
        'step_as_float / float(2 * self.variance)',
        'step_as_float / float(4 * self.variance)',
        _SAMPLERS,
    ),
    _mutant(
        'zero is drawn twice as often',
        'privacy/samplers.py',
        'missing[~accepted | ((drawn == 0) & (sign < 0))]',
        'missing[~accepted]',
        f'{_NOISE}::test_discrete_gaussian_has_its_law_and_no_other',
    ),
    _mutant(
        'the tail of the Gaussian is cut off',
        'privacy/samplers.py',
        '_TAIL_IN_SIGMAS = 13.75',
        '_TAIL_IN_SIGMAS = 4.0',
        _SAMPLERS,
    ),
    _mutant(
        'the discrete Laplace draws zero twice as often',
        'privacy/samplers.py',
        'if magnitude or not negative:',
        'if magnitude >= 0:',
        f'{_NOISE}::test_discrete_laplace_has_its_law_and_no_other',
    ),
    _mutant(
        'uniform integers favour the small ones',
        'privacy/entropy.py',
        '        if value < bound:\n            return value\n',
        '        return value % bound\n',
        f'{_NOISE}::test_exponential_mechanism_has_its_law_and_no_other',
    ),
    _mutant(
        'PrivTree has a third of the noise',
        _TREE,
        'return 3 * rows / epsilon',
        'return 1 * rows / epsilon',
        _PRIVTREE,
    ),
    _mutant(
        'PrivTree has no floor',
        _TREE,
        'max(lowered, bar - decay) + noise()',
        'lowered + noise()',
        f'{_PRIVTREE}::test_no_outcome_tells_more_than_epsilon',
    ),
    _mutant(
        'PrivTree has no decay',
        _TREE,
        'int(prefix[end] - prefix[start]) - depth * decay',
        'int(prefix[end] - prefix[start])',
        f'{_PRIVTREE}::test_no_outcome_tells_more_than_epsilon',
    ),
    _mutant(
        'PrivTree lowers counts by too little',
        _TREE,
        'decay = math.ceil(scale',
        'decay = math.floor(scale',
        _PRIVTREE,
    ),
    _mutant(
        'PrivTree has twice the epsilon that rho pays for',
        _TREE,
        'math.floor(2 * rho * 4**_ROOT_BITS)',
        'math.floor(8 * rho * 4**_ROOT_BITS)',
        _LEARNING,
    ),
]

ACCOUNTS = [
    _mutant(
        'a histogram is paid for after it is answered',
        _ANSWERS,
        "        self._debit(step, 'discrete Gaussian', clique, rho, math.sqrt(variance))\n"
        '        return gaussian(self.counts.project(clique), variance, self._entropy), '
        'math.sqrt(variance)\n',
        '        noisy = gaussian(self.counts.project(clique), variance, self._entropy)\n'
        "        self._debit(step, 'discrete Gaussian', clique, rho, math.sqrt(variance))\n"
        '        return noisy, math.sqrt(variance)\n',
        _TABLE,
    ),
    Mutant(
        'values are paid for after they are counted',
        (
            Edit(_VALUES, _PAY_FOR_VALUES, ''),
            Edit(_VALUES, _COUNT_VALUES, _COUNT_VALUES + _PAY_FOR_VALUES),
        ),
        (_TABLE,),
    ),
    _mutant(
        'half of what is spent is debited',
        _ANSWERS,
        'Debit(step, mechanism, columns, rho, scale=scale)',
        'Debit(step, mechanism, columns, rho / 2, scale=scale)',
        _TABLE,
    ),
    _mutant(
        'half of what values cost is debited',
        _VALUES,
        '(column,), rho, delta, sigma)',
        '(column,), rho / 2, delta, sigma)',
        _TABLE,
    ),
    _mutant(
        'the delta of thresholds is not debited',
        _VALUES,
        '(column,), rho, delta, sigma)',
        '(column,), rho, 0.0, sigma)',
        _TABLE,
    ),
    _mutant(
        'choices are not in the ledger',
        _ANSWERS,
        "        self._debit(step, 'exponential', _columns(cliques), rho, float(epsilon))\n",
        '',
        _TABLE,
    ),
    _mutant(
        'shares add up to more than there is',
        _LEDGER,
        '] + [units]',
        '] + [units + 1]',
        _ACCOUNTING,
    ),
    _mutant(
        'more than what is left can be spent',
        _LEDGER,
        'if rho > self.remaining:',
        'if rho > self.budget:',
        _ACCOUNTING,
    ),
    _mutant(
        'rho is converted at too small a delta',
        _LEDGER,
        '- alpha * math.log1p(1 / above_one)',
        '- 2 * alpha * math.log1p(1 / above_one)',
        _ACCOUNTING,
    ),
    _mutant(
        'rho is converted as if orders cost nothing',
        _LEDGER,
        'above_one * (alpha * rho - epsilon)',
        'above_one * (rho - epsilon)',
        _ACCOUNTING,
    ),
    _mutant(
        'the delta of thresholds is spent twice',
        _LEDGER,
        'rho_of(epsilon, delta - reserved_delta)',
        'rho_of(epsilon, delta)',
        _ACCOUNTING,
    ),
    _mutant(
        'the threshold forgets that noise is discrete',
        _VALUES,
        'return rows + 1 + sigma',
        'return rows + sigma',
        _LEARNING,
    ),
    _mutant(
        'the threshold is for one row a person',
        _VALUES,
        'return rows + 1 + sigma',
        'return 2 + sigma',
        _LEARNING,
    ),
    _mutant(
        'each value of a person has all of delta',
        _VALUES,
        'norm.isf(delta / rows)',
        'norm.isf(delta)',
        _LEARNING,
    ),
    _mutant(
        'each choice has the epsilon of three',
        _MECHANISMS,
        'exact = 8 * rho',
        'exact = 24 * rho',
        _DIVERGENCE,
    ),
]

SEPARATION = [
    _mutant(
        'a bound method leads to the counts',
        _PRIVATE_TABLE,
        'self._measure = lambda *question: answers.measure(*question)',
        'self._measure = answers.measure',
        _SEPARATION,
    ),
    Mutant('the table has a door to its counts', _DOOR, (_SEPARATION,)),
    Mutant(
        'a strategy can reach the table',
        (
            Edit(
                'structure/scores.py',
                "__slots__ = ('_choose', '_release')",
                "__slots__ = ('_choose', '_release', '_table')",
            ),
            Edit(
                'structure/scores.py',
                '        self._choose, self._release = choose, release\n',
                '        self._choose, self._release, self._table = choose, release, table\n',
            ),
        ),
        (_SEPARATION,),
    ),
    Mutant(
        'counts of values are an attribute',
        (
            Edit(_VALUES, "__slots__ = ('_frequent',)", "__slots__ = ('_frequent', '_exact')"),
            Edit(
                _VALUES,
                '        self._frequent = lambda',
                '        self._exact = exact\n        self._frequent = lambda',
            ),
        ),
        (_SEPARATION,),
    ),
    _mutant(
        'a table can be pickled and listed',
        'privacy/sealed.py',
        '    __iter__ = __getitem__ = __contains__ = _refuse\n',
        '',
        _TABLE,
    ),
    _mutant(
        'a score may bring code',
        _SCORE,
        'if type(score) is not Score or type(',
        'if type(',
        _SENSITIVITY,
    ),
    _mutant(
        'predictions may be negative',
        _SCORE,
        'factor.dtype == np.int64 and (factor >= 0).all()',
        'factor.dtype == np.int64',
        _SENSITIVITY,
    ),
    _mutant(
        'a count beyond 64 bits wraps',
        _SCORE,
        'np.minimum(observed, _LARGEST // self.unit) * self.unit',
        'observed * self.unit',
        _SENSITIVITY,
    ),
    _mutant(
        'a score counts each row twice',
        _SCORE,
        '_exact_sum(np.abs(truth - predicted)) + elsewhere',
        '2 * _exact_sum(np.abs(truth - predicted)) + elsewhere',
        _SENSITIVITY,
    ),
]

NOT_THERE = [
    _mutant(
        'a protected column and an outcome may be a pair',
        'structure/tree.py',
        'if {role[first], role[second]} != {PROTECTED, OUTCOME}',
        'if first != second',
        'tests/unit/structure/test_every_strategy.py',
        'tests/unit/structure/test_kruskal_strategies.py',
        'tests/unit/structure/test_paper.py',
    ),
    _mutant(
        'the code of values outside is drawn',
        'model/compression.py',
        'drawn = np.arange(measurement.values.size) != (-1 if other is None else other)',
        'drawn = np.arange(measurement.values.size) != -1',
        'tests/integration/test_fairness_of_values.py',
    ),
    _mutant(
        'rows of a person beyond the limit are counted',
        'synthesizer.py',
        'table = bound_rows_per_person(table, self.person_column, self.max_rows_per_person)',
        'table = bound_rows_per_person(table, None, self.max_rows_per_person)',
        'tests/integration/doors/test_same_fit.py',
        'tests/integration/test_synthesizer.py',
    ),
]

MUTANTS = [*EXACT_COUNTS, *NOISE, *ACCOUNTS, *SEPARATION, *NOT_THERE]
