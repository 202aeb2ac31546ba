"""What is refused of roles that live in the metadata, and of what is measured by them."""

from message_catalogue.arguments import PEOPLE, new
from message_catalogue.message import Message
from sdv_prefair import FairMetadata, PreFairSynthesizer, evaluate_fairness
from sdv_prefair.errors import RolesError
from sdv_prefair.fairness import demographic_parity


def with_roles():
    return FairMetadata.from_metadata(PEOPLE.metadata, PEOPLE.roles)


MESSAGES = [
    Message(
        lambda: FairMetadata.from_metadata('people.json'),
        RolesError,
        "metadata must be SDV's Metadata, not str.",
        'Load a file with FairMetadata.load_from_json, a dictionary with '
        'FairMetadata.load_from_dict.',
    ),
    Message(
        lambda: with_roles().remove_column('income', 'people'),
        RolesError,
        "The column 'income' has the role outcome.",
        'Set the roles without it using set_roles or set_fairness, then remove it.',
    ),
    Message(
        lambda: PreFairSynthesizer(
            with_roles(), **PEOPLE.roles | {'outcome': ['wage']}, public_ranges=True
        ),
        RolesError,
        "The arguments and the metadata disagree on the roles of ['income', 'wage'].",
        'Leave the arguments out to take the roles of the metadata, or change those with '
        'set_roles.',
    ),
    Message(
        lambda: PreFairSynthesizer(
            with_roles(), fairness=demographic_parity(['sex'], ['income']), public_ranges=True
        ),
        RolesError,
        'The arguments and the metadata disagree on the fairness statements.',
        'Leave the arguments out to take those of the metadata, or change these with set_fairness.',
    ),
    Message(
        lambda: evaluate_fairness(PEOPLE.data, PEOPLE.data, new().get_metadata()),
        RolesError,
        'evaluate_fairness needs roles.',
        "Pass FairMetadata with roles, or roles={'protected': [...], 'admissible': [...], "
        "'outcome': [...]}.",
    ),
]
