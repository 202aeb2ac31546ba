"""With ``--json`` a command prints one JSON object and nothing else, with the same in it."""

import json

import pytest
from people import people

from sdv_prefair import load_release
from sdv_prefair.cli import main
from sdv_prefair.fair_metadata import FairMetadata

PEOPLE = people(300)


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp('json')
    PEOPLE.frame.to_csv(folder / 'people.csv', index=False)
    metadata = FairMetadata.from_metadata(PEOPLE.metadata, PEOPLE.roles)
    metadata.save_to_json(str(folder / 'metadata.json'))
    return folder


@pytest.fixture
def printed(folder, capsys):
    """Return a function that runs a command and reads its output as JSON."""

    def run(line, code=0):
        arguments = [part.format(f=folder) for part in line.split()]
        assert main([*arguments, '--json']) == code
        return json.loads(capsys.readouterr().out, parse_constant=pytest.fail)

    return run


FIT = 'fit {f}/people.csv --metadata {f}/metadata.json --out {f}/x.prefair --ranges-are-public'


def test_commands_before_a_fit(printed):
    found = printed('check {f}/people.csv --metadata {f}/metadata.json')
    assert (found['private'], found['num_rows']) == (False, 300)
    roles = printed('roles {f}/people.csv --metadata {f}/metadata.json')
    assert {line['column'] for line in roles['columns']} >= {'sex', 'education', 'income'}
    plan = printed('plan --metadata {f}/metadata.json --rows 300 --max-guess 55%')
    assert plan['risks'][0]['guess'] == pytest.approx(0.55, abs=1e-6)
    assert {line['verdict'] for line in plan['columns']} <= {'clear', 'noisy', 'swamped by noise'}


def test_a_fit_and_its_release(printed, folder):
    told = printed(f'{FIT} --quiet')
    footer = load_release(folder / 'x.prefair').get_privacy_ledger().attrs
    assert told['promise'] == json.loads(json.dumps(footer))
    assert sum(told['rho_by_step'].values()) == pytest.approx(footer['rho'])
    assert told['fairness'] == ['income is independent of sex given education']
    answers = printed('estimate {f}/x.prefair income --quiet')['answers']
    assert {line['income'] for line in answers} == {'low', 'high'}
    checked = printed('verify {f}/x.prefair')
    assert checked['verified'] and all(check['passed'] for check in checked['checks'])
    assert not printed('verify {f}/people.csv', code=1)['verified']
