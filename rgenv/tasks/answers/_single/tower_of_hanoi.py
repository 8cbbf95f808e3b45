"""Moves of disks."""

from __future__ import annotations

import re

from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.answers.lists import items
from rgenv.tasks.answers.moves import Moves
from rgenv.tasks.answers.notation import plain_signs
from rgenv.tasks.entry import Entry

_DISK = re.compile(r"move disk (\d{1,3}) from peg (\d{1,3}) to peg (\d{1,3})", re.ASCII | re.I)


class DiskMoves(Moves):
    """Moves such as ``move disk 1 from peg 3 to peg 2`` in any form of a list."""

    separator = "\n"

    def read(self, text: str, entry: Entry) -> str | None:
        found = items(plain_signs(text), _DISK.fullmatch) or []
        return "\n".join(f"Move disk {m[1]} from Peg {m[2]} to Peg {m[3]}" for m in found) or None

    def forms(self, reference: str, question: str) -> Forms:
        lines = reference.split("\n")
        numbered = list(enumerate(lines, 1))
        return {
            "numbered": "\n".join(f"{number}. {line}" for number, line in numbered),
            "numbered with brackets": "\n".join(f"{number}) {line}" for number, line in numbered),
            "bullets": "\n".join(f"- {line}" for line in lines),
            "stars": "\n".join(f"* {line}" for line in lines),
            "full stops": "\n".join(f"{line}." for line in lines),
            "CRLF": "\r\n".join(lines),
            "space at line ends": "\n".join(f"{line} " for line in lines),
            "blank lines": "\n\n".join(lines),
            "lower case": reference.lower(),
        }
