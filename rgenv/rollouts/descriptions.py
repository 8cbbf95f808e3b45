"""What each metric means: a sentence, and its formula where it is more than a count.

`docs/metrics.md` is generated from `DESCRIPTIONS`.

Formulas use these words. ``mean over a, b`` is the mean over all a of the mean over all b of one a,
so that each a has the same weight. ``[x]`` is 1 if x holds, else 0. A score is the verifier's; a
reward is what the trainer gets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Description:
    """The meaning of a metric.

    Attributes:
        text: one sentence.
        formula: what is averaged over what; empty for counts and current values.
    """

    text: str
    formula: str = ""


_OVER = "mean over groups, completions of"

_RATES = {
    "score": Description("Mean score of the verifier.", f"{_OVER} score"),
    "reward": Description(
        "Mean reward of the groups that are sent to the trainer.",
        "mean over groups whose rewards differ, completions of reward",
    ),
    "accuracy": Description("Share of solved completions.", f"{_OVER} [score >= 0.99]"),
    "format_rate": Description(
        "Share of completions with one answer in the required format, which the verifier read.",
        f"{_OVER} [verdict not in no_answer, too_large, rejected]",
    ),
    "truncation_rate": Description(
        "Share of completions that were cut at the token limit, with an answer or without.",
        f"{_OVER} [cut]",
    ),
    "informative_rate": Description(
        "Share of groups whose rewards differ.", "mean over groups of [rewards differ]"
    ),
    "informative_tokens": Description(
        "Share of completion tokens in groups whose rewards differ.",
        "tokens of groups whose rewards differ / tokens of all groups",
    ),
    "gradient_rate": Description(
        "Share of groups whose rewards differ among the completions that are not masked.",
        "mean over groups of [rewards of unmasked completions differ]",
    ),
    "gradient_tokens": Description(
        "Share of completion tokens that teach the model to prefer one completion to another.",
        "tokens of unmasked completions, in groups where their rewards differ / tokens of all "
        "groups",
    ),
}
_SCOPES = {"train": "", "train/<task>": "one task", "train/category/<category>": "one category"}


def _rate_descriptions() -> dict[str, Description]:
    return {
        f"{prefix}/{rate}": Description(
            f"{about.text[:-1]}, for {scope}." if scope else about.text, about.formula
        )
        for prefix, scope in _SCOPES.items()
        for rate, about in _RATES.items()
    }


_TRAINING = {
    **_rate_descriptions(),
    "train/percent_correct": Description(
        "Share of completions with a score of at least 0.5.", f"{_OVER} [score >= 0.5]"
    ),
    "train/format_cut_rate": Description(
        "Share of completions without an answer in the required format because they were cut.",
        f"{_OVER} [verdict is no_answer, and cut]",
    ),
    "train/format_rejected_rate": Description(
        "Share of completions with an answer that the verifier could not be given.",
        f"{_OVER} [verdict is too_large or rejected]",
    ),
    "train/format_broken_rate": Description(
        "Share of completions that ended without an answer in the required format.",
        f"{_OVER} [verdict is no_answer, and not cut]",
    ),
    "train/length_advantage": Description(
        "Share of all advantage that comes from the length penalty.",
        "sum of abs(advantage) in groups with a length penalty / sum in all groups; advantage = "
        "(reward - mean of the group) / standard deviation of the group, 0 if masked",
    ),
    "train/<task>/groups": Description("Scored groups of one task."),
    "train/failed_groups": Description(
        "Requests for a group that failed; the problem is asked again later."
    ),
    "train/items_given_up": Description(
        "Problems dropped after several failed requests while others worked."
    ),
    "train/generations_cancelled": Description(
        "Groups that Atropos cancelled before all completions came."
    ),
    "train/completions_unusable": Description(
        "Completions that were left out because no trainer can use them: token ids outside the "
        "model's vocabulary, log probabilities that are none, no token, or too many."
    ),
    "train/prompt_too_long": Description(
        "Problems that were asked although their prompt leaves no room for a completion."
    ),
    "train/skipped_too_long": Description(
        "Problems of the stream that were skipped because all that were drawn are too long."
    ),
    "train/not_made/timeout": Description(
        "Problems not served because the generator overran its time."
    ),
    "train/not_made/crashed": Description(
        "Problems not served because the generator ended its worker."
    ),
    "train/not_made/error": Description(
        "Problems not served because the generator raised an exception."
    ),
    "train/not_made/unwinnable": Description(
        "Problems not served because the verifier rejects the reference answer."
    ),
    "train/not_made/question_too_long": Description(
        "Problems not served because the prompt is too long; another one is drawn instead."
    ),
    "train/verifier_errors": Description("Answers on which a verifier raised an exception."),
    "train/groups_skipped": Description(
        "Groups that Atropos did not send: equal scores, or too long."
    ),
    "train/items_sent_to_api": Description("Groups that the rollout API accepted."),
    "train/groups_refused": Description("Groups that the rollout API rejected, since the start."),
    "train/groups_not_delivered": Description(
        "Groups lost because the rollout API was unavailable, since the start."
    ),
    "train/registered_again": Description("Registrations after the rollout API was restarted."),
    "train/dumps_waiting": Description("Groups that wait in memory for the disk."),
    "train/dumps_not_written": Description(
        "Groups missing from the dumps because the disk refused, since the start."
    ),
    "train/rollouts": Description("A table of recent completions with their rewards."),
}

_OTHERS = {
    "verdicts/<kind>": Description("Verdicts of one kind."),
    "verdicts/<task>/<kind>": Description(
        'Verdicts of one kind for one task, without the kind "scored".'
    ),
    "pool/worker_restarts": Description("Workers that were replaced, since the start."),
    "pool/malformed_replies": Description(
        "Workers that were replaced because they wrote what is no reply to a request, since the "
        "start."
    ),
    "status/groups_per_second": Description("Groups that were scored, per second."),
    "status/tokens_per_second": Description("Tokens of their completions, per second."),
    "status/groups_under_way": Description("Groups whose completions are under way now."),
    "status/most_groups_under_way": Description(
        "Groups whose completions may be under way: as many as the servers take, or "
        "max_num_workers."
    ),
    "status/queue": Description("Groups that wait for the trainer in the rollout API now."),
    "tokens/trained": Description(
        "Completion tokens that the trainer got, or the file of `process`, since the start of the "
        "run."
    ),
    "tokens/equal_rewards": Description(
        "Tokens of groups that were not sent because their rewards are equal."
    ),
    "tokens/too_long": Description(
        "Tokens of groups that were not sent because one completion reaches the trainer's limit."
    ),
    "tokens/refused": Description("Tokens of groups that the rollout API rejected."),
    "tokens/unusable": Description(
        "Tokens of completions that no trainer can use; train/completions_unusable counts them."
    ),
    "tokens/cancelled": Description(
        "Tokens of requests that we cancelled: for an evaluation with STOP_TRAIN, or after "
        "worker_timeout; an estimate."
    ),
    "tokens/broken_off": Description(
        "Tokens of requests that the server broke off, failed or answered with something of no "
        "use, and of groups that could not be scored; in part an estimate."
    ),
    "tokens/at_end": Description(
        "Tokens that were under way when the run, or a killed process of it, ended; in part an "
        "estimate."
    ),
    "tokens/evaluation": Description("Tokens of evaluations."),
    "tokens/trial": Description("Tokens asked at the start to see what the servers return."),
    "tokens/under_way": Description(
        "Tokens that are being written, scored or sent now; in part an estimate."
    ),
    "tokens/trained_share": Description(
        "Share of all tokens whose fate is known that the trainer got.",
        "tokens/trained / sum of the ten counts above, without tokens/under_way",
    ),
    "curriculum/total_tasks_tracked": Description("Tasks that have a level in the curriculum."),
    "curriculum/target_accuracy": Description("The accuracy that the curriculum aims at."),
    "curriculum/avg_complexity": Description(
        "Mean level over the tasks, in [0, 1].", "mean over tasks of level"
    ),
    "curriculum/min_complexity": Description("Lowest level of a task, in [0, 1]."),
    "curriculum/max_complexity": Description("Highest level of a task, in [0, 1]."),
}

_BY_PROBLEM = "mean over problems, completions of"

_EVALUATION = {
    "eval/accuracy": Description(
        "Share of solved completions; each problem has the same weight (micro).",
        f"{_BY_PROBLEM} [score >= 0.99]",
    ),
    "eval/macro_accuracy": Description(
        "Share of solved completions; each task has the same weight (macro).",
        "mean over tasks, problems, completions of [score >= 0.99]",
    ),
    "eval/blind_share": Description(
        "Share of the problems that the best blind policy solves: one constant answer, or a guess "
        "among a few.",
        "mean over problems of the blind share of their task and level",
    ),
    "eval/detectable_change": Description(
        "Change of `eval/accuracy` between two runs of this size that is found in 80 % of cases.",
        "sqrt(2) * (1.96 + 0.84) / 1.96 * half of the interval for these tasks",
    ),
    "eval/mean_score": Description("Mean score of the verifier.", f"{_BY_PROBLEM} score"),
    "eval/macro_mean_score": Description(
        "Mean score of the verifier; each task has the same weight (macro).",
        "mean over tasks, problems, completions of score",
    ),
    "eval/percent_correct": Description(
        "Share of completions with a score of at least 0.5.", f"{_BY_PROBLEM} [score >= 0.5]"
    ),
    "eval/pass@<k>": Description(
        "Chance that at least one of k completions solves the problem, where a request that failed "
        "counts as a completion that does not.",
        "mean over problems of 1 - C(n - c, k) / C(n, k), where c of n completions are solved",
    ),
    "eval/format_rate": Description(
        "Share of completions with one answer in the required format, which the verifier read.",
        f"{_BY_PROBLEM} [verdict not in no_answer, too_large, rejected]",
    ),
    "eval/format_cut_rate": Description(
        "Share of completions without an answer in the required format because they were cut.",
        f"{_BY_PROBLEM} [verdict is no_answer, and cut]",
    ),
    "eval/format_rejected_rate": Description(
        "Share of completions with an answer that the verifier could not be given.",
        f"{_BY_PROBLEM} [verdict is too_large or rejected]",
    ),
    "eval/format_broken_rate": Description(
        "Share of completions that ended without an answer in the required format.",
        f"{_BY_PROBLEM} [verdict is no_answer, and not cut]",
    ),
    "eval/truncation_rate": Description(
        "Share of completions that were cut at the token limit.", f"{_BY_PROBLEM} [cut]"
    ),
    "eval/mean_tokens": Description(
        "Mean length of a completion in tokens.", "mean over completions of tokens"
    ),
    "eval/items": Description("Problems in the evaluation."),
    "eval/completions": Description("Completions in the evaluation, failed requests included."),
    "eval/errors": Description("Completions without a score because their request failed."),
    "eval/verdicts/<kind>": Description("Verdicts of one kind."),
    "eval/verdicts/<task>/<kind>": Description(
        'Verdicts of one kind for one task, without the kind "scored".'
    ),
    "eval/category/<category>/accuracy": Description(
        "Accuracy of one category.", f"{_BY_PROBLEM} [score >= 0.99]"
    ),
    "eval/category/<category>/blind_share": Description(
        "Share of the problems that the best blind policy solves, for one category.",
        "mean over problems of the blind share of their task and level",
    ),
    "eval/category/<category>/mean_score": Description(
        "Mean score of one category.", f"{_BY_PROBLEM} score"
    ),
    "eval/level/<level>/accuracy": Description(
        "Accuracy at one level.", f"{_BY_PROBLEM} [score >= 0.99]"
    ),
    "eval/level/<level>/blind_share": Description(
        "Share of the problems that the best blind policy solves, for one level.",
        "mean over problems of the blind share of their task and level",
    ),
    "eval/level/<level>/mean_score": Description(
        "Mean score at one level.", f"{_BY_PROBLEM} score"
    ),
    "eval/<task>/accuracy": Description("Accuracy of one task.", f"{_BY_PROBLEM} [score >= 0.99]"),
    "eval/<task>/blind_share": Description(
        "Share of the problems that the best blind policy solves, for one task.",
        "mean over problems of the blind share of their task and level",
    ),
    "eval/<task>/mean_score": Description("Mean score of one task.", f"{_BY_PROBLEM} score"),
    "eval/few_families/accuracy": Description(
        "Accuracy of the tasks and levels with at most one family for two problems.",
        f"{_BY_PROBLEM} [score >= 0.99]",
    ),
    "eval/few_families/blind_share": Description(
        "Share of the problems that the best blind policy solves, for these tasks and levels.",
        "mean over problems of the blind share of their task and level",
    ),
    "eval/few_families/mean_score": Description(
        "Mean score of these tasks and levels.", f"{_BY_PROBLEM} score"
    ),
}

DESCRIPTIONS: Mapping[str, Description] = {**_TRAINING, **_OTHERS, **_EVALUATION}
"""Metric -> its meaning.

A word in angle brackets stands for any name. Training metrics count from one report to the next
unless the sentence says otherwise. Of an evaluation's accuracies, mean scores and pass@k there are
also ``_low`` and ``_high``: the ends of a 95 % interval.
"""
