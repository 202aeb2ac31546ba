"""Mistakes around the privacy core, each of which some test must see.

They are of six kinds: attempts that are left out of the account; releases that are believed; cells
that are read by what is in others; values that do not tell their codes; rows that are not drawn as
was asked; pairs, cliques and codes that must not be there.
"""

from mutant import Edit, Mutant, mutant

_ATTEMPTS = 'tests/integration/test_attempts.py'
_PROMISES = 'tests/privacy/release/test_promises.py'
_LEDGER_CHECKS = 'tests/unit/release/test_ledger_checks.py'
_ACCOUNT_RECORD = 'tests/unit/release/test_account_record.py'
_CANONICAL = 'tests/unit/columns/test_canonical.py'
_ROWS_APART = 'tests/property/test_rows_apart.py'
_FOLDERS = 'tests/integration/doors/test_folders.py'
_SHOWN = 'tests/property/test_shown_values.py'
_SHOWN_IN_RELEASES = 'tests/unit/release/test_shown_values.py'
_ASKED = 'tests/integration/constraints/test_asked_rows.py'
_TIES = 'tests/integration/constraints/test_asking_ties_nothing.py'
_FAIRNESS = 'tests/unit/fairness/test_predicate.py'
_TABLE = 'tests/property/test_private_table.py'
_STATED = 'tests/property/test_any_statements.py'
_STATED_DECLARED = 'tests/unit/selection/test_apart.py'
_EXACT_STATED = 'tests/unit/selection/test_exact_statements.py'
_SMALL_CLIQUES = 'tests/unit/selection/test_small_cliques.py'
_IN_TURN = 'tests/unit/selection/test_measured_in_turn.py'
_PLANNED = 'tests/unit/selection/test_planned_marginals.py'

_ACCOUNT = 'privacy/_account.py'
_CHECKS = 'release/_ledger_record.py'
_MOMENTS = 'columns/_cells.py'
_KEYS = 'columns/_texts.py'
_STREAMS = 'counting/_streams.py'
_PREDICATE = 'fairness/_predicate.py'

ATTEMPTS = [
    mutant(
        'an attempt that fails is forgotten',
        _ACCOUNT,
        '*(attempt.spending for attempt in self._attempts))',
        '*(attempt.spending for attempt in self._attempts if attempt.outcome != FAILED))',
        f'{_ATTEMPTS}::test_what_a_failed_attempt_has_spent_stays_in_the_account',
    ),
    mutant(
        'an attempt that failed is not over',
        _ACCOUNT,
        '            self.outcome = FAILED\n',
        '            self.outcome = UNFINISHED\n',
        f'{_ATTEMPTS}::test_processed_data_fitted_twice_pay_for_learning_once',
    ),
    mutant(
        'a second fit of processed data has the budget that learning has spent',
        'fitting/_settings.py',
        '        ledger.carry_over(learning)\n',
        '',
        f'{_ATTEMPTS}::test_processed_data_fitted_twice_pay_for_learning_once[True]',
    ),
    mutant(
        'learning is in the account twice',
        _ACCOUNT,
        'lines = self.ledger.debits[self._paid_before :]',
        'lines = self.ledger.debits',
        f'{_ATTEMPTS}::test_processed_data_fitted_twice_pay_for_learning_once[True]',
    ),
    mutant(
        'a seeded fit does not say so',
        'fitting/_settings.py',
        'seeded=self.seed is not None,',
        'seeded=False,',
        f'{_ATTEMPTS}::test_a_seed_that_is_taken_away_afterwards_is_still_told_of',
    ),
    mutant(
        'a sum is promised in spite of a seeded attempt',
        _ACCOUNT,
        'any(spending.seeded for spending in self.spendings if spending.lines)',
        'any(spending.seeded for spending in self.spendings[-1:])',
        f'{_ATTEMPTS}::test_a_seeded_attempt_leaves_no_sum_to_promise',
    ),
    mutant(
        'a release forgets a seed that was taken away',
        'release/_contents.py',
        "fields.flag('seeded') or settings.seed is not None",
        'settings.seed is not None',
        f'{_ATTEMPTS}::test_a_seed_that_is_taken_away_afterwards_is_still_told_of',
    ),
    mutant(
        'thresholds of earlier attempts have cost no delta',
        _ACCOUNT,
        'math.fsum(spending.delta for spending in self.spendings)',
        'math.fsum(spending.delta for spending in self.spendings[-1:])',
        f'{_ATTEMPTS}::test_deltas_of_thresholds_add_up',
    ),
    mutant(
        'the selection budget is refilled once it is spent',
        'selection/_scores.py',
        '            if left == [rho]:\n',
        '            if left in ([], [rho]):\n',
        f'{_TABLE}::test_a_strategy_that_asks_more_often_than_its_rounds_is_refused_and_pays_nothing',
    ),
    mutant(
        'scores are released for the whole budget after choices were made',
        'selection/_scores.py',
        '            _check_any(left if left == [rho] else [])\n'
        '            noisy, _ = table.score(pairs, score, left.pop(), SELECT_TREE)\n',
        '            noisy, _ = table.score(pairs, score, rho, SELECT_TREE)\n',
        f'{_TABLE}::test_scores_are_released_once_and_instead_of_choices',
    ),
]

