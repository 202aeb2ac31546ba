"""Wrong use of the command line is one line on standard error, and nothing more."""

import pytest
from message_catalogue import command_files, verification
from message_catalogue.command_line import COMMANDS, Command, arguments, files
from message_catalogue.message import FOLDER

from sdv_prefair.cli import main

# In argparse's own words, but for the end.
USAGE = {
    '': 'sdv-prefair: the following arguments are required: command',
    'fit': 'sdv-prefair fit: the following arguments are required: data, --metadata, --out',
    'fit x --metadata m --out o --epsilon much': (
        "sdv-prefair fit: argument --epsilon: invalid float value: 'much'"
    ),
    'fit x --metadata m --out o --learn-ranges --ranges-are-public': (
        'sdv-prefair fit: argument --ranges-are-public: not allowed with argument --learn-ranges'
    ),
}


VERIFYING = [message for message in verification.MESSAGES if isinstance(message, Command)]


@pytest.mark.parametrize(
    'command', [*COMMANDS, *command_files.MESSAGES, *VERIFYING], ids=lambda command: command.line
)
def test_an_error_is_one_line(command, capsys):
    before = sorted(files().iterdir())
    assert main(arguments(command.line)) == 2
    shown = capsys.readouterr()
    assert shown.err.replace(str(FOLDER), 'FOLDER') == f'sdv-prefair: {command.text}\n'
    assert not shown.out
    assert sorted(files().iterdir()) == before


def test_an_error_of_the_system_is_one_line_with_a_remedy(capsys):
    line = 'evaluate {f} --real {f}/people.csv --metadata {f}'
    assert main(arguments(line)) == 2
    assert capsys.readouterr().err.replace(str(FOLDER), 'FOLDER') == (
        "sdv-prefair: 'FOLDER/cli': Is a directory. Correct the path, or the rights to it.\n"
    )


@pytest.mark.parametrize('line', USAGE)
def test_usage(line, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments(line))
    assert stopped.value.code == 2
    command = ' '.join(['sdv-prefair', *line.split()[:1]])
    assert capsys.readouterr().err == f'{USAGE[line]}. See {command} --help.\n'
