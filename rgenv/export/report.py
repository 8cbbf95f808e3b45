"""Say what was written and what was left out, in plain words."""

from collections import Counter
from dataclasses import dataclass, field

from rgenv.export.choice import Rules
from rgenv.text import level_name


@dataclass
class Report:
    """Counts for the last line of the command.

    Attributes:
        groups: in the files.
        rows: that were written, of so many problems.
        left_out: reason -> number of what `_reasons` names.
    """

    rules: Rules
    groups: int = 0
    rows: int = 0
    problems: int = 0
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def summary(self) -> str:
        """What was left out and why; empty if nothing was."""
        words = self._reasons()
        found = [f"{self.left_out[r]:,} {words[r]}" for r in words if self.left_out[r]]
        return f"Left out: {'; '.join(found)}." if found else ""

    def _reasons(self) -> dict[str, str]:
        least = level_name(self.rules.min_score)
        spread = level_name(self.rules.min_score_spread)
        return {
            "samples": "samples of evaluations",
            "held out": "groups whose problem is held out for evaluation",
            "unknown": "groups whose recipe does not make their question with this version, so "
            "that it may be held out",
            "filtered": "groups of other tasks or levels",
            "no_texts": "groups without texts (`process` saves them with include_messages, "
            "`serve` with dump_rollouts)",
            "other_roles": "groups whose messages are not of a user and, at the end, an assistant",
            "low": f"groups in which no completion scores {least}",
            "equal": f"groups without a completion that scores {spread} less than their best",
            "again": "further groups of the same problems",
            "superseded": "groups whose problems their run asked again",
            "copies": "groups that are in two files",
            "cut": "completions that were cut at the token limit",
            "failed": "completions whose verifier failed",
            "unjudged": "completions without verdict or finish reason, which the files of other "
            "programs lack (metadata)",
            "empty": "completions without text",
            "changed": "groups whose file changed meanwhile",
            "unfinished": "lines that are still being written",
            "foreign": "lines that are no groups",
            "unreadable": "files that can't be read",
        }