RELEASES = [
    mutant(
        'a release may say that choices were sharper than it paid for',
        _CHECKS,
        'enough = squared <= 8 * rho',
        'enough = squared <= 9 * rho',
        f'{_LEDGER_CHECKS}::test_lines_are_as_noisy_as_they_must_be_and_no_less',
    ),
    mutant(
        'noise on the scores of a release may be as on one',
        _CHECKS,
        'max_rows_per_person**2 * num_pairs',
        'max_rows_per_person**2',
        f'{_LEDGER_CHECKS}::test_lines_are_as_noisy_as_they_must_be_and_no_less',
    ),
    mutant(
        'noise in a release may be for one row a person',
        _CHECKS,
        'max_rows_per_person**2 * scores',
        'scores',
        f'{_LEDGER_CHECKS}::test_a_promise_for_more_rows_needs_more_noise',
    ),
    mutant(
        'one line pays for two measurements of a release',
        _CHECKS,
        'claimed[frozenset(measurement.columns)] += ',
        'claimed[frozenset(measurement.columns)] = ',
        f'{_LEDGER_CHECKS}::test_two_looks_make_up_one_measurement_and_pay_for_one',
    ),
    mutant(
        'a release is as exact as its most exact cell is not',
        _CHECKS,
        '1 / np.min(measurement.variance)',
        '1 / np.max(measurement.variance)',
        f'{_LEDGER_CHECKS}::test_two_looks_make_up_one_measurement_and_pay_for_one',
    ),
    mutant(
        'a release may have learnt what it did not pay for',
        _CHECKS,
        'if not paid.issuperset(learnt) or not is_told',
        'if not is_told',
        f'{_LEDGER_CHECKS}::test_what_was_learnt_was_paid_for',
    ),
    mutant(
        'the account of a release may leave out what its fit has spent',
        'release/_ledger_record.py',
        '        account.spent >= ledger.spent\n        and ',
        '        ',
        f'{_ACCOUNT_RECORD}::test_an_account_without_the_fit_is_refused',
    ),
    mutant(
        'the fit of a release may have failed',
        'release/_ledger_record.py',
        'for spending in account.spendings if spending.outcome == FINISHED]',
        'for spending in account.spendings]',
        f'{_ACCOUNT_RECORD}::test_an_account_without_the_fit_is_refused',
    ),
    mutant(
        'the account of a release may call a seeded fit private',
        'release/_ledger_record.py',
        ' and finished[-1].seeded is ledger.seeded',
        '',
        f'{_ACCOUNT_RECORD}::test_an_account_without_the_fit_is_refused',
    ),
    mutant(
        'an attempt in a release may spend nothing for its lines',
        'release/_ledger_record.py',
        'if rho > _MOST_RHO or (rho > 0) != (lines > 0):',
        'if rho > _MOST_RHO:',
        f'{_ACCOUNT_RECORD}::test_attempts_that_no_lines_can_be_are_refused',
    ),
    mutant(
        'a release may draw what stands for values outside the domain',
        'release/_contents.py',
        '    check_hidden(model, encoding.hidden_codes)\n',
        '',
        f'{_PROMISES}::test_values_outside_the_domain_are_not_drawn',
    ),
    mutant(
        'the lines of the ledger of a release are believed',
        'release/_ledger_record.py',
        '    check_lines(lines, ledger.max_rows_per_person, own_steps)\n',
        '',
        f'{_PROMISES}::test_what_does_not_hold_is_refused',
    ),
]

