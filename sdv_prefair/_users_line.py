"""The line that a warning points at: that of the user's code which caused it."""

import sys
from types import FrameType

_INSIDE = ('sdv_prefair', 'sdv')


def users_line() -> int:
    """Return the ``stacklevel`` of a warning that the calling function is about to give.

    Python shows a warning once for the line that it points at. If that were a line of this package,
    a second fit would say nothing.
    """
    frame: FrameType | None = sys._getframe(1)
    level = outermost = 1
    while frame is not None:
        if frame.f_globals.get('__name__', '').partition('.')[0] in _INSIDE:
            outermost = level
        frame, level = frame.f_back, level + 1
    return outermost + 1
