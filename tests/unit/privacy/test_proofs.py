"""Every claim of privacy has a page that proves it, and the pages' formulas hold in numbers."""

import importlib
import inspect
import itertools
import math
import pkgutil
import re
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
from scipy.stats import norm

import sdv_prefair.privacy
from sdv_prefair.privacy import Ledger, SystemEntropy
from sdv_prefair.privacy._accounting import delta_of_rho, rho_of
from sdv_prefair.privacy._answers import gaussian_variance
from sdv_prefair.privacy._private_table import frequent_values, threshold
from sdv_prefair.privacy._samplers import _TAIL_IN_SIGMAS, _staircase

PACKAGE = sdv_prefair.privacy.__name__
FOLDER = Path(sdv_prefair.privacy.__file__).parent
PAGES = sorted((FOLDER / 'proofs').glob('*.md'))


def documented():
    """Return everything in the package that has a docstring of its own, by its full name."""
    found = {}
    for module in pkgutil.iter_modules([str(FOLDER)], f'{PACKAGE}.'):
        loaded = importlib.import_module(module.name)
        for name, thing in vars(loaded).items():
            if getattr(thing, '__module__', None) == module.name:
                found[f'{module.name}.{name}'] = thing
                inner = vars(thing).items() if inspect.isclass(thing) else ()
                found |= {f'{module.name}.{name}.{n}': t for n, t in inner if callable(t)}
    return {name: thing.__doc__ for name, thing in found.items() if thing.__doc__}


def pages_named(docstring):
    lines = re.findall(r'^\s*Proof: (.+)$', docstring, flags=re.MULTILINE)
    return {page for line in lines for page in line.split(', ')}


def functions_named(page):
    listed = re.search(r'^Proves:\n\n((?:- .+\n)+)', page.read_text('utf-8'), re.MULTILINE)
    return set(re.findall(r'^- `([\w.]+)`$', listed[1], re.MULTILINE)) if listed else set()


# -- pages and code ----------------------------------------------------------------------------


def test_every_claim_names_its_proof():
    claims = {name: text for name, text in documented().items() if 'Privacy:' in text}
    assert len(claims) >= 11
    assert [name for name, text in claims.items() if not pages_named(text)] == []


def test_code_and_pages_name_each_other():
    """So no page is missing, none is about what does not exist, and none is left alone."""
    by_code = {(n, page) for n, text in documented().items() for page in pages_named(text)}
    by_pages = {(n, f'proofs/{p.name}') for p in PAGES for n in functions_named(p)}
    assert by_code == by_pages
    assert {page for _, page in by_pages} == {f'proofs/{page.name}' for page in PAGES}


@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.stem)
def test_the_tests_that_a_page_names_exist(page):
    root = Path(__file__).parents[3]
    named = re.findall(r'`(tests/[\w/.]+)`', page.read_text('utf-8'))
    assert named
    assert [path for path in named if not (root / path).is_file()] == []


# -- samplers.md -------------------------------------------------------------------------------


def test_tail_and_number_of_blocks():
    t = _TAIL_IN_SIGMAS
    assert math.exp(-(t**2) / 2) / (t * math.sqrt(math.pi / 2)) < 2.0**-330
    for sigma in (0.3, 127.9, 128.0, 191.9, 1e9):
        table = _staircase(Fraction(sigma) ** 2)
        assert len(table.cumulative) < 2**12
        assert table.width == 1 if sigma < 128 else sigma / 128 < table.width <= sigma / 64


# -- histogram.md ------------------------------------------------------------------------------


def curve(variance, reach):
    return np.exp(-(np.arange(-reach, reach + 1.0) ** 2) / (2 * variance))


@pytest.mark.parametrize('variance', [0.04, 0.5, 9.0])
def test_sums_of_shifted_curves_are_largest_at_integers(variance):
    places = np.arange(-60, 61)
    sums = [np.exp(-((places - c) ** 2) / (2 * variance)).sum() for c in np.linspace(0, 1, 21)]
    assert max(sums) <= sums[0] * (1 + 1e-12)
    assert sums[0] >= math.sqrt(2 * math.pi * variance) * (1 - 1e-12)


@pytest.mark.parametrize('order', [1.01, 2, 17])
@pytest.mark.parametrize('shift', [1, 3])
@pytest.mark.parametrize('variance', [0.3, 4.0, 50.0])
def test_the_divergence_of_a_cell(variance, shift, order):
    with mpmath.workdps(50):
        log_total = mpmath.log(mpmath.fsum(curve(variance, 150)))
        terms = [
            mpmath.exp(-(order * x**2 + (1 - order) * (x - shift) ** 2) / (2 * variance))
            for x in range(-700, 700)
        ]
        divergence = (mpmath.log(mpmath.fsum(terms)) - log_total) / (order - 1)
        assert divergence <= order * shift**2 / (2 * variance) + 1e-9


# -- exponential.md ----------------------------------------------------------------------------


@pytest.mark.parametrize('epsilon', [0.1, 1.0, 6.0])
def test_bounded_range_costs_an_eighth(epsilon):
    """Two candidates attain the bound for small epsilons; without the half it breaks."""
    worst = max(
        _renyi(chance, epsilon, order) / order
        for chance in np.linspace(0.01, 0.99, 99)
        for order in (1.001, 2.0, 20.0)
    )
    assert worst <= epsilon**2 / 8
    assert worst > epsilon**2 / 8 * (0.99 if epsilon == 0.1 else 0.5)