READING = [
    mutant(
        "the text 'today' is a moment",
        _MOMENTS,
        'not _is_unicode(text) or _TODAY.fullmatch(text):',
        'not _is_unicode(text):',
        f'{_ROWS_APART}::test_no_moment_depends_on_the_clock',
    ),
    mutant(
        'a date without a format is whatever pandas takes it for',
        _MOMENTS,
        'return datetime_format is not None or _ISO_8601.fullmatch(text) is not None',
        'return True',
        f'{_ROWS_APART}::test_no_moment_depends_on_the_clock',
    ),
    mutant(
        'equal values of two types are one key',
        _KEYS,
        'return CanonicalValue(type(value).__name__, _text(value), value)',
        "return CanonicalValue('', '', value)",
        f'{_CANONICAL}::test_other_values_have_other_keys',
    ),
    mutant(
        'the first spelling of a value stands for all',
        _KEYS,
        'return CanonicalValue(type(value).__name__, _text(value), value)',
        'return CanonicalValue(type(value).__name__, _text(value), cell)',
        'tests/privacy/test_one_odd_row.py::test_nothing_learnt_depends_on_which_row_came_first',
    ),
    Mutant(
        'types of folders are guessed from their names',
        (
            Edit(
                _STREAMS,
                'folder_columns = FolderColumns(names, columns)',
                'folder_columns = FolderColumns()',
            ),
            Edit(
                _STREAMS,
                'schema=_with_text_columns(common, texts, names),',
                'schema=pa.schema([\n'
                '                *_with_text_columns(common, texts, []),\n'
                '                *(found.schema.field(name) for name in names),\n'
                '            ]),',
            ),
            Edit(_STREAMS, 'partitioning=folder_columns.partitioning', 'partitioning=discovered()'),
        ),
        (f'{_FOLDERS}::test_a_row_in_a_new_folder_changes_no_other[grade]',),
    ),
    mutant(
        'the files of a Delta table are read as they lie there',
        _STREAMS,
        '            check_plain_files(one)\n',
        '            pass\n',
        f'{_FOLDERS}::test_tables_with_a_log_are_left_to_their_own_readers[data/region=1-DeltaTable]',
    ),
    mutant(
        'the log of a table is not seen from one of its folders',
        'counting/_streams.py',
        'folders = [place, *_folders_above(place)]',
        'folders = [place]',
        f'{_FOLDERS}::test_tables_with_a_log_are_left_to_their_own_readers[data/region=1-DeltaTable]',
    ),
    mutant(
        'an open quotation mark joins a line of a CSV file to the next',
        'counting/_csv.py',
        '        yield text_columns([line for line in lines if line.strip()], names)\n',
        '        for place, line in enumerate(lines[:-1]):\n'
        "            if line.count(b'\"') % 2:\n"
        "                lines[place : place + 2] = [b'', line + lines[place + 1]]\n"
        '        yield text_columns([line for line in lines if line.strip()], names)\n',
        'tests/unit/counting/test_csv_blocks.py::test_every_line_is_a_record_of_its_own',
    ),
]

