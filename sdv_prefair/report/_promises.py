"""What is promised, in the words of the person who has to sign for it."""

from xml.etree.ElementTree import Element

from sdv_prefair.privacy._curve_words import at_most, attacks, delta_in_words, members_in_words
from sdv_prefair.privacy._ledger_words import GDP, ZCDP
from sdv_prefair.report._elements import (
    Content,
    code,
    facts_list,
    note,
    num,
    paragraph,
    section,
    strong,
    table,
    tag,
)
from sdv_prefair.report._facts import Facts
from sdv_prefair.report._fairness_promise import fairness_promise
from sdv_prefair.report._words import short

_ADDED_UP = {
    ZCDP: 'Zero-concentrated differential privacy (zCDP), which bounds the sum for any kind of '
    'noise.',
    GDP: 'Gaussian differential privacy (GDP): all noise is Gaussian, and its sum is '
    'known exactly.',
}


def promises_section(facts: Facts) -> Element:
    """Return what is promised about privacy and about fairness."""
    privacy = tag('h3', 'Privacy'), *_privacy(facts)
    fairness = tag('h3', 'Fairness'), *fairness_promise(facts)
    return section('promises', 'What is promised', privacy, fairness)


def _privacy(facts: Facts) -> list[Content]:
    promise = facts.promise
    if not facts.is_private:
        return [
            note(
                'warning',
                strong('Nothing. This fit is not private. '),
                'It was made with a seed, and anyone who knows the seed can compute the noise and '
                'subtract it. Such a fit is for experiments; what follows describes what it would '
                'promise without a seed.',
            ),
            _privacy_numbers(promise, facts),
        ]
    return [
        paragraph(
            'The release is ',
            strong(f'({short(promise["epsilon"])}, {short(promise["delta"])})'),
            '-differentially private. The release is the fitted model, every row that is ever '
            'sampled from it, and this page as long as nothing on it is marked not private.',
        ),
        paragraph(
            'In plain words: take someone who wants to find out whether ',
            _unit(promise),
            ' in the table, thinks yes and no equally likely, knows everything else, and studies '
            'the release for as long as they like. They will be right at most ',
            strong(at_most(facts.curve.guess())),
            ' of the time. A coin is right 50 % of the time. ',
            members_in_words(facts.curve),
        ),
        _privacy_numbers(promise, facts),
        _attacks(facts),
    ]


def _unit(promise: dict) -> str:
    rows = promise['max_rows_per_person']
    return 'one given row is' if rows == 1 else f'the up to {rows} rows of one given person are'


def _privacy_numbers(promise: dict, facts: Facts) -> Element:
    rows = promise['max_rows_per_person']
    person = facts.parameters['person_column']
    if person is not None:
        bound = [code(str(person)), f' identifies persons; at most {rows} rows of each count.']
    else:
        bound = [
            'No column that identifies persons was named. That nobody has more than ',
            f'{rows} row{"" if rows == 1 else "s"} is an assumption of whoever made the fit.',
        ]
    return facts_list([
        ('epsilon', [short(promise['epsilon']), '; smaller is more private.']),
        ('delta', [short(promise['delta']), '; smaller is more private.']),
        ('Together', delta_in_words(facts.curve, promise['epsilon'], promise['delta'])),
        ('rho, mu', _budget(facts)),
        ('Added up by', _ADDED_UP[promise['accounting']]),
        ('Neighbouring tables', f'Those that differ when you {promise["neighbours"]}.'),
        ('Unit of privacy', ['One row. ' if rows == 1 else 'One person. ', bound]),
    ])  # fmt: skip


def _budget(facts: Facts) -> str:
    curve = facts.curve
    if not curve.all_gaussian:
        return f'rho = {short(curve.rho)} of zCDP; the figures here are bounds that follow from it.'
    return f'mu = {short(curve.mu)} of GDP; rho = mu\u00b2/2 = {short(facts.promise["rho"])}.'


def _attacks(facts: Facts) -> list[Content]:
    rows = [
        (name, num(at_most(baseline)), num(at_most(success)))
        for name, baseline, success in attacks(facts.curve)
    ]
    header = ('Attack', 'Succeeds anyway', 'With the release, at most')
    return [
        table('Attacks on a person, and how often they can succeed', header, rows),
        paragraph(
            'The second column is the chance of success with a release made without this '
            "person's rows, taken as an example; the third follows from it. Whoever attacks may "
            'know all other rows.'
        ),
    ]