def _renyi(chance, epsilon, order):
    """Return the divergence of two choices between two, with log-ratios epsilon apart."""
    first = np.array([chance, 1 - chance])
    second = first * np.exp([0, epsilon])
    second /= second.sum()
    return math.log((first**order * second ** (1 - order)).sum()) / (order - 1)


# -- threshold.md ------------------------------------------------------------------------------


@pytest.mark.parametrize('rows', [1, 4])
@pytest.mark.parametrize('delta', [1e-9, 1e-3, 0.4])
@pytest.mark.parametrize('rho', [Fraction(1, 2000), Fraction(1, 7), Fraction(8)])
def test_values_of_one_person_pass_as_rarely_as_is_said(rho, delta, rows):
    variance = float(gaussian_variance(rho, rows**2))
    least = threshold(math.sqrt(variance), delta, rows)
    magnitudes = np.arange(math.ceil(30 * math.sqrt(variance)) + 30.0)
    weights = np.exp(-(magnitudes**2) / (2 * variance))
    total = 2 * weights.sum() - 1

    def passes(count):
        return weights[magnitudes > least - count].sum() / total

    # All rows in one value, or one in each of several.
    assert passes(rows) <= delta / rows
    assert rows * passes(1) <= delta

    def passes_rounded(count):
        return norm.sf((math.floor(least - count) + 0.5) / math.sqrt(variance))

    assert passes_rounded(rows) <= delta / rows
    assert rows * passes_rounded(1) <= delta


@pytest.mark.parametrize('all_gaussian', [True, False])
def test_a_threshold_has_the_noise_that_its_ledger_adds_up(all_gaussian):
    """At a small sigma the two laws differ by much: noise is zero in 90 or in 99 of 100 cells."""
    ledger = Ledger(90.0, 1e-9, reserved_delta=5e-10, all_gaussian=all_gaussian)
    sigma = 0.3
    exact = dict.fromkeys(range(4000), 10**6)
    rho = ledger.shares(Fraction(1, 2) / Fraction(sigma) ** 2, [1.0])[0]
    found = frequent_values('c', exact, rho, 1e-10, 'learn domains', ledger, SystemEntropy())
    expected = 1 - 2 * norm.sf(0.5 / sigma) if all_gaussian else 0.9924
    assert np.mean([count == 10**6 for count in found.values()]) == pytest.approx(
        expected, abs=0.02
    )
    (line,) = ledger.debits
    assert line.mechanism.startswith('rounded' if all_gaussian else 'discrete')


# -- composition.md ----------------------------------------------------------------------------


def exact_delta(rho, epsilon):
    """Return the bound at the best of ever finer grids of orders; each of them is valid."""

    def bound(log_order):
        order = 1 + mpmath.exp(log_order)
        value = mpmath.exp((order - 1) * (order * rho - epsilon))
        return value * (1 - 1 / order) ** order / (order - 1)

    best, step = mpmath.mpf(10), mpmath.mpf(1)
    for _ in range(10):
        best = min((best + step * place for place in range(-25, 26)), key=bound)
        step /= 10
    return bound(best)


@pytest.mark.parametrize('epsilon', [1e-3, 0.1, 1.0, 10.0, 100.0])
@pytest.mark.parametrize('delta', [1e-30, 1e-9, 0.09])
def test_the_conversion_in_sixty_digits(epsilon, delta):
    rho = rho_of(epsilon, delta)
    with mpmath.workdps(60):
        exact = exact_delta(mpmath.mpf(rho.numerator) / rho.denominator, mpmath.mpf(epsilon))
        assert exact <= delta * (1 - 1e-9) * (1 + 1e-11)
        assert exact > delta * (1 - 1e-6)
        assert delta_of_rho(float(rho), epsilon) == pytest.approx(float(exact), rel=1e-11)


@pytest.mark.parametrize('order', [1.5, 2, 9])
def test_the_constant_of_the_conversion(order):
    gains = [(1 - math.exp(-u)) * math.exp(-(order - 1) * u) for u in np.linspace(0, 5, 5001)]
    constant = (1 - 1 / order) ** order / (order - 1)
    assert constant * (1 - 1e-5) < max(gains) <= constant * (1 + 1e-12)


@pytest.mark.parametrize('order', [1.1, 2.0, 12.0])
def test_a_share_that_depends_on_the_first_answer_costs_no_more(order):
    """Randomised response twice; the second has what the first, or its opposite, left over."""
    budget = 0.6

    def law(bit, epsilon):
        return np.array([1 - bit, bit]) * (math.exp(epsilon) - 1) / (1 + math.exp(epsilon)) + (
            1 / (1 + math.exp(epsilon))
        )

    def expected(second_shares):
        total = 0.0
        for one, two in itertools.product(range(2), repeat=2):
            epsilons = math.sqrt(2 * 0.2), math.sqrt(2 * second_shares[one])
            p, q = (law(b, epsilons[0])[one] * law(b, epsilons[1])[two] for b in (1, 0))
            total += p**order * q ** (1 - order)
        return math.log(total) / (order - 1)

    for shares in ([0.4, 0.1], [0.1, 0.4], [0.4, 0.4]):
        assert expected(shares) <= order * budget
    assert expected([0.4, 5.0]) > expected([0.4, 0.4])
