"""docs/metrics.md: each metric has a meaning, and a case computed by hand."""

import re
from collections.abc import Sequence

import pytest

from rgenv.atropos.wandb_logging import curriculum_metrics
from rgenv.evaluation.eval_metrics import metrics as evaluation_metrics
from rgenv.measured import blind_share
from rgenv.rollouts.group import score_group
from rgenv.rollouts.metrics import Fates, TrainMetrics
from rgenv.rollouts.recorder import Dumps, GroupRecorder
from rgenv.task_names import KNOWN_TASKS
from rgenv.types import Group, Kind, ProblemKey, Verdict
from tests.support import rollouts as made
from tests.support.paths import ROOT
from tests.support.rollouts import problem, rollout
from tests.support.samples import sample

BUDGET = 100
Completion = tuple[float, Kind, int, str]
"""Score, kind of the verdict, tokens, finish reason."""


def scored(task: str, completions: Sequence[Completion]) -> Group:
    asked = problem(7, task)
    rollouts = [
        rollout(
            asked,
            tokens=[1] * (length + 1),
            masks=[-100] + [1] * length,
            logprobs=[1.0] + [-0.1] * length,
            finish_reason=reason,
            budget=BUDGET,
        )
        for _, _, length, reason in completions
    ]
    return score_group(rollouts, [Verdict(score, kind) for score, kind, _, _ in completions])


TEN_RIGHT: Completion = (1.0, "scored", 10, "stop")
HALF, REJECTED = (0.5, "scored", 20, "stop"), (0.0, "rejected", 30, "stop")
# rewards 1, 0.5, 0, 0; the last one is masked
MIXED = scored("gcd", [TEN_RIGHT, HALF, REJECTED, (0.0, "no_answer", 40, "length")])
WRONG = scored("gcd", [(0.0, "no_answer", 25, "stop"), *[(0.0, "scored", 25, "stop")] * 3])
LONG = scored("lcm", [TEN_RIGHT] * 3 + [(1.0, "scored", BUDGET, "stop")])  # rewards 1, 1, 1, 0.5
CUT = scored("maze", [TEN_RIGHT] * 3 + [(0.0, "no_answer", BUDGET, "length")])


def training_metrics() -> dict[str, float]:
    metrics = TrainMetrics({"gcd": "arithmetic", "lcm": "arithmetic", "maze": "games"})
    dumps = Dumps(None, None, threshold=0.7, version="0.1.25", run_id="1f3a")
    recorder = GroupRecorder(metrics, lambda *observed: None, dumps)
    for group in (MIXED, WRONG, LONG, CUT):
        recorder.record(group)
    metrics.count("completions_unusable")
    metrics.count("skipped_too_long")
    return metrics.take()


