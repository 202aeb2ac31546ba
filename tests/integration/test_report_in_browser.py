"""The release report in a real browser: it draws all its figures and complains of nothing."""

import re
import shutil
import subprocess

import pytest
from html_page import Page

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.datasets import simulate_census
from sdv_prefair.datasets._dataset import public_metadata

BROWSER = next(
    filter(None, map(shutil.which, ('chromium', 'chromium-browser', 'google-chrome'))), None
)
pytestmark = pytest.mark.skipif(BROWSER is None, reason='no chromium on this machine')

QUIET = [
    '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync',
    '--enable-logging=stderr', '--v=0', '--virtual-time-budget=8000',
]  # fmt: skip
HOSTILE = '</script><script>console.error("got in")</script>'


def opened(path, folder, width):
    """Return the page after its scripts have run, and what the browser's console says."""
    result = subprocess.run(
        [BROWSER, *QUIET, f'--user-data-dir={folder}', f'--window-size={width},2000', '--dump-dom',
         path.as_uri()],
        capture_output=True, timeout=120, check=True,
    )  # fmt: skip
    console = re.findall(r'.*CONSOLE.*', result.stderr.decode(errors='replace'))
    return result.stdout.decode(), console


@pytest.fixture(scope='module')
def path(tmp_path_factory):
    full = simulate_census(1500, seed=1)
    names = {name: name for name in ('sex', 'race', 'education', 'hours', 'occupation', 'income')}
    names['age'] = HOSTILE
    described = full.metadata.to_dict()['tables']['census']['columns']
    metadata = public_metadata('census', {new: described[old] for old, new in names.items()})
    data = {'census': full.data['census'][list(names)].rename(columns=names)}
    synthesizer = PreFairSynthesizer(metadata, public_ranges=True, **full.roles.as_dict())
    synthesizer.fit(data)
    path = tmp_path_factory.mktemp('report') / 'report.html'
    synthesizer.create_release_report(data, path, show_real_numbers=True)
    return path


@pytest.mark.parametrize('width', [1200, 420])
def test_every_figure_is_drawn_without_complaint(path, tmp_path, width):
    plots = path.read_text(encoding='utf-8').count('class="plot')
    dom, console = opened(path, tmp_path, width)
    assert console == []
    # The graph, the ledger, seven columns, these beside the real ones, differences between groups.
    assert plots == 17
    assert dom.count('js-plotly-plot') >= plots
    assert len(re.findall('<svg class="main-svg"[^>]*>', dom)) >= plots
    assert 'got in' in dom


def test_a_script_that_got_past_the_escaping_would_not_run(path, tmp_path):
    """And so the console is seen to speak up when something is wrong."""
    text = path.read_text(encoding='utf-8')
    injected = tmp_path / 'injected.html'
    injected.write_text(text.replace('<main>', '<script>document.title = "owned"</script><main>'))
    dom, console = opened(injected, tmp_path / 'profile', 1200)
    assert len(console) == 1
    assert 'Content Security Policy' in console[0]
    (title,) = [e['text'] for e in Page(text).all('title')]
    assert f'<title>{title}</title>' in dom
