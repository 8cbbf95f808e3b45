"""The rules that a healthy task keeps: names, limits, identifiers and remedies.

Example::

    CHECK_IDS["oracle"]    # "semantic.oracle_max"

Not here: what keeps or breaks a rule (health.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

FULL_MARKS = 1.0 - 1e-9
"""The lowest score that counts as 1.0."""
WRONG_LIMIT = 0.5
"""Wrong answers must score less than this."""
FLOOR = 0.05
"""The highest score that junk may get, and the highest that counts as a score for any attempt."""
MAX_EXCESS = 0.02
"""The maximum by which a constant's mean score may exceed the share of problems it is right for."""
MAX_FAILED = 0.1
"""The share of a level's problems whose generation may fail; the stream skips them."""
MAX_RIGHT_BY_CHANCE = 0.5
"""The share of wrong answers of a kind in `RIGHT_ONLY_BY_CHANCE` that may be right."""

RIGHT_ONLY_BY_CHANCE = ("other", "digit", "prefix")
"""Kinds of wrong answers that can't be right for most problems. In a set, a swap or a drop can."""

MIN_RECALL = 0.98
"""The lowest share of other forms of right answers that must earn 1.0."""
MAX_SHORTCUT = 0.15
"""The maximum by which a shortcut may solve more problems than the top answer."""
MAX_TOP_ANSWER = 0.6
"""The highest share of problems that have one reference answer."""
MAX_TELL = 0.1
"""The maximum by which a classifier of the question's surface may beat the top answer."""

Rule = Literal[
    "oracle",
    "form",
    "wrong",
    "near",
    "junk",
    "blind",
    "shortcut",
    "constant",
    "tell",
    "work",
    "remake",
    "made",
]
"""The rules, as the output names them. `oracle` is about reference answers. `near` is `wrong` for a
long answer with one part changed and a score below 1.0: verifiers that grade by parts do this on
purpose."""

CHECK_IDS: Mapping[Rule, str] = {
    "oracle": "semantic.oracle_max",
    "form": "rgenv.other_forms",
    "wrong": "semantic.canary_floor",
    "near": "rgenv.near_misses",
    "junk": "semantic.floor_gap",
    "blind": "statistical.gameability_gap",
    "shortcut": "statistical.adversarial_floor",
    "constant": "rgenv.constant_share",
    "tell": "semantic.no_solution_leakage",
    "work": "statistical.difficulty_separation",
    "remake": "semantic.replayability",
    "made": "runtime.task_declaration_accuracy",
}
"""Rule -> the identifier of the check in reports: that of OpenEnv's RFC 008 where it has one."""

REMEDIES: Mapping[Rule, str] = {
    "oracle": "Correct the reference answer (worker/labels) or the verifier (worker/verifiers).",
    "form": "Teach the reader of the answer's kind this form (tasks/answers).",
    "wrong": "Replace the verifier by one that compares values (worker/verifiers).",
    "near": "Lower the partial credit of the verifier (worker/verifiers).",
    "junk": "Let the verifier refuse what is no answer of the task's kind (tasks/answers).",
    "blind": "Give no partial credit for what a constant reaches (worker/verifiers).",
    "shortcut": "Change the level's parameters (worker/levels.json), or add the rule to "
    "worker/shortcuts, so that other problems are drawn.",
    "constant": "Change the level's parameters, or add the answer to LABELS (worker/selection.py).",
    "tell": "Let both answers have questions that look alike (worker/labels/surfaces).",
    "work": "Fit the level's parameters by the measured work (worker/levels.json).",
    "remake": "Find what the problem depends on besides its recipe, and leave such problems out.",
    "made": "Read the reason, and choose parameters that the generator can serve.",
}
"""Rule -> what to do about a fault."""
