"""Mistakes in the privacy core, each of which some test must see.

They are of five kinds: exact counts where released values belong; noise of the wrong size or from
the wrong place; amounts that are not debited as they are spent; counts within reach; pairs and
codes that must not be there.
"""

from mutant import Edit, Mutant, mutant
from mutants_beside_the_core import BESIDE_THE_CORE

_REPLAY = 'tests/privacy/test_noninterference.py'
_SEPARATION = 'tests/privacy/test_separation.py'
_STREAMS = 'tests/privacy/test_streams.py'
_TABLE = 'tests/property/test_private_table.py'
_SENSITIVITY = 'tests/property/test_sensitivity.py'
_NOISE = 'tests/statistical/test_noise.py'
_SAMPLERS = 'tests/unit/privacy/test_samplers.py'
_TOTAL_VARIATION = 'tests/unit/privacy/test_total_variation.py'
_ACCOUNTING = 'tests/unit/privacy/test_accounting.py'
_LEARNING = 'tests/unit/learning/test_learning.py'
_DIVERGENCE = 'tests/privacy/test_selection_divergence.py'
_LEDGER_MODEL = 'tests/property/test_ledger.py'
_PERSONS = 'tests/unit/counting/test_persons.py'

_ANSWERS = 'privacy/_answers.py'
_PRIVATE_TABLE = 'privacy/_private_table.py'
_VALUES = 'privacy/_private_table.py'
_LEDGER = 'privacy/_accounting.py'
_MECHANISMS = 'privacy/_answers.py'
_SCORE = 'privacy/_answers.py'

# What a careless hand would put in: a door to exact counts.
_DOOR = (
    Edit(
        _PRIVATE_TABLE,
        "        *('_choose', '_domain',",
        "        *('exact', '_choose', '_domain',",
    ),
    Edit(
        _PRIVATE_TABLE,
        '        self._ledger = ledger\n',
        '        self._ledger = ledger\n'
        '        self.exact = lambda clique: answers.counts.project(clique)\n',
    ),
)
_IMPORT_NUMPY = Edit(
    'selection/_mechanism.py',
    'from typing import ClassVar, Literal, Protocol, runtime_checkable\n',
    'from typing import ClassVar, Literal, Protocol, runtime_checkable\n\nimport numpy as np\n',
)
_PAY_FOR_VALUES = '    ledger.debit(Debit(step, kind, (column,), rho, delta, sigma))\n'
_COUNT_VALUES = '    noisy: list[int] = draw(counts, variance, entropy).tolist()\n'


def _peeking(name, file, old, new, case, *more_edits):
    """Return a mutant that reads counts through a door; a replayed fit must see it."""
    test = f'{_REPLAY}::test_another_table_behind_the_same_answers_gives_the_same[{case}]'
    return Mutant(name, (*_DOOR, *more_edits, Edit(file, old, new)), (test,))