VALUES = [
    mutant(
        'what is drawn for a bin is not read back',
        'columns/_bins.py',
        '        if self._may_move():\n',
        '        if self._may_move() and not len(codes):\n',
        'tests/unit/columns/test_numbers.py::test_every_bin_has_a_number_of_its_own',
    ),
    mutant(
        'bins without a value of their own are kept',
        'columns/_bins.py',
        'while not (own := self._find_stand_ins()).all():',
        'while not (own := self._find_stand_ins() | True).all():',
        'tests/unit/columns/test_datetimes.py::test_times_that_the_clocks_skip',
    ),
    mutant(
        'values need not tell their codes in a fit',
        'fitting/_pipeline.py',
        '    encoding.check_values()\n',
        '',
        'tests/integration/test_fairness_of_values.py'
        '::test_no_door_takes_a_transformer_whose_values_look_the_same',
    ),
    mutant(
        'values need not tell their codes in a release',
        'fitting/_pipeline.py',
        '    encoding.check_values()\n',
        '    encoding.check_values() if settings.chosen == {} else None\n',
        f'{_SHOWN_IN_RELEASES}'
        '::test_a_chosen_transformer_with_values_that_look_the_same_is_refused',
    ),
    mutant(
        'values are asked in a frame alone, not in a CSV file',
        'columns/_telling.py',
        "        yield f'csv {reader}', list(cells)\n",
        '        pass\n',
        f'{_SHOWN}::test_values_of_a_chosen_transformer_tell_their_codes',
    ),
    mutant(
        'fairness is verified by codes alone',
        'synthesizer/_inspection.py',
        '    assert_told(fitted.encoding)\n',
        '',
        f'{_SHOWN_IN_RELEASES}::test_verification_looks_at_values',
    ),
]

ASKED = [
    mutant(
        'an asked value is as likely in a wide bin as in a narrow one',
        'constraints/_ordered.py',
        'shares[: len(sizes)][wide] = sizes[wide].min() / sizes[wide]',
        'shares[: len(sizes)][wide] = 1.0',
        f'{_ASKED}::test_rows_follow_the_model_given_what_is_asked',
    ),
    mutant(
        'values that the column does not write can be asked for',
        'synthesizer/_conditions.py',
        'outside = ~transformers[column].is_declared(conditions[column])',
        'outside = conditions[column].isna() & (not transformers[column].nullable)',
        f'{_ASKED}::test_off_grid_values_of_constrained_columns_are_refused',
    ),
    mutant(
        'decimals beyond those of the column can be asked for',
        'columns/_column_codes.py',
        'return asked in (float(Fraction(point, 10**places)), float(written))',
        'return True',
        'tests/property/test_asked_values.py::test_what_would_be_changed_is_refused',
    ),
    mutant(
        'rows that shall be independent are dealt out',
        'model/_sampling.py',
        'spread = _spread_at_random if independent_rows else spread_evenly',
        'spread = spread_evenly',
        'tests/integration/test_independent_rows.py::test_the_choice_is_the_users',
    ),
    mutant(
        'rows are kept whose codes cannot be read back',
        'constraints/_plan.py',
        '        frame = frame[self._can_be_read_back(frame, drawn.loc[frame.index], encode)]\n',
        '',
        f'{_TIES}::test_asking_ties_nothing',
    ),
    mutant(
        'asking by a protected and an outcome column is not warned of',
        'synthesizer/_conditions.py',
        'broken_statements([*cliques, columns], roles)',
        'broken_statements(cliques, roles)',
        f'{_TIES}::test_asking_for_both_sides_warns_with_constraints_too',
    ),
]

