"""The results of a validation with the check ids of OpenEnv's RFC 008.

The checks that need an image, a served environment or a reference model are not ours to answer, and
are left out, as the RFC asks. Its adversarial floor (`statistical.adversarial_floor`) has no
procedure yet: ours is the panel of programs that do not solve the task, from a constant to a forest
(programs.py), and is a candidate for it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from rgenv.validation.health import FLOOR, MAX_SHORTCUT, RULES, WRONG_LIMIT, TaskReport

SCHEMA, POLICY = "1", "v1"

CHECKS: Mapping[str, tuple[str, ...]] = {
    "runtime.task_declaration_accuracy": ("record", "made"),
    "runtime.seed_control": ("remake",),
    "semantic.replayability": ("remake",),
    "semantic.oracle_max": ("oracle",),
    "semantic.floor_gap": ("wrong", "near"),
    "semantic.canary_floor": ("junk",),
    "statistical.adversarial_floor": ("blind", "constant", "shortcut"),
    "rgenv.recall": ("form",),
    "rgenv.work_rises": ("work",),
}
"""Id of a check -> our rules that decide it. Those that begin with ``rgenv`` are additions."""

OPERATOR = "statistical."
"""Checks whose ids begin so belong to the lane of operators: authors answer them voluntarily."""


def report(reports: Sequence[TaskReport], *, target: str) -> dict[str, Any]:
    """Return the report of a validation, JSON-able."""
    results = [_result(check, rules, reports) for check, rules in CHECKS.items()]
    failed = any(result["status"] == "fail" for result in results)
    return {
        "report_schema_version": SCHEMA,
        "target": target,
        "policy_version": POLICY,
        "lane": "local",
        "results": results,
        "verdict": "fail" if failed else "pass",
    }


def _result(check: str, rules: Sequence[str], reports: Sequence[TaskReport]) -> dict[str, Any]:
    faults = [
        (report, fault) for report in reports for fault in report.faults if fault.rule in rules
    ]
    accepted = [
        f"{one.task}: {fault}; accepted: {one.accepted[fault.rule]}"
        for one, fault in faults
        if fault.rule in one.accepted
    ]
    failed = [f"{one.task}: {fault}" for one, fault in faults if fault.rule not in one.accepted]
    return {
        "check_id": check,
        "lane": "operator" if check.startswith(OPERATOR) else "local",
        "status": "fail" if failed else "pass",
        "measured": {"tasks": len(reports), **_measured(check, reports)},
        "evidence": failed + accepted,
        "remediation": "; ".join(RULES[rule] for rule in rules) if failed else "",
    }


def _measured(check: str, reports: Sequence[TaskReport]) -> dict[str, float]:
    """Return the numbers of one check, at the worst problem or level of all tasks."""
    problems = [problem for one in reports for problem in one.problems]
    levels = [level for one in reports for level in one.levels]
    match check:
        case "semantic.oracle_max":
            scores = [p.reference_score for p in problems if p.reference_score is not None]
            return {"problems": len(scores), "least_oracle_reward": min(scores, default=1.0)}
        case "semantic.floor_gap":
            wrong = [one.score for p in problems for one in p.wrong if not one.right]
            return {"wrong_answers": len(wrong), "declared_margin": 1 - WRONG_LIMIT}
        case "semantic.canary_floor":
            junk = [one.score for p in problems for one in p.junk]
            floor = max(junk, default=0.0)
            return {"canaries": len(junk), "measured_floor": floor, "declared_floor": FLOOR}
        case "statistical.adversarial_floor":
            beyond = max((level.beyond for level in levels), default=0.0)
            return {"most_beyond_top_answer": round(beyond, 4), "declared_limit": MAX_SHORTCUT}
        case "rgenv.recall":
            forms = [form for level in levels for form in level.forms]
            refused = sum(len(level.refused) for level in levels)
            return {"forms": len(forms), "recall": 1 - refused / max(1, len(forms))}
    return {"problems": len(problems)}