EXACT_COUNTS = [
    _peeking(
        'the model that cliques are chosen by is that of exact counts',
        'selection/_mwem.py',
        'expected = {clique: model.total * model.marginal(clique) for clique in cliques}',
        'expected = {clique: 1.0 * self._table.exact(clique) for clique in cliques}',
        'mwem',
    ),
    _peeking(
        'a child is compared with exact one-ways',
        'selection/_privbayes.py',
        '        self._total, self._expected = one_way_model(measured.measurements)\n',
        '        self._total, _ = one_way_model(measured.measurements)\n'
        '        self._expected = {c: np.maximum(table.exact((c,)), 1.0) for c in table.domain}\n',
        'privbayes, paper',
    ),
    _peeking(
        'the discount of a pair beyond the tree is worked out from exact counts',
        'selection/_aim.py',
        'float(np.minimum(table, noise[p]).sum()) for p, table in expected.items()}',
        'float(np.minimum(self._table.exact(p), noise[p]).sum()) for p in expected}',
        'aim',
    ),
    _peeking(
        'the model that pairs are chosen by is that of exact counts',
        'selection/_aim.py',
        'expected = {pair: model.total * model.marginal(pair) for pair in pairs}',
        'expected = {pair: 1.0 * self._table.exact(pair) for pair in pairs}',
        'aim, paper',
    ),
    _peeking(
        'residual scores compare with exact counts instead of the model',
        'selection/_planned.py',
        'expected = {pairs[place]: model.total * tables[pairs[place]] for place in again}',
        'expected = {pairs[place]: 1.0 * self._table.exact(pairs[place]) for place in again}',
        'planned',
    ),
    _peeking(
        'a plan knows the exact total',
        'selection/_planned.py',
        'total, expected = one_way_model(self._one_ways.measurements)',
        'total, expected = one_way_model(self._one_ways.measurements)\n'
        '        total = float(self._table.exact((next(iter(expected)),)).sum())',
        'planned',
    ),
    _peeking(
        'scores compare with exact one-ways',
        'selection/_mechanism.py',
        '    _, expected = one_way_model(one_ways.measurements)\n',
        '    expected = {c: np.maximum(table.exact((c,)), 1.0) for c in columns}\n',
        'adaptive',
        _IMPORT_NUMPY,
    ),
    _peeking(
        'noise is discounted by exact one-ways',
        'selection/_mechanism.py',
        'discount = expected_errors(pairs, expected, ',
        'discount = expected_errors(\n'
        '            pairs, {c: np.maximum(table.exact((c,)), 1.0) for c in columns}, ',
        'greedy',
        _IMPORT_NUMPY,
    ),
    _peeking(
        'rare codes are merged by exact counts',
        'selection/_measuring.py',
        'm, rare, public_groups=',
        'Measurement(m.columns, table.exact(m.columns), m.stddev), rare, public_groups=',
        'given tree',
    ),
    _peeking(
        'the warning of values outside looks at exact counts',
        'selection/_measuring.py',
        'for m in measured if _is_mostly_outside(m, hidden)]',
        'for m in exact if _is_mostly_outside(m, hidden)]',
        'none',
        Edit(
            'selection/_measuring.py',
            '    table.regroup(',
            '    exact = [Measurement(m.columns, table.exact(m.columns), m.stddev) '
            'for m in measured]\n'
            '    table.regroup(',
        ),
    ),
    _peeking(
        'bounds are those of exact counts',
        'learning/_ranges.py',
        'np.flatnonzero(stands_out(noisy[:-1], sigma))',
        'np.flatnonzero(stands_out(np.bincount(cells.sizes, table.exact((column,)))[:-1], sigma))',
        'learnt',
    ),
    _peeking(
        'where ranges end is read from exact counts',
        'learning/_ranges.py',
        'noisy, sigma = table.measure_groups(column, group_of, next(left), LEARN_DOMAINS)\n',
        'noisy, sigma = table.measure_groups(column, group_of, next(left), LEARN_DOMAINS)\n'
        '        noisy = np.bincount(group_of, table.exact((column,)))\n',
        'learnt',
    ),
    _peeking(
        'a look at a column sees its exact counts',
        'learning/_bins.py',
        'return table.measure_groups(column, group_of, next(parts), DISCRETIZE)',
        '_, sigma = table.measure_groups(column, group_of, next(parts), DISCRETIZE)\n'
        '        return np.bincount(group_of, table.exact((column,))), sigma',
        'adaptive',
    ),
    mutant(
        'values are let out by their exact counts',
        _VALUES,
        'if count > least or value is None',
        'if exact[value] > least or value is None',
        f'{_REPLAY}::test_another_table_behind_the_same_answers_gives_the_same[learnt]',
    ),
]