CLIQUES = [
    mutant(
        'rows without a value are shared out by rounding, so one row changes several cells',
        'counting/_kernel.py',
        '        place, code = np.nonzero(of_code)\n',
        '        reached = np.cumsum(self.shares) / np.sum(self.shares)\n'
        '        until = np.rint(np.outer(counts, reached)).astype(np.int64)\n'
        '        of_code = np.diff(until, prepend=0)\n'
        '        place, code = np.nonzero(of_code)\n',
        'tests/unit/counting/test_spreading.py::test_one_row_more_adds_one_to_one_cell',
    ),
    mutant(
        'nulls that are not declared count as the first value',
        'columns/_column_codes.py',
        '        codes[nulls] = self.unread_code\n',
        '        codes[nulls] = self.null_code or 0\n',
        'tests/unit/columns/test_numbers.py::test_null_of_a_column_that_is_not_nullable',
    ),
    mutant(
        'a mechanism does not tell which codes are hidden',
        'selection/_measuring.py',
        'public_groups=groups.get(c), **hidden.get(c, HiddenCode())',
        'public_groups=groups.get(c)',
        'tests/integration/test_fairness_of_values.py::test_values_outside_the_domain_tie_nothing',
    ),
    Mutant(
        'pairs that nobody declared are counted',
        (
            Edit(
                'counting/_kernel.py',
                'declared = [tuple(clique) for clique in cliques]',
                'declared = [tuple(clique) for clique in cliques]\n'
                '        declared += itertools.combinations(self._domain, 2)',
            ),
            Edit('counting/_kernel.py', 'import math\n', 'import itertools\nimport math\n'),
        ),
        ('tests/unit/counting/test_kernel.py::test_only_declared_cliques_can_be_read',),
    ),
    mutant(
        'pairs too large to measure are declared',
        'selection/_mechanism.py',
        'return [pair for pair in pairs if is_measurable(pair, domain)]',
        'return list(pairs)',
        'tests/unit/selection/test_every_strategy.py'
        '::test_pairs_too_large_to_measure_are_never_declared',
    ),
    mutant(
        'fair AIM chooses among pairs that were not counted',
        'selection/_aim.py',
        'pairs = [pair for pair in chords if pair in self._counted]',
        'pairs = list(chords)',
        'tests/unit/selection/test_fair_aim.py::test_a_pair_too_large_to_count_is_never_a_chord',
    ),
    mutant(
        'greedy selection looks at one statement at a time',
        'selection/_trees.py',
        'are checked in every round.\n'
        '        return FairTree(private_kruskal(columns, pairs, scores, '
        'partial(fair_additions, roles)))',
        'are checked in every round.\n'
        '        return FairTree(private_kruskal(columns, pairs, scores))',
        f'{_STATED}::test_a_selected_forest_is_fair_and_no_fair_pair_is_left[greedy]',
    ),
    mutant(
        'only the first statement is asked of a pair that is added',
        _PREDICATE,
        'for statement in roles.statements]\n    return [\n        candidate',
        'for statement in roles.statements[:1]]\n    return [\n        candidate',
        f'{_STATED}::test_a_selected_forest_is_fair_and_no_fair_pair_is_left[adaptive]',
    ),
    mutant(
        'the exact search takes sides in one statement only',
        'selection/_sides.py',
        '* sides[:, self._second] != -1).all(axis=0)',
        '* sides[:, self._second] != -1)[:1].all(axis=0)',
        f'{_EXACT_STATED}::test_sides_are_taken_in_every_statement',
    ),
    mutant(
        'pairs between the sides of a later statement are counted',
        'selection/_strategy.py',
        'if not any(_opposes(statement, pair) for statement in statements)',
        'if not any(_opposes(statement, pair) for statement in statements[:1])',
        f'{_STATED_DECLARED}::test_no_clique_between_the_sides_of_any_statement_is_declared',
    ),
    mutant(
        'outcomes touch columns that no statement names',
        'selection/_strategy.py',
        '    return [pair for pair in pairs if frozenset(pair) not in beside]',
        '    return list(pairs)',
        'tests/unit/selection/test_apart.py'
        '::test_apart_never_declares_an_outcome_with_a_column_without_a_role',
    ),
    mutant(
        'a model is not asked whether outcomes are apart from unlabelled columns',
        'fitting/_pipeline.py',
        '        assert_apart(beside)\n',
        '        pass\n',
        'tests/unit/synthesizer/test_fairness_argument.py'
        '::test_apart_refuses_a_mechanism_that_joins_what_it_has_not_declared',
    ),
    mutant(
        'a given tree is asked one statement only',
        'selection/_trees.py',
        '    for statement in roles.statements:\n        path = path_around',
        '    for statement in roles.statements[:1]:\n        path = path_around',
        'tests/unit/selection/test_fixed.py',
    ),
    mutant(
        'a growing graph takes a pair that is not fair',
        'selection/_graphs.py',
        'return bool(fair_additions(self._roles, [pair], self.edges))',
        'return True',
        'tests/unit/selection/test_growing.py'
        '::test_it_takes_a_pair_exactly_if_the_graph_with_it_is_as_it_must_be',
    ),
    mutant(
        'a growing graph takes a pair that would have to be filled in',
        'selection/_graphs.py',
        'if not joins and not keeps_chordal(self._graph, pair):',
        'if not joins and not common_neighbours(self._graph, pair):',
        'tests/unit/selection/test_growing.py'
        '::test_it_takes_a_pair_exactly_if_the_graph_with_it_is_as_it_must_be',
    ),
    mutant(
        'scores against the forest go to pairs in another order',
        'selection/_planned.py',
        'residuals[again] = self._residuals(',
        'residuals[np.sort(again)] = self._residuals(',
        f'{_PLANNED}::test_scores_against_the_forest_meet_their_own_pairs',
    ),
    mutant(
        'a pair is scored against the table that stands in its place',
        'selection/_planned.py',
        'expected = {pairs[place]: model.total * tables[pairs[place]] for place in again}',
        'held = iter(tables.values())\n'
        '            expected = {pairs[place]: model.total * next(held) for place in again}',
        f'{_PLANNED}::test_a_pair_is_scored_against_its_own_table_of_the_forest',
    ),
    mutant(
        'a forest is kept that promises more error than independent columns',
        'selection/_planned.py',
        'return own < other.errors.total(scores, precision)',
        'return own < 2 * other.errors.total(scores, precision)',
        f'{_PLANNED}::test_a_forest_that_noise_would_swamp_is_dropped_as_a_whole',
    ),
    mutant(
        'tables of a forest go to pairs in the order that was asked for',
        'model/_graphical_model.py',
        """    for first, others in wanted.items():
        tables = _tables_with(first, graph, alone, given)
        for second in others:
            product = np.multiply.outer(alone[first], alone[second])
            yield (first, second), tables.get(second, product)
""",
        """    asked = iter(pairs)
    for first, others in wanted.items():
        tables = _tables_with(first, graph, alone, given)
        for second in others:
            product = np.multiply.outer(alone[first], alone[second])
            yield next(asked), tables.get(second, product)
""",
        'tests/unit/model/test_forest_pairs.py',
    ),
    mutant(
        'the divergence is weighed by one over the variance of the noise',
        'model/_max_entropy.py',
        'deviations = [np.log(m.variance).mean() / 2 for m in measurements]',
        'deviations = [np.log(m.variance).mean() for m in measurements]',
        'tests/unit/model/test_max_entropy.py'
        '::test_the_weight_is_one_over_the_noise_and_over_the_rows_of_a_cell',
    ),
    mutant(
        'a plan keeps to no roles',
        'selection/_planned.py',
        'run = _Run(self, table, self.kept_roles(roles), budget,',
        'run = _Run(self, table, Statements(), budget,',
        'tests/unit/selection/test_planned_marginals.py::test_however_strong_a_tie_no_unfair_pair_is_chosen',
    ),
    mutant(
        'a plan leaves a part of the budget unspent',
        'selection/_planned.py',
        '(self._last_shares(graph), self._ledger.remaining)',
        '(self._last_shares(graph), self._ledger.shares(self._ledger.remaining, [9, 1])[0])',
        f'{_PLANNED}::test_a_tie_that_no_tree_explains_is_measured',
    ),
    mutant(
        'fairness is asked of all cliques but the first',
        _PREDICATE,
        '    graph = markov_graph(cliques)\n    paths = (path_around',
        '    graph = markov_graph(list(cliques)[1:])\n    paths = (path_around',
        f'{_FAIRNESS}::test_known_cases',
    ),
    mutant(
        'the ends of a larger clique are not joined',
        _PREDICATE,
        'graph.add_edges_from(combinations(clique, 2))',
        'graph.add_edges_from(zip(clique, clique[1:]))',
        f'{_FAIRNESS}::test_known_cases',
    ),
    mutant(
        'an outcome may be joined to the block of a protected column',
        _PREDICATE,
        '{side.get(column) for column in candidate}',
        '{side.get(column) for column in candidate[:1]}',
        'tests/property/test_structure.py',
    ),
    mutant(
        'of a larger clique only the first two columns are asked about',
        _PREDICATE,
        '{side.get(column) for column in candidate}',
        '{side.get(column) for column in candidate[:2]}',
        _SMALL_CLIQUES,
    ),
    mutant(
        'a child may have parents on both sides',
        'selection/_privbayes.py',
        'fair = fair_additions(self.kept_roles(roles), on_offer, chosen)',
        'fair = list(on_offer)',
        f'{_SMALL_CLIQUES}::test_a_network_grows_by_joined_parents_fair_in_its_moral_graph',
    ),
    mutant(
        'parents are married whether or not they were joined',
        'selection/_privbayes.py',
        'return len(parents) == len(clique) - 1 and edges == math.comb(len(parents), 2)',
        'return len(parents) == len(clique) - 1',
        f'{_SMALL_CLIQUES}::test_a_network_grows_by_joined_parents_fair_in_its_moral_graph',
    ),
    mutant(
        'MWEM chooses cliques on both sides',
        'selection/_mwem.py',
        'fair = fair_additions(self.kept_roles(roles), near, chosen)',
        'fair = near',
        _SMALL_CLIQUES,
    ),
    mutant(
        'a clique is added that leaves a ring open',
        'selection/_graphs.py',
        '_cells(new, domain) > max_cells or not _are_separated(graph, pair)',
        '_cells(new, domain) > max_cells',
        _SMALL_CLIQUES,
    ),
    mutant(
        'a triple is read of which one pair is not allowed',
        'selection/_cliques.py',
        'sorted(after[first] & after[second], key=place.__getitem__)',
        'sorted(after[second], key=place.__getitem__)',
        f'{_SMALL_CLIQUES}::test_outcomes_stand_with_outcomes_and_admissible_columns_only',
    ),
    mutant(
        'what tables have spent can be spent again',
        'selection/_cliques.py',
        'rho, self._left = self._table',
        'rho, _ = self._table',
        f'{_IN_TURN}::test_the_ledger_is_spent_and_says_how_exact_each_table_is',
    ),
    mutant(
        'what no table was chosen for is not spent',
        'selection/_cliques.py',
        '        if left:\n',
        '        if left and self.tables:\n',
        f'{_IN_TURN}::test_without_candidates_the_one_ways_have_it_all',
    ),
    mutant(
        'a fit does not ask whether its model is fair',
        'fitting/_pipeline.py',
        '        assert_separated(model, settings.plan, settings.promise.roles)\n',
        '        pass\n',
        'tests/integration/test_mechanism_of_ones_own.py'
        '::test_a_model_that_ties_protected_to_outcome_is_not_kept',
    ),
    mutant(
        'fairness is not asked of the tables that rows are drawn from',
        'fitting/_verification.py',
        'tied = [*model.cliques, *(node.columns for node in model.nodes)]',
        'tied = model.cliques',
        'tests/unit/fitting/test_verification.py::test_nodes_that_tie_sex_to_pay_are_seen',
    ),
]

BESIDE_THE_CORE = [*ATTEMPTS, *RELEASES, *READING, *VALUES, *ASKED, *CLIQUES]
