"""Where a synthesizer of ours differs from SDV's own, by design: what, how, and why.

``docs/sdv_contract.md`` shows the same lines, and each has a test in ``test_differences``.
"""

DIFFERENCES = {
    'validate': (
        'looks at every value and quotes those that do not fit',
        'looks at names and dtypes alone',
        'an error that depends on a row, or quotes it, gives the row away',
    ),
    'rows that break constraints': (
        'are an error of `fit`',
        'are fitted as near as the constraint allows; sampled rows obey',
        'whether such a row is there is private',
    ),
    'values outside declared ranges': (
        'are an error of `fit` under SDV 2, and learnt under SDV 1',
        'are moved to the nearest value in the range, or to what stands for unknown ones',
        'the same',
    ),
    'keys that repeat, or are null': (
        'are an error of `fit`',
        'do not matter: keys are made up, and never read',
        'the same',
    ),
    'transformers of learnt columns': (
        "RDT's `FloatFormatter`, `UniformEncoder` and others, and any of your own",
        '`NumberBins`, `DatetimeBins`, `CategoryCodes`; others are refused',
        'the others learn from rows outside the budget',
    ),
    'preprocess': (
        'returns floats, with the key as index',
        'returns whole numbers, the codes of the model, with the index of the table',
        'codes are what is counted',
    ),
    'decimals': (
        'are as many as rows have',
        'are as many as are declared; without a declaration any',
        'how many a row has is private',
    ),
    'ids that are no keys': (
        'are learnt, and real ones come back',
        'are made up',
        'an id of a person is a value of a row',
    ),
    'pseudonyms': (
        '`PseudoAnonymizedFaker` keeps a table of real values and their pseudonyms',
        'it is refused',
        'the table is in the pickle',
    ),
    'information': (
        '`get_info` has five entries',
        'it has those, and what was promised: epsilon, delta, accounting, ranges',
        'whoever gets a synthesizer should know',
    ),
    'combinations': (
        '`FixedCombinations` keeps every combination of the rows',
        'it keeps those that many rows have, within the budget, or those of `PublicCombinations`',
        'a combination that one row has is private',
    ),
    'columns of constraints': (
        '`a#b.nan_component` tells which of the columns are null, if any row has a null',
        'there is none: nulls are codes of the other columns',
        'whether one row has a null would show in the columns',
    ),
    'constraints that learn': (
        'a programmable constraint may learn from rows in `fit`',
        'it is refused when it is added',
        'what it learns is not paid for',
    ),
    'constraints by table names': (
        '`ProgrammableConstraint` is refused: it is for several tables',
        'it is taken, and so is `SingleTableProgrammableConstraint`',
        'nothing speaks against it',
    ),
    'conditions that no row met': (
        'end in an error after many draws, if several columns are asked for together',
        'give rows, if the values are in the ranges',
        'rows are drawn from the model given the condition; none are rejected',
    ),
    'detected metadata': (
        'is taken as it is',
        'is taken with a warning: what was detected in rows is assumed to be public',
        'ranges that come from rows are not public unless you say so',
    ),
    'metadata without a column to learn': (
        'is accepted',
        'is refused',
        'there would be nothing to measure',
    ),
    'the log': (
        'says how many rows were fitted',
        'does not',
        'the number of rows is private',
    ),
    'samples of one seed': (
        'are the same for two synthesizers fitted to the same rows',
        'differ: the noise is drawn anew for every fit, unless `seed` is given',
        'a fit without noise of its own is not private',
    ),
}
