"""The adapter to Atropos; the only package that imports atroposlib and wandb.

cli.py            runs a command of an environment class
config.py         the options
checks.py         checks of the values of single options
options.py        the options as data
startup.py        log levels, settings, checks
run.py            how a command runs and ends
serving.py        the loop of `serve`
session.py        creates the objects of a run from the configuration
evaluation.py     what is evaluated, with which runner, and where results go
profiling.py      the command `profile`
trial.py          tries each task, prompt and server once at the start
engines.py        Atropos' clients of vLLM and SGLang
servers.py        settings, checks and health of the inference servers
api_client.py     single requests to the rollout API, whose answers are checked
rollout_api.py    what a run asks of the rollout API, through outages and restarts
delivery.py       sends groups to the rollout API
groups_file.py    the file into which `process` writes its groups, and their means
checkpoints.py    finds the state that a run goes on from, and saves that of each step
progress.py       records what happens to each problem, so that kill -9 loses nothing
ending.py         when a run ends, and the last line of its log
reporting.py      metrics and status of a run, for its log, wandb and metrics.jsonl
wandb_logging.py  offline mode, the table of rollouts, the curriculum's metrics
patches.py        what is replaced inside Atropos' modules, and why
embedded.py       lets programs call an environment from any event loop
"""
