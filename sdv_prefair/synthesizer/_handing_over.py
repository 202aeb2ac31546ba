"""Sharing a fit: as a file, with a page to sign, and checking what was received."""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import pandas as pd

from sdv_prefair._atomic_write import check_place
from sdv_prefair.encoding._frame_schema import single_table
from sdv_prefair.errors import FairnessWarning, PrivacyWarning, ReleaseError
from sdv_prefair.release import Contents, Released, digest_of, open_release, write_release
from sdv_prefair.release._verified import Verification
from sdv_prefair.release._verifying import verify_table
from sdv_prefair.synthesizer import _state as state
from sdv_prefair.synthesizer._after_fit import AfterFit, Frames


class HandingOver(AfterFit):
    """A fitted synthesizer that can be shared."""

    _file_digest: str | None = None
    """SHA-256 of the file that the fit was loaded from."""

    def save_release(self, path: str | Path) -> None:
        """Save the fit as data without code, safe to share; see ``release``."""
        write_release(self._released(), path, type(self))

    def _released(self) -> Released:
        return Released(self.get_parameters(), self.fitted, self._account, self._creation_date)

    @classmethod
    def load_release(cls, path: str | Path) -> Self:
        """Return the synthesizer of a file that ``save_release`` wrote, here or elsewhere."""
        return open_release(path, cls)

    @classmethod
    def of_release(cls, contents: Contents, digest: str | None = None) -> Self:
        """Return the synthesizer that a release describes; for ``load_release``.

        Args:
            contents: The contents of the release.
            digest: The SHA-256 of its file.
        """
        with warnings.catch_warnings():
            # The person who fitted it was warned; the ledger's footer and get_info have it.
            warnings.simplefilter('ignore', PrivacyWarning)
            warnings.simplefilter('ignore', FairnessWarning)
            synthesizer = cls(contents.metadata, **contents.parameters(cls))
            synthesizer.add_constraints(contents.constraints)
            found = contents.fit_by(synthesizer._settings)
        synthesizer.__dict__.update(state.of_release(*found, digest))
        return synthesizer

    def get_release_digest(self) -> str | None:
        """Return the SHA-256 of the release, in hexadecimal digits.

        It is that of the file the fit was loaded from, or of the one that ``save_release`` would
        write; None if the fit cannot be saved as a release.
        """
        if self._file_digest is not None:
            return self._file_digest
        try:
            return digest_of(self._released())
        except ReleaseError:
            return None

    def verify_rows(self, data: pd.DataFrame | Frames) -> Verification:
        """Check that rows came from this fit: columns, values and distribution.

        Rows that sampling again reproduces came from it. Others are tested against the
        model's marginals: rows of the model fail with a probability of about 0.001. Rows that pass
        may still come from elsewhere, and rows sampled under conditions, or selected from a
        sample, fail.

        Args:
            data: The synthetic rows to check.

        Returns:
            The checks that were made; true.

        Raises:
            VerificationError: If a check fails; it says which.
        """
        name = self.fitted.settings.table_name
        rows = single_table({name: data} if isinstance(data, pd.DataFrame) else data, name)
        return verify_table(self, rows).or_raise()

    def create_release_report(
        self,
        real_data: Frames | None = None,
        path: str | Path = 'report.html',
        *,
        show_real_numbers: bool = False,
        compare_with_mst: bool = False,
        synthetic_file: str | Path | None = None,
        purpose: str | None = None,
        recipient: str | None = None,
        contact: str | None = None,
        source: str | None = None,
        declared_by: str | None = None,
        about: Mapping[str, Any] | None = None,
        record: str | Path | None = None,
    ) -> None:
        """Write one HTML file for the person who must sign the release.

        The first page is the one to sign; annexes say what is promised and what is not, and show
        the graph, the ledger, and how noisy the measurements are. It needs no network, and
        is covered by the privacy guarantee unless numbers computed on the real table are requested;
        these are marked as not private.

        Args:
            real_data: The private table; not read unless ``show_real_numbers`` is set.
            path: Where to write. An existing file is replaced.
            show_real_numbers: Whether to measure quality and fairness against ``real_data``. Such
                a report is for those who may see the private table.
            compare_with_mst: Whether to fit plain MST to ``real_data`` as well, and to compare.
            synthetic_file: The file of synthetic rows that goes with the release: its SHA-256 and
                its number of rows are written on the page.
            purpose: What the release is for. This and what follows are for people to read.
            recipient: Who gets it.
            contact: Whom to ask about it.
            source: Where the private table comes from.
            declared_by: Who declared the ranges that were taken as public.
            about: All that only people know, by the keys that the command line's documentation
                lists, such as ``{'legal_basis': ..., 'admissible': {'education': why}}``.
            record: Where to write the same for programs, as JSON: a record of OpenDP's
                deployments registry, Croissant, the ``DpEvent`` of the fit, and the page.
        """
        # Imports the metrics and scikit-learn, which nothing else here needs.
        from sdv_prefair.report import Facts, gather, write_report
        from sdv_prefair.report._measured import check_request, measure
        from sdv_prefair.report._particulars import Particulars, described_files

        gather(self)  # or raises, before anything is written
        check_place(Path(path))
        check_request(real_data, show_real_numbers, compare_with_mst)
        named = {
            'purpose': purpose,
            'recipient': recipient,
            'contact': contact,
            'source': source,
            'declared_by': declared_by,
        }
        told = Particulars(named).with_more(about)
        if record is not None:
            check_place(Path(record))
        files = described_files(self.get_release_digest(), synthetic_file)
        measured = None
        if show_real_numbers and real_data is not None:
            measured = measure(self, real_data, compare_with_mst)
        write_report(Facts(self, told, files, measured), path, record)
