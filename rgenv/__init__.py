"""Training problems, rewards and evaluation for the tasks of reasoning-gym.

The packages, in the order in which a problem passes through them. The docstring of each package
lists its files::

    dataset/      chooses the task, level and seed of the next problem
    pool/         makes problems and scores answers in worker processes: the parent's side
    worker/       the worker process; the only package that imports reasoning_gym and sympy
    rollouts/     completions: answers, rewards, metrics, saved rollouts
    evaluation/   asks for a fixed set of held-out problems, and writes a report
    viewing/      shows what a run saved as an HTML page
    validation/   checks tasks and verifiers without a model
    storage/      writes files that survive kill -9 and full disks
    runtime/      start, shutdown, retries, progress, facts about the host
    atropos/      the adapter to Atropos; the only package that imports atroposlib and wandb

    types.py      Problem, Rollout, Verdict, Group, Sample
    errors.py     exceptions and exit codes
    tasks.py      the list of tasks, and selecting tasks and levels
    secrets.py    keeps keys and passwords out of logs and files
    text.py       formats tables, names of levels, and exceptions

`tests/repository/test_repository.py` checks that no other package imports what only worker/ or
atropos/ may import, and that there is no import cycle. `reasoning_gym_environment.py` has the class
that Atropos calls.

Example::

    async with WorkerPool(workers=2) as pool:
        problem = await pool.make("chain_sum", seed=7)
        [verdict] = await pool.score(problem, ["4"])
"""
