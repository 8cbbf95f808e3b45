"""The room behind the door: plain Python that knows reasoning-gym and nothing of Atropos.

Read it in the order of one item's road::

    flags.py       the command line as it is meant
    surroundings.py  what has to be there before anything starts
    problems.py    Problem, the list of tasks, how users choose among them
    difficulty.py  at which level the next problem of a task is made
    sampling.py    which task promises different rewards
    stream.py      which problem item n is; prompts asked before, prompts kept back
    balance.py     no answer more often than others
    supply.py      items made ahead of demand
    scoring.py     ScoringPool: makes problems and scores answers in child processes
    process.py       one child, seen from its parent
    worker.py        the child program; reasoning-gym is imported there and only there
    quick.py         slow searches of the library, done quicker
    lean.py          what it does not import
    shelf.py         data sets that are dear to make, used again
    cell.py          what the operating system does not let the child do
    guard.py         what a verifier is never handed
    expressions.py   literals and mathematical expressions, read without running them
    levels.py        level in [0, 1] -> task parameters, by levels.json
    labels.py        answers of the library that are wrong, put right
      logic_labels.py  what follows from sentences
      number_labels.py   sums, equations, dates
      puzzle_labels.py   boards, cards, buttons
    verifiers/       ours, for tasks whose own verifier can be fooled: exact.py where equal texts
                     count, sums.py numbers.py times.py words.py logic.py grids.py moves.py by
                     what is asked, shared.py for all
    oracles.py       a right answer where the library keeps none; for `validate`
    answers.py     system prompt, messages, the one answer of a completion
    groups.py      the completions of one problem and what became of each
    rewards.py     length penalty, what kind of group this was
    rollouts.py    groups on disk
    journal.py       a file that survives kill -9 and full disks
    delivery.py    groups on their way to the rollout API
    retries.py     items that failed and are asked again
    garbage.py     when the event loop stops for the collector
    ending.py      signals, and the end of a command
    evalset.py     the evaluation set on disk
    evaluator.py   asks every item of an evaluation
    samples.py     its answers on disk, to go on from
    progress.py    a bar, or lines now and then
    evaluation.py  the numbers of an evaluation
    report.py      tables and plots of results
    results.py     what an evaluation leaves beside its answers
    page.py        an evaluation as one HTML file to read, page.html.j2
    metrics.py     what happened since the last report
    checkpoints.py files that continue a run

    homeloop.py    a loop of its own, for callers whose loops come and go

The command `validate` stands beside that road::

    validate_cli.py  its options, progress and files
    probing.py     asks about a task: right, wrong, junk and constant answers
    validation.py  what was measured, and whether that is healthy
    findings.py    the table, the page docs/TASKS.md, JSON
    redump.py      saved rollouts, scored again

Example::

    pool = ScoringPool(workers=2)
    await pool.start()
    problem = await pool.make("chain_sum", seed=7)
    [verdict] = await pool.score(problem, ["4"])

Not here: prompts' chat templates, tokens, servers, wandb (see reasoning_gym_environment.py).
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent / "reasoning-gym"
"""Where `git submodule update --init` puts reasoning-gym; empty in most clones."""


class MissingReasoningGym(RuntimeError):
    """Neither the submodule nor the installed package is there."""


def reasoning_gym_path(checkout: Path = CHECKOUT) -> str | None:
    """The folder to put first on a worker's import path, or None for the installed package.

    A checked-out submodule wins over the package, so that one can work on reasoning-gym itself.

    Raises:
        MissingReasoningGym: with both remedies in its one sentence.
    """
    if (checkout / "reasoning_gym" / "__init__.py").is_file():
        return str(checkout)
    if importlib.util.find_spec("reasoning_gym") is not None:
        return None
    raise MissingReasoningGym(
        "reasoning-gym is missing: run `pip install reasoning-gym==0.1.25`, or check the "
        "submodule out with `git submodule update --init reasoning-gym`."
    )