NOISE = [
    mutant(
        'sigma is 0.7 of what rho asks for',
        _MECHANISMS,
        'Fraction(sensitivity_squared) / (2 * rho)',
        'Fraction(sensitivity_squared) / (2 * rho) * Fraction(49, 100)',
        f'{_SAMPLERS}::test_sigma_is_rounded_up',
    ),
    mutant(
        'sigma is 1.3 of what rho asks for',
        _MECHANISMS,
        'Fraction(sensitivity_squared) / (2 * rho)',
        'Fraction(sensitivity_squared) / (2 * rho) * Fraction(169, 100)',
        f'{_SAMPLERS}::test_sigma_is_rounded_up',
    ),
    mutant(
        '0.7 of sigma is drawn',
        'privacy/_samplers.py',
        'staircase = _staircase(variance)',
        'staircase = _staircase(variance * Fraction(49, 100))',
        f'{_NOISE}::test_discrete_gaussian_has_its_law_and_no_other',
    ),
    mutant(
        '1.3 of sigma is drawn',
        'privacy/_samplers.py',
        'staircase = _staircase(variance)',
        'staircase = _staircase(variance * Fraction(169, 100))',
        f'{_NOISE}::test_discrete_gaussian_has_its_law_and_no_other',
    ),
    mutant(
        'histograms are for one row a person',
        _ANSWERS,
        'gaussian_variance(rho, self._rows**2)',
        'gaussian_variance(rho, 1)',
        f'{_TABLE}::test_rows_per_person_scale_the_noise',
    ),
    mutant(
        'released scores are for one row a person',
        _ANSWERS,
        'len(cliques) * (exact.unit * self._rows) ** 2',
        'len(cliques) * exact.unit**2',
        f'{_TABLE}::test_rows_per_person_scale_the_noise',
    ),
    mutant(
        'choices are for one row a person',
        _ANSWERS,
        'sensitivity = exact.unit * self._rows',
        'sensitivity = exact.unit',
        f'{_TABLE}::test_a_choice_is_as_blurred_as_a_person_has_rows',
    ),
    mutant(
        'groups are answered from a ledger of one row a person',
        _ANSWERS,
        'return Answers(merged, self._ledger, self._entropy).measure((column,), rho, step)',
        'answers = Answers(merged, self._ledger, self._entropy)\n'
        '        answers._rows = 1\n'
        '        return answers.measure((column,), rho, step)',
        f'{_NOISE}::test_groups_of_codes_carry_the_noise_that_is_paid_for',
    ),
    mutant(
        'unknown values are for one row a person',
        _VALUES,
        'gaussian_variance(rho, ledger.max_rows_per_person**2)',
        'gaussian_variance(rho, 1)',
        f'{_NOISE}::test_counts_of_unknown_values_carry_the_noise_that_is_paid_for',
    ),
    mutant(
        'noise on many scores is as on one',
        _ANSWERS,
        'len(cliques) * (exact.unit',
        '(exact.unit',
        f'{_TABLE}::test_noise_on_all_scores_is_what_the_proof_asks_for',
    ),
    mutant(
        'the epsilon of a choice is not halved',
        _MECHANISMS,
        '2 * sensitivity * epsilon.denominator',
        'sensitivity * epsilon.denominator',
        f'{_NOISE}::test_exponential_mechanism_has_its_law_and_no_other',
    ),
    mutant(
        'a choice has more epsilon than rho pays for',
        _MECHANISMS,
        'exact = 8 * rho',
        'exact = 16 * rho',
        f'{_SAMPLERS}::test_epsilon_of_a_choice_is_rounded_down',
    ),
    mutant(
        'the best candidate is taken',
        _MECHANISMS,
        'if bernoulli_exp(numerator * (best - scores[proposal]), denominator, entropy):',
        'if scores[proposal] == best:',
        f'{_NOISE}::test_exponential_mechanism_has_its_law_and_no_other',
    ),
    mutant(
        'numpy draws the noise',
        'privacy/_samplers.py',
        'return os.urandom(num_bytes)',
        'return np.random.bytes(num_bytes)',
        f'{_SAMPLERS}::test_noise_does_not_depend_on_the_global_seed',
    ),
    Mutant(
        'entropy is kept in a buffer',
        (
            Edit(
                'privacy/_samplers.py',
                '        return os.urandom(num_bytes)\n',
                '        global _KEPT\n'
                '        if len(_KEPT) < num_bytes:\n'
                '            _KEPT += os.urandom(num_bytes + 65536)\n'
                '        taken, _KEPT = _KEPT[:num_bytes], _KEPT[num_bytes:]\n'
                '        return taken\n',
            ),
            Edit(
                'privacy/_samplers.py',
                'class SystemEntropy:',
                "_KEPT = b''\n\n\nclass SystemEntropy:",
            ),
        ),
        (f'{_STREAMS}::test_forked_children_draw_different_noise',),
    ),
    mutant(
        'both stages of a fit draw from one stream',
        'fitting/_fitted.py',
        'LEARNING, MEASURING, LOOKING = 0, 1, 2',
        'LEARNING, MEASURING, LOOKING = 0, 0, 2',
        f'{_STREAMS}::test_learning_and_measuring_draw_from_different_streams_of_a_seed',
    ),
    mutant(
        'a fit without a seed is seeded',
        'fitting/_fitted.py',
        'SystemEntropy() if self.seed is None else SeededEntropy((self.seed, stage))',
        'SeededEntropy((self.seed or 0, stage))',
        f'{_STREAMS}::test_two_fits_without_a_seed_share_no_noise',
    ),
    mutant(
        'all integers of a wide block are kept',
        'privacy/_samplers.py',
        'accepted = uniform < threshold',
        'accepted = uniform < 2.0',
        f'{_NOISE}::test_single_integers_inside_wide_blocks_have_their_law',
    ),
    mutant(
        'integers of a wide block are kept by half the exponent',
        'privacy/_samplers.py',
        'step_as_float / float(2 * self.variance)',
        'step_as_float / float(4 * self.variance)',
        f'{_SAMPLERS}::test_inside_a_block_each_integer_is_kept_as_often_as_the_curve_says',
    ),
    mutant(
        'zero is drawn twice as often',
        'privacy/_samplers.py',
        'missing[~accepted | ((drawn == 0) & (sign < 0))]',
        'missing[~accepted]',
        f'{_NOISE}::test_discrete_gaussian_has_its_law_and_no_other',
    ),
    mutant(
        'the tail of the Gaussian is cut off',
        'privacy/_samplers.py',
        '_TAIL_IN_SIGMAS = 21.25',
        '_TAIL_IN_SIGMAS = 13.75',
        f'{_TOTAL_VARIATION}::test_a_draw_is_as_close_to_the_true_law_as_is_said',
    ),
    mutant(
        'uniform integers favour the small ones',
        'privacy/_samplers.py',
        '        if value < bound:\n            return value\n',
        '        return value % bound\n',
        f'{_NOISE}::test_exponential_mechanism_has_its_law_and_no_other',
    ),
]

