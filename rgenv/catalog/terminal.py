"""How text is laid out where it is printed: width and emphasis.

::

    layout = layout_of(sys.stdout, os.environ)
    print(layout.bold("arithmetic"))

A terminal has a width, and bold headings unless the variable NO_COLOR is set. A file or a pipe has
neither: one line for each task, which grep can search.
"""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

NARROWEST = 60
"""Lines are not made shorter than this."""


@dataclass(frozen=True)
class Layout:
    """Where text is printed.

    Attributes:
        width: characters of a line; None: any number.
        is_emphatic: whether headings are bold.
    """

    width: int | None = None
    is_emphatic: bool = False

    def bold(self, text: str) -> str:
        """Return a heading."""
        return f"\x1b[1m{text}\x1b[0m" if self.is_emphatic else text

    def hanging(self, head: str, text: str) -> str:
        """Return `head` and `text`, whose further lines are below its first."""
        if self.width is None:
            return f"{head}{text}".rstrip()
        room = max(self.width, NARROWEST) - len(head)
        lines = textwrap.wrap(text, max(room, 20), break_on_hyphens=False) or [""]
        return f"\n{' ' * len(head)}".join([f"{head}{lines[0]}".rstrip(), *lines[1:]])


def layout_of(stream: TextIO, environment: Mapping[str, str]) -> Layout:
    """Return the layout for a stream."""
    if not stream.isatty():
        return Layout()
    plain = environment.get("NO_COLOR") or environment.get("TERM") == "dumb"
    return Layout(shutil.get_terminal_size((80, 24)).columns, not plain)
