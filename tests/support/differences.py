"""Where a synthesizer of ours differs from SDV's own, by design: what, how, and why.

``docs/sdv_contract.md`` shows the same lines, and each has a test in ``test_differences``.
"""

DIFFERENCES = {
    'validate': (
        'checks every value and every constraint, and quotes invalid rows',
        'checks only names and dtypes',
        'an error that depends on a row, or quotes it, reveals the row',
    ),
    'rows that violate constraints': (
        '`fit` raises an error',
        'are replaced by the nearest valid row; sampled rows satisfy the constraint',
        'whether such a row exists is private',
    ),
    'values outside declared ranges': (
        '`fit` raises an error under SDV 2, and learns them under SDV 1',
        'are clipped to the nearest value in the range, or become the value for unknown categories',
        'the same',
    ),
    'repeated or null keys': (
        '`fit` raises an error',
        'do not matter: keys are generated, never read',
        'the same',
    ),
    'transformers of modelled columns': (
        "RDT's `FloatFormatter`, `UniformEncoder` and others, and any of your own",
        '`NumberBins`, `DatetimeBins`, `CategoryCodes`; others are refused',
        'the others learn from rows outside the budget',
    ),
    'bounds and rounding that are not enforced': (
        '`enforce_min_max_values=False` lets values leave the range of the rows',
        'values always stay in their range',
        'the range is what is public; nothing is known beyond it',
    ),
    'ranges wider than the rows': (
        'SDV 2 warns in `fit` that the rows do not cover them, and samples values of the rows',
        'no warning; values may lie anywhere in the range',
        'where in the range rows lie is private',
    ),
    'how often generated values repeat': (
        "`cardinality_rule='match'` and `'scale'` repeat them as the rows do",
        'refused; `unique` and None are accepted',
        'how often a value occurs in the rows is private',
    ),
    'preprocess': (
        'returns floats, with the key as index',
        "returns integers, the model's codes, with the table's index",
        'codes are what is counted',
    ),
    'decimal places': (
        'as many as the rows have',
        'as many as are declared; unlimited without a declaration',
        'how many a row has is private',
    ),
    'ids that are not keys': (
        'are learnt, and real ones come back',
        'are generated',
        "a person's id is a value of a row",
    ),
    'pseudonyms': (
        '`PseudoAnonymizedFaker` stores a table of real values and their pseudonyms',
        'refused',
        'the table would be in the pickle',
    ),
    'information': (
        '`get_info` has five entries',
        'the same, plus the guarantee: epsilon, delta, accounting, ranges',
        'whoever receives a synthesizer should know',
    ),
    'combinations': (
        '`FixedCombinations` keeps every combination in the rows',
        'keeps those that many rows have, within the budget, or those of `PublicCombinations`',
        'a combination that only one row has is private',
    ),
    'columns of constraints': (
        '`a#b.nan_component` records which of the columns are null, if any row has a null',
        'no such column: nulls are codes of the other columns',
        'the presence of the column would reveal that some row has a null',
    ),
    'constraints that learn': (
        'a programmable constraint may learn from rows in `fit`',
        'refused when it is added',
        'what it learns is outside the budget',
    ),
    'rules that look at other rows': (
        '`transform` of a programmable constraint may use all rows, such as their median',
        'not called, rows that break the rule are rejected; refused with `row_wise = True`',
        'the result for a row would reveal something about other rows',
    ),
    'constraints by table name': (
        '`ProgrammableConstraint` is refused unless it has `_is_single_table = True`',
        'accepted either way, and so is `SingleTableProgrammableConstraint`',
        'there is no reason to refuse it',
    ),
    'conditions that no row met': (
        'raise an error after many tries, if they cover several columns',
        'return rows, if the values are within the ranges',
        "rows are sampled from the model's conditional distribution, without rejection sampling",
    ),
    'detected metadata': (
        'accepted',
        'accepted with a warning: detected ranges are assumed to be public',
        'ranges that come from rows are not public unless you say so',
    ),
    'metadata without a column to model': (
        'accepted',
        'refused',
        'there would be nothing to measure',
    ),
    'the log': (
        'states how many rows were fitted',
        'does not',
        'the number of rows is private',
    ),
    'two synthesizers fitted to the same rows': (
        'sample the same rows',
        'sample different rows: every fit draws fresh noise, unless `seed` is given',
        'a fit with predictable noise is not private',
    ),
}
