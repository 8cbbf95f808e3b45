"""The adapter to Atropos; the only package that imports atroposlib and wandb.

command.py        makes an environment from the command line, and runs its command
config.py         the options
checks.py         checks of the values of single options
options.py        the options as data
startup.py        log levels, settings, checks
run.py            owns what one process has, from its constructor to its end
loop.py           the loops of `serve` and `process`, and the groups under way
registration.py   this environment at the rollout API, and what it goes on from there
session.py        the objects that `setup` creates
evaluation.py     what is evaluated, with which runner, and where results go
profiling.py      the command `profile`
engines.py        Atropos' clients of vLLM and SGLang, and how the policy asks any client
servers.py        settings of the inference servers, and their checks
reporting.py      metrics of a run for wandb and metrics.jsonl, and the last line of its log
wandb_logging.py  offline mode, the table of rollouts, the curriculum's metrics
patches.py        what is replaced in foreign code while it runs, and why
"""