ACCOUNTS = [
    mutant(
        'a histogram is paid for after it is answered',
        _ANSWERS,
        '        self._debit(step, kind, clique, rho, math.sqrt(variance))\n'
        '        return self._noisy(self.counts.project(clique), variance), math.sqrt(variance)\n',
        '        noisy = self._noisy(self.counts.project(clique), variance)\n'
        '        self._debit(step, kind, clique, rho, math.sqrt(variance))\n'
        '        return noisy, math.sqrt(variance)\n',
        f'{_TABLE}::test_an_answer_is_paid_for_before_its_noise_is_drawn',
    ),
    Mutant(
        'values are paid for after they are counted',
        (
            Edit(_VALUES, _PAY_FOR_VALUES, ''),
            Edit(_VALUES, _COUNT_VALUES, _COUNT_VALUES + _PAY_FOR_VALUES),
        ),
        (f'{_TABLE}::test_values_are_paid_for_before_their_noise_is_drawn',),
    ),
    mutant(
        'half of what is spent is debited',
        _ANSWERS,
        'Debit(step, mechanism, columns, rho, scale=scale)',
        'Debit(step, mechanism, columns, rho / 2, scale=scale)',
        f'{_TABLE}::test_every_answer_is_debited_and_refused_beyond_the_budget',
    ),
    mutant(
        'half of what values cost is debited',
        _VALUES,
        '(column,), rho, delta, sigma)',
        '(column,), rho / 2, delta, sigma)',
        f'{_TABLE}::test_values_are_paid_for_before_their_noise_is_drawn',
    ),
    mutant(
        'the delta of thresholds is not debited',
        _VALUES,
        '(column,), rho, delta, sigma)',
        '(column,), rho, 0.0, sigma)',
        f'{_TABLE}::test_values_are_paid_for_before_their_noise_is_drawn',
    ),
    mutant(
        'choices are not in the ledger',
        _ANSWERS,
        '        self._debit(step, EXPONENTIAL, _columns(cliques), rho, float(epsilon))\n',
        '',
        f'{_TABLE}::test_every_answer_is_debited_and_refused_beyond_the_budget',
    ),
    mutant(
        'shares add up to more than there is',
        _LEDGER,
        '] + [units]',
        '] + [units + 1]',
        f'{_ACCOUNTING}::test_shares_add_up_exactly_in_fractions_and_in_floats',
    ),
    mutant(
        'what is put aside can be spent',
        _LEDGER,
        'return self.budget - self.spent - self._aside',
        'return self.budget - self.spent',
        f'{_ACCOUNTING}::test_what_is_put_aside_cannot_be_spent_inside_and_is_left_afterwards',
    ),
    mutant(
        'more than what is left can be spent',
        _LEDGER,
        'if rho > self.remaining:',
        'if rho > self.budget:',
        f'{_ACCOUNTING}::test_ledger_refuses_to_overspend',
    ),
    mutant(
        'rho is converted at too small a delta',
        _LEDGER,
        '- alpha * math.log1p(1 / above_one)',
        '- 2 * alpha * math.log1p(1 / above_one)',
        f'{_ACCOUNTING}::test_rho_is_what_the_tight_conversion_gives',
    ),
    mutant(
        'rho is converted as if orders cost nothing',
        _LEDGER,
        'above_one * (alpha * rho - epsilon)',
        'above_one * (rho - epsilon)',
        f'{_ACCOUNTING}::test_rho_is_what_the_tight_conversion_gives',
    ),
    mutant(
        'the delta of thresholds is spent twice',
        _LEDGER,
        'convert(epsilon, delta - reserved_delta)',
        'convert(epsilon, delta)',
        f'{_ACCOUNTING}::test_setting_delta_aside_costs_rho',
    ),
    mutant(
        'the threshold forgets that noise is discrete',
        _VALUES,
        'return rows + 1 + sigma',
        'return rows + sigma',
        f'{_LEARNING}::test_the_threshold_is_not_far_too_high',
    ),
    mutant(
        'the threshold is for one row a person',
        _VALUES,
        'return rows + 1 + sigma',
        'return 2 + sigma',
        f'{_LEARNING}::test_a_value_of_one_person_passes_with_probability_below_delta',
    ),
    mutant(
        'each value of a person has all of delta',
        _VALUES,
        'norm.isf(delta / rows)',
        'norm.isf(delta)',
        f'{_LEARNING}::test_a_value_of_one_person_passes_with_probability_below_delta',
    ),
    mutant(
        'each choice has the epsilon of three',
        _MECHANISMS,
        'exact = 8 * rho',
        'exact = 24 * rho',
        f'{_DIVERGENCE}::test_selection_costs_at_most_what_the_ledger_says',
    ),
]

