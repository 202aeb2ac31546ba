"""A small census, and the report on a fit of it."""

import warnings

from html_page import Page

from sdv_prefair import PreFairSynthesizer, PrivacyWarning


def make(dataset, **changes):
    arguments = {'public_ranges': True} | dataset.roles.as_dict() | changes
    synthesizer = PreFairSynthesizer(dataset.metadata, **arguments)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', PrivacyWarning)
        synthesizer.fit(dataset.data)
    return synthesizer


def report(synthesizer, folder, *arguments, **options):
    synthesizer.create_release_report(*arguments, path=folder / 'report.html', **options)
    return Page((folder / 'report.html').read_text(encoding='utf-8'))
