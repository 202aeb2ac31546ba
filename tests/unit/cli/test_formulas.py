import numpy as np
import pandas as pd

from sdv_prefair.cli.formulas import escape_formulas


def test_only_texts_are_touched():
    moments = pd.to_datetime(['2020-01-01', None])
    table = pd.DataFrame({
        'category': pd.Categorical(['=a', 'b']),
        'number': [-1.5, np.nan],
        'moment': moments,
        'mixed': pd.Series([-1, '-1'], dtype=object),
    })
    escaped = escape_formulas(table)
    assert escaped['category'].tolist() == ["'=a", 'b']
    assert escaped['mixed'].tolist() == [-1, "'-1"]
    assert escaped[['number', 'moment']].to_csv() == table[['number', 'moment']].to_csv()
