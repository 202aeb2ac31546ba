"""Every error and warning that a user can meet: how it is provoked, and its text.

A module for each area holds a list ``MESSAGES``. Texts are whole, but for the folder of files.
"""

from message_catalogue import (
    arguments,
    command_files,
    command_line,
    constraints,
    counts,
    domains,
    estimates,
    fair_metadata,
    frames,
    measures,
    releases_columns,
    releases_files,
    releases_models,
    releases_saved,
    sampling,
    statements_files,
    statements_given,
    structures,
    table_files,
    tables,
    verification,
    warned,
)

AREAS = (
    *(arguments, structures, domains, frames, tables, table_files, counts),
    *(constraints, sampling, estimates, statements_given),
    *(releases_saved, releases_files, releases_columns, releases_models),
    *(measures, fair_metadata, statements_files, command_line, command_files, warned),
    verification,
)
MESSAGES = {
    f'{area.__name__.rpartition(".")[2]}-{number}': message
    for area in AREAS
    for number, message in enumerate(area.MESSAGES)
}
