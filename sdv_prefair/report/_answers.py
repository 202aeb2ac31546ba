"""What signers and regulators ask about a release, question by question.

The questions are those of NIST SP 800-226, OpenDP's deployments registry, the AI Act (article 10),
the Article 29 Working Party, the ICO and Croissant. What the software does not know is told by
people, or left as a line to fill in.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sdv_prefair.privacy._curve import at_most
from sdv_prefair.report._facts import Facts
from sdv_prefair.report._particulars import ABOUT, Particulars
from sdv_prefair.report._words import counted, listed, percent, short

_DELTAS = (1e-12, 1e-9, 1e-7, 1e-5)
PROOFS = ('composition', 'gaussian_composition', 'threshold', 'histogram', 'scores',
          'exponential', 'samplers', 'curve')  # fmt: skip
_ADDED_UP = {
    'GDP': 'Gaussian DP over all lines of the ledger, by a filter with a total fixed in advance',
    'zCDP': 'zero-concentrated DP over all lines of the ledger, by a filter with a total fixed in '
    'advance',
}


class Answer(NamedTuple):
    """A question and its answer; None is a line to fill in.

    Attributes:
        topic: The part it belongs to.
        key: A name for programs.
        question: What is asked.
        text: The answer.
    """

    topic: str
    key: str
    question: str
    text: str | None


def answers(facts: Facts, with_replicates: bool = True) -> list[Answer]:
    """Return all questions with their answers, in the order of the page.

    Args:
        facts: What the page is made from.
        with_replicates: Whether to answer those for which the model is replicated.
    """
    told = facts.told
    topics = {
        'Release': _release(facts, told),
        'Use': _use(facts, told),
        'Privacy': _privacy(facts, told),
        'How it was made': _making(facts, told),
        'Accuracy and fairness': _fairness(facts, told, with_replicates),
        'Responsibility': _responsibility(told),
    }
    return [
        Answer(topic, key, question, text)
        for topic, found in topics.items()
        for key, question, text in found
    ]


_Found = Iterator[tuple[str, str, str | None]]


def _told(told: Particulars, *keys: str) -> _Found:
    yield from ((key, ABOUT[key], told.get(key)) for key in keys)


def _release(facts: Facts, told: Particulars) -> _Found:
    files = facts.files
    yield 'release', 'Release', files.release_id
    yield from _told(told, 'version', 'supersedes', 'curator', 'curator_type', 'published')
    yield 'fitted', 'Fitted', f'{facts.fitted_on}, {facts.fitted_with}'
    digests = {'release': files.release, 'rows': files.synthetic_digest}
    known = '; '.join(f'SHA-256 of the {name}: {value}' for name, value in digests.items() if value)
    signed = 'This page carries no digital signature.'
    yield 'integrity', 'Integrity', f'{known}. {signed}' if known else signed


def _use(facts: Facts, told: Particulars) -> _Found:
    yield from _told(told, 'purpose', 'analyses')
    pairs = len(facts.edges)
    yield (
        'valid_analyses',
        'What it preserves',
        f'The {counted(len(facts.modelled), "column")} modelled, each on its own, and '
        f'{counted(pairs, "pair")} of them that the model joins; estimates with intervals come '
        'from the release itself (sdv-prefair estimate). Other combinations are as the joined '
        'pairs imply.',
    )
    yield from _told(told, 'unfit_uses', 'recipient', 'access')
    yield from _told(told, 'source', 'population', 'period', 'region', 'sector')


def _privacy(facts: Facts, told: Particulars) -> _Found:
    promise, curve = facts.promise, facts.curve
    if not facts.is_private:
        yield 'dp_variant', 'Differential privacy', 'None: the noise comes from a known seed.'
        return
    epsilon, delta = promise['epsilon'], promise['delta']
    yield 'dp_variant', 'Differential privacy', 'Approximate: (epsilon, delta)'
    yield 'parameters', 'Parameters', f'epsilon = {short(epsilon)}, delta = {short(delta)}'
    mu = f', mu = {short(curve.mu)}' if curve.all_gaussian else ''
    at = ', '.join(
        f'{short(curve.epsilon_at(d))} at {short(d)}' for d in _DELTAS if d > curve.reserved_delta
    )
    budget = f'rho = {short(promise["rho"])} ({promise["accounting"]}){mu}'
    yield 'curve', 'The whole curve', f'{budget}. epsilon for other deltas: {at or "none"}.'
    yield 'delta', 'What they mean', facts.delta_in_words
    yield 'risk', 'Risk', f'{facts.guess_in_words} {facts.members_in_words}'
    bounds = '; '.join(
        f'{name}: at most {at_most(success)}, instead of {at_most(baseline)}'
        for name, baseline, success in facts.attacks
    )
    yield 'attack_bounds', 'Singling out, linkability, inference, reconstruction', f'{bounds}.'
    yield from _told(told, 'attacks')
    rows = promise['max_rows_per_person']
    yield 'unit', 'Unit of privacy', 'one row' if rows == 1 else f'one person, up to {rows} rows'
    yield (
        'neighbours',
        'Neighbouring tables',
        f'not empty, and one is the other after you {promise["neighbours"]}; if '
        f'{"a row is" if rows == 1 else "these are"} replaced instead, epsilon is '
        f'{short(promise["epsilon_if_replace_one"])}',
    )
    person = facts.person_column
    enforced = (
        f'by the software, by the column {person}; further rows were dropped'
        if person is not None
        else 'assumed by whoever made the fit'
    )
    yield 'rows_per_person', 'Rows of a person', f'at most {rows}, {enforced}'
    yield (
        'unprotected',
        'What is not protected',
        'Names and types of columns, ranges and values taken as public, and that the table is not '
        'empty and was accepted. '
        + (
            'This copy also has numbers computed on the real table, which are marked not private.'
            if facts.measured is not None
            else 'No statistic of the rows is released without noise.'
        ),
    )
    public = listed(facts.assumed_public) or 'none'
    yield 'domain', 'Domain', f'Ranges: {promise["ranges"]}. Columns taken as public: {public}.'
    yield from _told(told, 'declared_by')
    yield 'model', 'Deployment model', 'Central: the rows are known to whoever fitted.'
    yield from _told(told, 'actors')
    attempts = counted(promise['attempts'], 'attempt')
    total = promise['epsilon_all_attempts']
    whole = 'no guarantee' if total is None else f'epsilon {short(total)}'
    yield (
        'releases',
        'One release or many',
        f'{attempts} in the account of this release: {whole} in all.',
    )
    yield from _told(told, 'plans')
    yield 'interaction', 'Static or interactive', 'Static table; nobody queries it interactively.'


def _making(facts: Facts, told: Particulars) -> _Found:
    accounting = facts.promise['accounting']
    yield 'composition', 'Composition', f'{_ADDED_UP[accounting]}.'
    yield (
        'post_processing',
        'Post-processing',
        'Merging of rare codes, shrinkage, estimation of the model (Private-PGM), sampling, '
        'drawing values of codes, error bars, this page.',
    )
    learnt = [column.name for column in facts.modelled if column.is_learnt]
    from_rows = f'Learnt within the budget: {listed(learnt)}. ' if learnt else ''
    yield (
        'preprocessing',
        'Preprocessing and tuning',
        f'{from_rows}Every answer that the fit had about the rows is a line of the ledger.',
    )
    yield from _told(told, 'choices')
    lines = '; '.join(
        f'{one.step}: {counted(one.lines, "line")} of {one.mechanism}' for one in facts.steps[:-1]
    )
    yield 'mechanisms', 'Mechanisms', f'{lines}.'
    yield 'software', 'Software', f'{facts.fitted_with}.'
    yield (
        'implementation',
        'Numbers and side channels',
        'Counts and noise are integers, and no floating-point noise is added. The noise was drawn '
        f'from {"the operating system" if facts.is_private else "a known seed"}. Timing and memory '
        'are not protected.',
    )
    yield from _told(told, 'security', 'rationale')
    yield (
        'evidence',
        'Evidence',
        f'Proofs beside the code: {", ".join(PROOFS)}; tests by their names.',
    )
    yield from _told(told, 'audits')
    sigma = [scale for scale, noise in zip(facts.ledger['scale'], facts.ledger['mechanism'],
             strict=True) if 'Gaussian' in noise and 'scores' not in noise]  # fmt: skip
    noise = f'sigma from {short(min(sigma))} to {short(max(sigma))} rows' if sigma else 'none'
    yield (
        'noise',
        'Noise',
        f'{noise}; line by line in the annex, with intervals for each share',
    )


def _fairness(facts: Facts, told: Particulars, with_replicates: bool) -> _Found:
    fair = '; '.join(map(str, facts.roles.statements)) if facts.is_fair else 'None is promised'
    yield 'fairness', 'Fairness', f'{fair}.'
    yield from _told(told, 'admissible')
    found = facts.explanation.copies_in_words()
    yield 'proxies', 'Proxies and copies', f'{found}; all figures in the annex on proxies.'
    if with_replicates:
        yield 'gaps', 'Differences that remain', f'{_gaps(facts) or "none was computed"}.'
        yield 'smallest_groups', 'Accuracy by group', _smallest(facts)
    yield from _told(told, 'biases')


def _gaps(facts: Facts) -> str:
    return '; '.join(
        f'{gap.outcome} {gap.value} by {gap.protected}: {percent(gap.gap)} '
        f'({percent(gap.lower)} to {percent(gap.upper)})'
        if gap.is_tied
        else f'{gap.outcome} by {gap.protected}: none, the model does not connect them'
        for gap in facts.gaps
    )


def _smallest(facts: Facts) -> str:
    """Return the smallest group of each protected column, and how far off its share may be."""
    found = [_smallest_of(facts, c.name) for c in facts.modelled if c.name in facts.roles.protected]
    return '; '.join(filter(None, found)) or 'none'


def _smallest_of(facts: Facts, column: str) -> str | None:
    shares = facts.intervals[column]
    held = shares[shares['estimate'] > 0]
    if held.empty:
        return None
    place = int(np.argmin(held['estimate'].to_numpy()))
    line, group = held.iloc[place], held.index[place]
    return (
        f'{column}: the smallest group is {"null" if group is None else group}, '
        f'{percent(line["estimate"])} of rows ({percent(line["lower"])} to '
        f'{percent(line["upper"])})'
    )


def _responsibility(told: Particulars) -> _Found:
    yield from _told(told, 'legal_basis', 'special_categories', 'retention', 'contact')
    yield (
        'recompute',
        'Can others check it',
        'Whoever has the release can: sdv-prefair verify recomputes ledger, noise scales, fairness '
        'and record, and compares rows with the model. That noise was random cannot be checked.',
    )
    yield (
        'machine_readable',
        'For programs',
        "The release carries, in record.json, a record of OpenDP's deployments registry, Croissant "
        'metadata, the DpEvent of the fit, and this page as JSON; sdv-prefair report --record '
        'writes them with what people have told.',
    )