_GAUSSIAN = 'privacy/_accounting.py'
_CONVERSION = 'tests/unit/privacy/test_gaussian_conversion.py'
_FITS = 'tests/integration/test_all_gaussian.py'

ALL_GAUSSIAN = [
    mutant(
        'a ledger of Gaussians takes all other noise too',
        _LEDGER,
        'if self.all_gaussian and debit.mechanism not in ROUNDED_NOISES:',
        'if False:',
        f'{_ACCOUNTING}::test_a_ledger_of_gaussians_refuses_all_other_noise',
        f'{_TABLE}::test_a_ledger_of_gaussians_gets_rounded_noise_and_refuses_a_choice_unanswered',
    ),
    mutant(
        'a ledger of Gaussians takes lines of other noise that are carried over',
        _LEDGER,
        '        for line in lines:\n            self._check_noise(line)\n',
        '',
        f'{_ACCOUNTING}::test_a_ledger_of_gaussians_refuses_all_other_noise',
    ),
    mutant(
        'rho of one Gaussian mechanism is mu^2',
        _GAUSSIAN,
        'rho = math.exp(2 * log_mu) / 2',
        'return rounded_down(math.exp(2 * log_mu))',
        f'{_CONVERSION}::test_the_budget_keeps_the_promise_to_the_last_digit_and_hardly_more',
    ),
    mutant(
        'nothing is kept back of the delta of a Gaussian mechanism',
        _GAUSSIAN,
        'while delta_of_gaussian(rho, epsilon) > delta * (1 - DELTA_FOR_ROUNDING):',
        'while delta_of_gaussian(rho, epsilon) > delta:',
        f'{_CONVERSION}::test_the_budget_keeps_the_promise_to_the_last_digit_and_hardly_more',
    ),
    mutant(
        'a ledger of Gaussians has discrete noise, which is not GDP',
        _ANSWERS,
        'draw = rounded_gaussian if self._ledger.all_gaussian else gaussian',
        'draw = gaussian',
        f'{_FITS}::test_the_noise_of_a_fit_has_the_scale_of_the_promise_and_no_other',
        f'{_TABLE}::test_rounded_noise_is_what_the_ledger_says_and_not_the_discrete_one',
    ),
    mutant(
        'Gaussians are cut off and not rounded',
        'privacy/_samplers.py',
        '(drawn + cells // 2) // cells',
        'drawn // cells',
        f'{_NOISE}::test_rounded_gaussian_has_its_law_and_no_other',
    ),
    mutant(
        'points inside a cell are all taken for its start',
        'privacy/_samplers.py',
        'step_as_float += places * 2.0**-64',
        'step_as_float += 0.0',
        f'{_NOISE}::test_rounded_gaussian_has_its_law_and_no_other',
    ),
    mutant(
        'a threshold in a fit that is all Gaussian has discrete noise',
        'privacy/_private_table.py',
        '(ROUNDED_THRESHOLD, rounded_gaussian) if ledger.all_gaussian else (THRESHOLD, gaussian)',
        '(ROUNDED_THRESHOLD, gaussian) if ledger.all_gaussian else (THRESHOLD, gaussian)',
        'tests/unit/privacy/test_proofs.py'
        '::test_a_threshold_has_the_noise_that_its_ledger_adds_up[True]',
    ),
    mutant(
        'fair AIM promises what its strategy does not know of',
        'selection/_aim.py',
        "    shape: ClassVar[Shape] = 'connected'\n",
        "    shape: ClassVar[Shape] = 'connected'\n    all_gaussian: ClassVar[bool] = True\n",
        f'{_FITS}::test_how_lines_add_up_follows_from_structure_and_metadata',
    ),
    mutant(
        'attempts of all kinds are added up as Gaussians',
        'privacy/_account.py',
        'gaussian_epsilon_of if self.all_gaussian and all_gaussian else epsilon_of',
        'gaussian_epsilon_of',
        'tests/unit/privacy/test_account.py',
    ),
    mutant(
        'replaced rows of a fit that is all Gaussian are converted by twice the rho for scores too',
        _LEDGER,
        'convert(2 * histograms + 4 * others, for_noise)',
        'convert(2 * histograms + 2 * others, for_noise)',
        f'{_ACCOUNTING}::test_footer_of_a_ledger_of_gaussians_scales_mu',
    ),
    mutant(
        'a release with other noise passes for one Gaussian mechanism',
        'release/_ledger_record.py',
        'if all_gaussian and any(line.mechanism not in ROUNDED_NOISES for line in lines):',
        'if False:',
        f'{_FITS}::test_a_release_that_adds_up_otherwise_than_it_may_is_refused',
    ),
]

