"""Pages in a real browser: on a phone, at night, on paper, by keyboard, and under attack."""

import re
import shutil

import pytest
from html_page import Page
from playwright.sync_api import sync_playwright

from sdv_prefair import PreFairSynthesizer
from sdv_prefair.cli import main
from sdv_prefair.datasets import simulate_census
from sdv_prefair.datasets._dataset import public_metadata

BROWSER = next(
    filter(None, map(shutil.which, ('chromium', 'chromium-browser', 'google-chrome'))), None
)
pytestmark = pytest.mark.skipif(BROWSER is None, reason='no chromium on this machine')

HOSTILE = '</script><script>console.error("got in")</script>'
PHONE, DESK = 360, 1200
# What people may point at, click or scroll, by what reaches it.
CONTROLS = 'a, summary, .scroll, figure.wide, pre'
SEEN = """e => {
  const box = e.getBoundingClientRect(), look = getComputedStyle(e);
  return box.width > 0 && box.height > 0 && look.visibility === 'visible';
}"""
# The relative luminance of a colour as the standard for contrast defines it.
LUMINANCE = """
  const light = colour => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map(c => c / 255).map(
      c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };"""


@pytest.fixture(scope='module')
def browser():
    with sync_playwright() as play:
        found = play.chromium.launch(executable_path=BROWSER, args=['--no-sandbox'])
        yield found
        found.close()


def opened(browser, path, width=DESK, **options):
    """Return a page, and what its console has said; nothing but the file may be asked for."""
    page, said = browser.new_page(viewport={'width': width, 'height': 900}, **options), []
    page.on('console', lambda message: said.append(message.text))
    page.on('pageerror', lambda error: said.append(str(error)))
    page.on('request', lambda asked: asked.url == path.as_uri() or said.append(asked.url))
    page.goto(path.as_uri())
    return page, said


@pytest.fixture(scope='module')
def fitted():
    full = simulate_census(1500, seed=1)
    names = {name: name for name in ('sex', 'race', 'education', 'hours', 'occupation', 'income')}
    names['age'] = HOSTILE
    described = full.metadata.to_dict()['tables']['census']['columns']
    metadata = public_metadata('census', {new: described[old] for old, new in names.items()})
    data = {'census': full.data['census'][list(names)].rename(columns=names)}
    synthesizer = PreFairSynthesizer(metadata, public_ranges=True, **full.roles.as_dict())
    synthesizer.fit(data)
    return synthesizer, data


@pytest.fixture(scope='module')
def path(fitted, tmp_path_factory):
    synthesizer, data = fitted
    path = tmp_path_factory.mktemp('report') / 'report.html'
    synthesizer.create_release_report(data, path, show_real_numbers=True)
    return path


@pytest.fixture(scope='module')
def other_pages(fitted, tmp_path_factory):
    """What the demonstration and an evaluation write."""
    folder = tmp_path_factory.mktemp('pages')
    assert main(['demo', '--rows', '1500', '--out', str(folder)]) == 0
    synthesizer, data = fitted
    synthesizer.get_metadata().save_to_json(folder / 'metadata.json')
    tables = {'real': data, 'synthetic': synthesizer.sample(1500)}
    for name, table in tables.items():
        table['census'].to_csv(folder / f'{name}.csv', index=False)
    line = 'evaluate {0}/synthetic.csv --real {0}/real.csv --metadata {0}/metadata.json'
    roles = '--protected sex,race --admissible education,occupation,hours --outcome income'
    evaluated = [*line.format(folder).split(), *roles.split(), '--out', f'{folder}/found.html']
    assert main(evaluated) == 0
    return [folder / 'graphs.html', folder / 'found.html']


def check_layout(browser, path, width):
    page, said = opened(browser, path, width)
    assert said == []
    wide, shown = page.evaluate(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]'
    )
    assert wide <= shown, 'nobody scrolls sideways'
    figures = page.locator('figure svg')
    assert figures.count() > 0
    assert all(figures.nth(place).evaluate(SEEN) for place in range(figures.count()))
    page.close()
    return figures


def test_on_a_phone_every_figure_is_drawn_and_nobody_scrolls_sideways(browser, path):
    # The graph, the ledger, seven columns, these beside the real ones, differences between groups.
    assert path.read_text(encoding='utf-8').count('<svg') == 17
    assert path.stat().st_size < 1_000_000
    check_layout(browser, path, PHONE)


@pytest.mark.slow
def test_at_a_desk_too(browser, path):
    check_layout(browser, path, DESK)


@pytest.mark.slow
@pytest.mark.parametrize('width', [PHONE, DESK])
def test_other_pages_are_as_good(browser, other_pages, width):
    for path in other_pages:
        check_layout(browser, path, width)


