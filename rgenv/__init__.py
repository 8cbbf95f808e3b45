"""reasoning-gym's tasks as training problems with rewards that can be trusted.

Packages, in the order of a problem's life; each one's docstring is the map of its files::

    dataset/      what is asked next
    pool/         makes problems and scores answers in child processes: the parent's side
    worker/       the child's side; the only package that imports reasoning_gym and sympy
    rollouts/     from a completion to a reward, a metric and a line in a dump
    evaluation/   a fixed set of problems, answered once
    validation/   tasks and verifiers, checked without a model
    storage/      files that survive kill -9
    runtime/      start, end, waiting, progress, facts about the host
    atropos/      the only package that imports atroposlib and wandb

    types.py      the values that travel: Problem, Rollout, Verdict, Group, Sample
    errors.py     every exception that a caller may see
    tasks.py      which tasks there are, and choosing among them
    text.py       tables, names of levels, exceptions in one line

Imports point down: `tests/repository/test_repository.py` holds the two walls (worker and atropos)
and finds circles. `reasoning_gym_environment.py` has the class that Atropos drives.

Example::

    async with WorkerPool(workers=2) as pool:
        problem = await pool.make("chain_sum", seed=7)
        [verdict] = await pool.score(problem, ["4"])
"""
