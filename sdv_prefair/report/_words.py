"""Numbers and lists in words."""

from collections.abc import Iterable, Sequence


def listed(names: Iterable[object], conjunction: str = 'and') -> str:
    """Return names as in a sentence: ``a, b and c``."""
    texts = [str(name) for name in names]
    if len(texts) < 2:
        return ''.join(texts)
    return f'{", ".join(texts[:-1])} {conjunction} {texts[-1]}'


def percent(share: float, decimals: int = 1) -> str:
    """Return a share in per cent."""
    return f'{100 * share:.{decimals}f} %'


def whole(number: float) -> str:
    """Return a count with thousands separators."""
    return f'{number:,.0f}'


def short(number: float) -> str:
    """Return a number with three significant digits."""
    return f'{number:.3g}'.replace('e-0', 'e-').replace('e+0', 'e+')


def counted(count: int, singular: str, plural: str | None = None) -> str:
    """Return a count with its noun."""
    return f'{count:,} {singular if count == 1 else plural or singular + "s"}'


def some_of(names: Sequence[object], most: int = 4) -> str:
    """Return the names, or how many there are if they are more than ``most``."""
    return ', '.join(map(str, names)) if len(names) <= most else f'{len(names)} columns'
