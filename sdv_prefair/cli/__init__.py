"""The command line: ``sdv-prefair demo | domain | check | plan | roles | fit | sample | ...``.

Usage errors end with one line on standard error and exit code 2, never with a traceback; no file
is left incomplete.
"""

import argparse
import sys
import warnings
from collections.abc import Sequence
from typing import TextIO

from sdv_prefair.cli._parser import make_parser
from sdv_prefair.cli._standard_streams import standard_streams

__all__ = ['main']


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 0, 1 if a check found something, or 2 for usage errors."""
    try:
        given = sys.argv[1:] if arguments is None else arguments
        options = make_parser().parse_args(_with_conditions_whole(given))
        # Importing this package does not import SDV, which must be imported before our modules.
        import sdv  # noqa: F401

        return _run(options)
    except KeyboardInterrupt:
        _write(sys.stderr, 'sdv-prefair: interrupted')
        return 130


def _with_conditions_whole(arguments: Sequence[str]) -> list[str]:
    """Return arguments in which ``--where -x=1`` is one: argparse takes '-x=1' for an option."""
    whole: list[str] = []
    for argument in arguments:
        if whole and whole[-1] == '--where':
            whole[-1] = f'--where={argument}'
        else:
            whole.append(argument)
    return whole


def _run(options: argparse.Namespace) -> int:
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        # Advice for notebooks: the command line reads metadata from a file already.
        warnings.filterwarnings('ignore', message='We strongly recommend saving the metadata')
        try:
            # A file or a pipe has no use for progress bars.
            options.quiet = getattr(options, 'quiet', False) or not sys.stderr.isatty()
            with standard_streams(options) as rows_are_output:
                return options.run(options, _remark if rows_are_output else _say) or 0
        except BrokenPipeError:  # the reader of the output has closed the pipe
            sys.stderr.close()
        except Exception as error:
            if not _is_of_user(error):
                raise
            _write(sys.stderr, f'sdv-prefair: {_in_one_line(error)}')
            return 2
    return 0


def _is_of_user(error: Exception) -> bool:
    from sdv.cag._errors import ConstraintNotMetError
    from sdv.errors import InvalidDataError, SamplingError, SynthesizerInputError
    from sdv.metadata.errors import InvalidMetadataError

    of_sdv = SynthesizerInputError, InvalidDataError, InvalidMetadataError, SamplingError
    return isinstance(error, (*of_sdv, ConstraintNotMetError, ValueError, OSError))


def _in_one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:  # raised by the system, not by us
        place = '' if error.filename is None else f"'{error.filename}': "
        return f'{place}{error.strerror}. Correct the path, or the rights to it.'
    lines = [' '.join(line.split()) for line in str(error).splitlines() if line.strip()]
    # SDV writes headings and lists, with no full stop after a heading.
    return ' '.join([*(f'{i}:' if i[-1].isalnum() else i for i in lines[:-1]), *lines[-1:]])


def _say(line: str) -> None:
    _write(sys.stdout, line)


def _remark(line: str) -> None:
    _write(sys.stderr, line)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    _write(sys.stderr, f'warning: {" ".join(str(message).split())}')


def _write(stream: TextIO, line: str) -> None:
    """Write a line; characters that the terminal cannot show become question marks."""
    letters = stream.encoding or 'utf-8'
    stream.write(line.encode(letters, 'replace').decode(letters) + '\n')
    stream.flush()