SEPARATION = [
    mutant(
        'a bound method leads to the counts',
        _PRIVATE_TABLE,
        'self._measure: _Measure = lambda *question: answers.measure(*question)',
        'self._measure = answers.measure',
        f'{_SEPARATION}::test_only_what_is_said_not_to_be_hidden_leads_to_counts',
    ),
    Mutant(
        'the table has a door to its counts',
        _DOOR,
        (f'{_SEPARATION}::test_what_has_no_budget_left_answers_nothing_however_it_is_called',),
    ),
    Mutant(
        'a strategy can reach the table',
        (
            Edit(
                'selection/_measuring.py',
                "__slots__ = ('_choose', '_oversized', '_release')",
                "__slots__ = ('_choose', '_oversized', '_release', '_table')",
            ),
            Edit(
                'selection/_measuring.py',
                '        self._choose, self._release = choose, release\n',
                '        self._choose, self._release, self._table = choose, release, table\n',
            ),
        ),
        (f'{_SEPARATION}::test_nothing_that_a_strategy_or_an_estimator_gets_leads_to_counts',),
    ),
    Mutant(
        'counts of values are an attribute',
        (
            Edit(_VALUES, "__slots__ = ('_frequent',)", "__slots__ = ('_frequent', '_exact')"),
            Edit(
                _VALUES,
                '        self._frequent: Callable',
                '        self._exact = exact\n        self._frequent: Callable',
            ),
        ),
        (f'{_SEPARATION}::test_nothing_that_a_learning_step_gets_leads_to_counts',),
    ),
    mutant(
        'a table can be pickled and listed',
        'privacy/_private_table.py',
        '    __iter__ = __getitem__ = __contains__ = _refuse\n',
        '',
        f'{_TABLE}::test_counts_cannot_be_taken_out',
    ),
    mutant(
        'a score may bring code',
        _SCORE,
        'if type(score) is not Score or type(',
        'if type(',
        f'{_SENSITIVITY}::test_a_score_that_brings_code_is_refused',
    ),
    mutant(
        'predictions may be negative',
        _SCORE,
        'factor.dtype == np.int64 and (factor >= 0).all()',
        'factor.dtype == np.int64',
        f'{_SENSITIVITY}::test_predictions_that_could_break_the_bound_are_refused',
    ),
    mutant(
        'a count beyond 64 bits wraps',
        _SCORE,
        'np.minimum(observed, _LARGEST // self.unit) * self.unit',
        'observed * self.unit',
        f'{_SENSITIVITY}::test_a_count_beyond_64_bits_is_capped_not_wrapped',
    ),
    mutant(
        'a score counts each row twice',
        _SCORE,
        '_exact_sum(np.abs(truth - predicted)) + elsewhere',
        '2 * _exact_sum(np.abs(truth - predicted)) + elsewhere',
        f'{_SENSITIVITY}::test_no_description_makes_a_row_count_for_more_than_a_unit',
    ),
]

