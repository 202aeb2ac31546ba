"""What a mutant is: a mistake that somebody could make, and the tests that must see it."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Edit:
    """Text of the package that is replaced; it must stand in its file exactly once."""

    file: str
    old: str
    new: str

    def applied_to(self, text: str) -> str:
        """Return the text with the edit, or raise if it does not stand there exactly once."""
        found = text.count(self.old)
        if found != 1:
            raise LookupError(f'{self.file} holds this {found} times, not once: {self.old!r}')
        return text.replace(self.old, self.new)


@dataclass(frozen=True)
class Mutant:
    """A mistake in the package, and the tests of which one must fail."""

    name: str
    edits: tuple[Edit, ...]
    tests: tuple[str, ...]

    def changed_files(self, package: Path) -> dict[Path, str]:
        """Return the text of each file that the edits change, by path inside the package."""
        texts = {}
        for edit in self.edits:
            path = Path(edit.file)
            text = texts.get(path) or (package / path).read_text('utf-8')
            texts[path] = edit.applied_to(text)
        return texts


def mutant(name: str, file: str, old: str, new: str, *tests: str) -> Mutant:
    """Return a mutant of one edit."""
    return Mutant(name, (Edit(file, old, new),), tests)
