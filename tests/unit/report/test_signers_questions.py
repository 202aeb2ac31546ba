"""What a person who signs a release must be able to read, field by field, and where it is.

The fields are those of NIST SP 800-226, OpenDP's deployments registry, a privacy label by experts,
the AI Act (article 10), the Article 29 Working Party, the ICO, the EDPB and Croissant. Of
``_answers.py``, ``_particulars.py`` and the templates.
"""

import pytest

from sdv_prefair.report import Facts
from sdv_prefair.report._answers import answers
from sdv_prefair.report._particulars import ABOUT, described_files

# For each field the questions that answer it, and whether all of it is answered. What is a key of
# ``ABOUT`` is a line for its owner: told by people, or left to be filled in.
FIELDS = {
    'identity of the release, version, what it supersedes': ('release', 'version', 'supersedes'),
    'curator': ('curator', 'curator_type'),
    'intended use': ('purpose',),
    'uses it is unfit for': ('unfit_uses',),
    'recipients, access conditions, licence': ('recipient', 'access'),
    'population, period, source of the private table': ('population', 'period', 'source'),
    'legal basis, impact assessment': ('legal_basis',),
    'region whose law applies, sector': ('region', 'sector'),
    'date of publication, not of the fit': ('published', 'fitted'),
    'DP variant by its common name': ('dp_variant',),
    'epsilon, delta': ('parameters',),
    'rho or mu, and the whole curve': ('curve',),
    'what delta means': ('delta',),
    'operational risk: advantage, true positives at stated false positives': ('risk',),
    'privacy unit in words': ('unit',),
    'adjacency, precisely; cost if a row is replaced': ('neighbours',),
    'rows per person; who enforces it': ('rows_per_person',),
    'unprotected quantities': ('unprotected',),
    'data domain and who declared it': ('domain', 'declared_by'),
    'deployment model, actors and trust in each': ('model', 'actors'),
    'one release or many; plans; total over all': ('releases', 'plans'),
    'static or dynamic, interactive or not': ('interaction',),
    'composition rule': ('composition',),
    'post-processing': ('post_processing',),
    'preprocessing, exploration, tuning': ('preprocessing', 'choices'),
    'mechanisms, line by line': ('mechanisms',),
    'libraries and versions, code reference': ('software',),
    'floating point, randomness, timing channels': ('implementation',),
    'security of the private data, access control': ('security',),
    'rationale of epsilon and of each choice': ('rationale',),
    'evidence: proofs, tests, audits, by id': ('evidence', 'audits'),
    'noise per statistic, intervals': ('noise',),
    'which analyses are valid, which not': ('valid_analyses', 'analyses'),
    'accuracy by group, smallest groups named': ('smallest_groups',),
    'systemic and human bias in the source': ('biases',),
    'fairness statement, formal and plain': ('fairness',),
    'why each admissible column is admissible, and who decided': ('admissible',),
    'proxies and copies': ('proxies',),
    'gaps that remain, with intervals': ('gaps',),
    'special categories, article 10(5) a to f': ('special_categories',),
    'singling out, linkability, inference': ('attack_bounds',),
    'empirical attacks run, their control and power': ('attacks',),
    'integrity: hashes; digital signature': ('integrity',),
    'can a third party recompute it, and how': ('recompute',),
    'machine-readable twin': ('machine_readable',),
    'retention, updates, withdrawal, contact': ('retention', 'contact'),
}
PARTLY = {
    'libraries and versions, code reference': 'versions, but no reference to the code',
    'integrity: hashes; digital signature': 'hashes, but no signature; the page says so',
}


@pytest.fixture(scope='module')
def found(fitted):
    files = described_files(fitted.get_release_digest())
    return {answer.key: answer for answer in answers(Facts(fitted, files=files))}


def test_at_least_38_of_46_fields_are_on_the_page(found):
    assert len(FIELDS) == 46
    answered = [field for field, keys in FIELDS.items() if set(keys) <= set(found)]
    assert len(set(answered) - set(PARTLY)) >= 38
    assert set(answered) == set(FIELDS), 'and the others in part'


def test_what_the_software_knows_it_says_and_the_rest_is_a_line_to_fill_in(found, page):
    section = page.section('answers')['text']
    for keys in FIELDS.values():
        for key in keys:
            assert (found[key].text is None) == (key in ABOUT)
            assert found[key].question in section
            assert found[key].text is None or found[key].text in section
    lines = [e for e in page.with_class('blank') if page.section('answers')['at'] in e['inside']]
    assert len(lines) == len(ABOUT)


def test_every_question_of_the_page_answers_a_field(found):
    assert set(found) == {key for keys in FIELDS.values() for key in keys}


@pytest.mark.parametrize(
    ('key', 'words'),
    [
        ('risk', 'A test that takes 1 in 1,000 others for members finds at most'),
        ('curve', 'epsilon for other deltas'),
        ('neighbours', 'not empty'),
        ('neighbours', 'if a row is replaced'),
        ('attack_bounds', 'Singling out'),
        ('attack_bounds', 'Linkability'),
        ('attack_bounds', 'Attribute inference'),
        ('attack_bounds', 'Reconstruction'),
        ('integrity', 'no digital signature'),
        ('smallest_groups', 'the smallest group is'),
        ('implementation', 'Timing and memory are not protected'),
        ('machine_readable', 'record.json'),
    ],
)  # fmt: skip
def test_an_answer_says_what_is_asked(found, key, words):
    assert words in found[key].text


def test_what_depends_on_looking_at_the_rows_is_to_be_confirmed(page):
    signing = page.section('signing')['text']
    assert 'Roles, epsilon, bins and whatever else was chosen were not chosen by looking' in signing
