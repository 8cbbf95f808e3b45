"""Words drawn in large letters."""

from __future__ import annotations

from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.answers.texts import Text
from rgenv.tasks.entry import Entry


class DrawnWord(Text):
    """A word in either case; spaces between its letters are the verifier's business."""

    def read(self, text: str, entry: Entry) -> str | None:
        return text

    def forms(self, reference: str, question: str) -> Forms:
        return {"lower case": reference.lower(), "upper case": reference.upper()}
