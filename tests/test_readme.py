"""The README's example runs as printed."""

import re
from pathlib import Path

README = Path(__file__).parents[1] / 'README.md'


def test_the_example_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r'```python\n(.*?)```', README.read_text(), flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, 'README.md', 'exec'), {})
    assert 'measure two-ways' in capsys.readouterr().out
    assert (tmp_path / 'tree.html').stat().st_size > 1000