@pytest.mark.slow
@pytest.mark.parametrize('scheme', ['light', 'dark'])
def test_every_text_stands_out_by_day_and_by_night(browser, path, scheme):
    page, _ = opened(browser, path, color_scheme=scheme)
    poor = page.evaluate(f"""() => {{
      {LUMINANCE}
      const behind = e => {{
        for (; e; e = e.parentElement) {{
          const back = getComputedStyle(e).backgroundColor;
          if (back !== 'rgba(0, 0, 0, 0)') return back;
        }}
      }};
      const texts = [...document.querySelectorAll('p, li, dt, dd, td, th, h1, h2, h3, a, text')];
      return texts.map(e => {{
        const front = getComputedStyle(e)[e.tagName === 'text' ? 'fill' : 'color'];
        const pair = [light(front), light(behind(e))].sort((a, b) => a - b);
        return [(pair[1] + 0.05) / (pair[0] + 0.05), e.textContent];
      }}).filter(found => found[0] < 4.5);
    }}""")
    assert poor == []
    paper = page.evaluate(f'() => {{ {LUMINANCE} return light(getComputedStyle(document.body)'
                          '.backgroundColor); }')  # fmt: skip
    assert (paper < 0.1) == (scheme == 'dark')
    page.close()


@pytest.mark.slow
def test_in_dark_mode_no_mark_is_lost(browser, path):
    """No line or shape of a figure has nearly the colour of the page."""
    page, _ = opened(browser, path, color_scheme='dark')
    lost = page.evaluate(f"""() => {{
      {LUMINANCE}
      const paper = light(getComputedStyle(document.body).backgroundColor);
      const marks = document.querySelectorAll('svg path[stroke], svg circle, svg polygon');
      return [...marks].filter(e => {{
        const look = getComputedStyle(e);
        const shown = look.stroke !== 'none' ? look.stroke : look.fill;
        return shown !== 'none' && (light(shown) + 0.05) / (paper + 0.05) < 1.5;
      }}).map(e => e.outerHTML);
    }}""")
    assert lost == []
    page.close()


@pytest.mark.slow
@pytest.mark.parametrize('width', [PHONE, DESK])
def test_every_control_is_reached_by_keyboard_and_shows_it(browser, path, width):
    page, _ = opened(browser, path, width)
    wanted = page.locator(CONTROLS).evaluate_all(
        'all => all.filter(e => !e.closest("details:not([open]) > :not(summary)")).length'
    )
    reached = set()
    for _ in range(wanted + 5):
        page.keyboard.press('Tab')
        found = page.evaluate("""() => {
          const e = document.activeElement, look = getComputedStyle(e);
          return [[...document.querySelectorAll('*')].indexOf(e), e.tagName, look.outlineStyle];
        }""")
        if found[1] == 'BODY':
            break
        assert found[2] == 'solid', f'{found[1]} shows that it is reached'
        reached.add(found[0])
    assert len(reached) == wanted
    summary = page.locator('summary').first
    summary.focus()
    page.keyboard.press('Enter')
    assert page.locator('details').first.get_attribute('open') is not None
    page.close()


@pytest.mark.slow
def test_what_is_folded_is_on_paper_and_the_rest_fits(browser, path):
    page, _ = opened(browser, path, color_scheme='dark')
    page.emulate_media(media='print', color_scheme='dark')
    page.evaluate('window.dispatchEvent(new Event("beforeprint"))')
    assert page.locator('details:not([open])').count() == 0
    assert not page.locator('nav').is_visible() and not page.locator('.skip').is_visible()
    paper = page.evaluate('getComputedStyle(document.body).backgroundColor')
    assert paper == 'rgb(255, 255, 255)', 'print is never dark'
    printed = page.pdf(format='A4')
    assert printed.startswith(b'%PDF')
    assert 5 < len(re.findall(rb'/Type\s*/Page\b', printed)) < 60
    page.close()


@pytest.mark.slow
def test_a_screen_reader_finds_names_for_everything(browser, path):
    page, _ = opened(browser, path)
    nameless = page.evaluate("""() => [
      ...document.querySelectorAll('svg, [role], nav, .scroll, figure[tabindex]')
    ].filter(e => !e.getAttribute('aria-label') && e.getAttribute('role') !== 'note')
     .map(e => e.outerHTML.slice(0, 80))""")
    assert nameless == []
    levels = page.evaluate(
        "[...document.querySelectorAll('h1, h2, h3, h4')].map(e => Number(e.tagName[1]))"
    )
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:], strict=False))
    page.close()


@pytest.mark.slow
def test_a_script_that_got_past_the_escaping_would_not_run(browser, path, tmp_path):
    """And so the console is seen to speak up when something is wrong."""
    text = path.read_text(encoding='utf-8')
    injected = tmp_path / 'injected.html'
    injected.write_text(
        text.replace('<main>', '<script>document.title = "owned"</script><main>'), encoding='utf-8'
    )
    page, said = opened(browser, injected)
    assert len(said) == 1 and 'Content Security Policy' in said[0]
    (title, *_) = [e['text'] for e in Page(text).all('title')]
    assert page.title() == title
    page.close()