TRAINING = {
    "train/completions_unusable": 1,
    "train/skipped_too_long": 1,
    # the mean over the groups MIXED, WRONG, LONG, CUT, in this order
    "train/score": (0.375 + 0 + 1 + 0.75) / 4,
    "train/reward": (0.5 + 0.875) / 2,
    "train/accuracy": (0.25 + 0 + 1 + 0.75) / 4,
    "train/format_rate": (0.5 + 0.75 + 1 + 0.75) / 4,
    "train/truncation_rate": (0.25 + 0 + 0 + 0.25) / 4,
    "train/informative_rate": 2 / 4,
    "train/informative_tokens": (100 + 130) / 460,
    "train/gradient_tokens": (60 + 130) / 460,
    "train/percent_correct": (0.5 + 0 + 1 + 0.75) / 4,
    "train/format_cut_rate": (0.25 + 0 + 0 + 0.25) / 4,
    "train/format_rejected_rate": 0.25 / 4,
    "train/format_broken_rate": 0.25 / 4,
    # deviations from the mean: 0.5, 0, -0.5 (masked: 0); 0.125 thrice and -0.375
    "train/length_advantage": 12**0.5 / (8**0.5 + 12**0.5),
    # MIXED and WRONG
    "train/gcd/groups": 2,
    "train/gcd/score": 0.375 / 2,
    # MIXED, WRONG and LONG
    "train/category/arithmetic/score": (0.375 + 0 + 1) / 3,
    "train/category/arithmetic/informative_tokens": (100 + 130) / 330,
    "verdicts/no_answer": 3,
    "verdicts/gcd/no_answer": 2,
}
CURRICULUM = {
    "curriculum/total_tasks_tracked": 2,
    "curriculum/target_accuracy": 0.7,
    "curriculum/avg_complexity": 0.4,
    "curriculum/max_complexity": 0.6,
}
SAMPLES = [
    sample("gcd", 0, 1.0, level=0.0),
    sample("gcd", 0, 0.5, level=0.0, index=1),
    sample("gcd", 1, 0.0, level=1.0, verdict="no_answer", finish_reason="length"),
    sample("gcd", 1, 0.0, level=1.0, index=1, completion_tokens=60, verdict="rejected"),
    sample("maze", 0, 1.0),
    sample("maze", 0, None, index=1),
]
ASKED = [("gcd", 0.0), ("gcd", 1.0), ("maze", None)]
EVALUATION = {
    # the mean over the two problems of gcd and the one of maze, in this order
    "eval/accuracy": (0.5 + 0 + 1) / 3,
    "eval/macro_accuracy": (0.25 + 1) / 2,
    "eval/blind_share": sum(blind_share(*one) for one in ASKED) / 3,
    "eval/mean_score": (0.75 + 0 + 1) / 3,
    "eval/macro_mean_score": (0.375 + 1) / 2,
    "eval/percent_correct": (1 + 0 + 1) / 3,
    "eval/pass@2": (1 + 0 + 1) / 3,
    "eval/pass@1": (0.5 + 0 + 0.5) / 3,  # the failed completion of maze counts
    "eval/format_rate": (1 + 0 + 1) / 3,
    "eval/format_rejected_rate": (0 + 0.5 + 0) / 3,
    "eval/format_broken_rate": 0,
    "eval/truncation_rate": (0 + 0.5 + 0) / 3,
    "eval/mean_tokens": (4 * 10 + 60) / 5,
    "eval/items": 3,
    "eval/completions": 6,
    "eval/errors": 1,
    "eval/verdicts/scored": 3,
    "eval/verdicts/gcd/no_answer": 1,
    "eval/category/arithmetic/accuracy": 0.25,
    "eval/level/0/blind_share": blind_share("gcd", 0.0),
    "eval/gcd/accuracy": 0.25,
}
ALIKE = [
    sample("gcd", 0, 1.0, family=5),
    sample("gcd", 1, 0.5, family=5),
    sample("maze", 0, 1.0, family=6),
]
FEW_FAMILIES = {
    # the two problems of gcd, which are of one family
    "eval/few_families/accuracy": 0.5,
    "eval/few_families/mean_score": 0.75,
    "eval/few_families/blind_share": blind_share("gcd", None),
}
TOKENS = {
    "tokens/trained": 6,
    "tokens/equal_rewards": 2,
    "tokens/too_long": 0,
    "tokens/refused": 2,
    "tokens/trained_share": 0.6,
}
CASES = {**TRAINING, **CURRICULUM, **EVALUATION, **FEW_FAMILIES, **TOKENS}


def fates_metrics() -> dict[str, float]:
    done = list[ProblemKey]()
    fates = Fates(done.append)
    for size, fate in ((1, "trained"), (2, "trained"), (1, "equal_rewards"), (1, "refused")):
        each = made.group(problem(), [1.0] * size)
        fates.scored(each)
        fates.settle(each.group_id, fate)
        fates.settle(each.group_id, "too_long")  # which was settled before
    assert done == [problem().key] * 4
    return fates.metrics()


PAGE = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
DESCRIBED = re.findall(r"^\| `([a-z]+/[^`]+)` \|", PAGE, re.MULTILINE)
"""The metrics that have a row."""
COPIES = re.compile(rf"(category/[^/]+|level/[^/]+|{'|'.join(KNOWN_TASKS)})/")
"""What a metric of one task, category or level has in its name; the page tells of it once."""


def pattern_of(name: str) -> str | None:
    """Return the row of docs/metrics.md that explains a logged metric; None if none does."""
    plain = re.sub("_(low|high)$", "", name)
    for one in (plain, COPIES.sub("", plain, count=1)):
        for pattern in DESCRIBED:
            parts = re.split("<[^>]+>", pattern)
            if re.fullmatch("[^/]+".join(map(re.escape, parts)), one):
                return pattern
        if f"`{one}`" in PAGE or f"`{one.rpartition('/')[2]}`" in PAGE:
            return one  # named in the row of another metric
    return None


def test_each_metric_is_what_its_formula_says_and_is_described() -> None:
    computed = {
        **training_metrics(),
        **curriculum_metrics({"gcd": 0.2, "lcm": 0.6}, 0.7),
        **evaluation_metrics(ALIKE),
        **evaluation_metrics(SAMPLES),
        **fates_metrics(),
    }
    assert {name: computed[name] for name in CASES} == pytest.approx(CASES)
    assert [name for name in computed if pattern_of(name) is None] == []