NOT_THERE = [
    mutant(
        'a protected column and an outcome may be a pair',
        'selection/_strategy.py',
        'if not any(_opposes(statement, pair) for statement in statements)',
        'if pair',
        'tests/unit/selection/test_every_strategy.py'
        '::test_never_declares_a_protected_and_an_outcome_column',
    ),
    mutant(
        'the code of values outside is drawn',
        'model/_compression.py',
        'drawn: Flags = np.arange(measurement.values.size) != (-1 if other is None else other)',
        'drawn: Flags = np.arange(measurement.values.size) != -1',
        'tests/integration/test_fairness_of_values.py',
    ),
    mutant(
        'rows of a person beyond the limit are counted',
        'synthesizer/_sources.py',
        'bound_rows_per_person(table, person_column, settings.max_rows_per_person)',
        'bound_rows_per_person(table, None, settings.max_rows_per_person)',
        'tests/integration/doors/test_same_fit.py::test_rows_of_persons_are_bounded_as_in_fit',
    ),
]

FOUND_INDEPENDENTLY = [
    mutant(
        'each threshold alone stays within delta, their sum does not',
        _LEDGER,
        'math.fsum(line.delta for line in self._debits) + debit.delta',
        'debit.delta',
        f'{_ACCOUNTING}::test_thresholds_may_not_add_up_to_more_than_was_set_aside',
    ),
    mutant(
        'rare values pass the threshold',
        _VALUES,
        'if count > least or value is None',
        'if count < least or value is None',
        f'{_LEARNING}::test_a_value_needs_more_than_the_threshold',
    ),
    mutant(
        'the threshold is on the wrong side of what one person can bring',
        _VALUES,
        'if count > least or value is None',
        'if count > least - 2 * ledger.max_rows_per_person or value is None',
        f'{_LEARNING}::test_a_value_needs_more_than_the_threshold',
    ),
    mutant(
        'the threshold falls as noise grows',
        _VALUES,
        'float(norm.isf(delta / rows))',
        'float(norm.ppf(delta / rows))',
        f'{_LEARNING}::test_a_value_of_one_person_passes_with_probability_below_delta',
    ),
    mutant(
        'each row of a stream without a person is a person',
        'counting/_frame.py',
        'number.setdefault(None if value != value else value, len(number))',
        'number.setdefault(object() if value is None or value != value else value, len(number))',
        f'{_PERSONS}::test_rows_without_a_person_count_as_one_persons',
    ),
    mutant(
        'rows of a stream without a person have no limit',
        'counting/_frame.py',
        '        passes = earlier[row_of] + nth < self._max_rows\n',
        '        passes = earlier[row_of] + nth < self._max_rows\n'
        '        passes |= np.array([p is None for p in persons])[row_of]\n',
        f'{_PERSONS}::test_rows_without_a_person_count_as_one_persons',
    ),
    mutant(
        'a negative amount is put aside, and adds to what is left',
        _LEDGER,
        'if not 0 <= rho <= self.remaining:',
        'if not rho <= self.remaining:',
        _LEDGER_MODEL,
    ),
    mutant(
        'a line of negative cost gives budget back',
        _LEDGER,
        "if rho <= 0:\n            raise BudgetError(\n                f'{step} was given",
        "if rho == 0:\n            raise BudgetError(\n                f'{step} was given",
        _LEDGER_MODEL,
    ),
    mutant(
        'words of the last, incomplete run are kept',
        'privacy/_samplers.py',
        'accepted_below = (1 << 64) - (1 << 64) % bound',
        'accepted_below = 1 << 64',
        f'{_SAMPLERS}::test_words_of_the_last_incomplete_run_are_drawn_again',
    ),
    mutant(
        'sigma has no limit, and noise overflows',
        _MECHANISMS,
        'if math.sqrt(variance) > _LARGEST_SIGMA:',
        'if math.sqrt(variance) > math.inf:',
        f'{_SAMPLERS}::test_noise_that_might_not_fit_into_64_bits_is_refused',
    ),
    mutant(
        'a saved sum is believed',
        _LEDGER,
        '        self._spent = sum((line.rho for line in self._debits), Fraction(0))\n\n'
        '    def __setattr__',
        '\n    def __setattr__',
        _LEDGER_MODEL,
    ),
]

MUTANTS = [
    *EXACT_COUNTS,
    *NOISE,
    *ACCOUNTS,
    *ALL_GAUSSIAN,
    *SEPARATION,
    *NOT_THERE,
    *FOUND_INDEPENDENTLY,
    *BESIDE_THE_CORE,
]
