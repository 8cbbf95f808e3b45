"""Everything that knows Atropos; the only package that imports atroposlib and wandb.

config.py         the options
cli.py            the command line of an environment class
arguments.py      the command line's words, in a form that Atropos reads correctly
startup.py        checks, log levels, worker processes
session.py        what `setup()` starts, as one value
policy.py         the model behind the inference servers, asked for completions
servers.py        what surrounds the inference servers: settings, checks, health
rollout_api.py    requests to the rollout API, through its outages and restarts
delivery.py       groups on their way to the rollout API
checkpoints.py    what continues a run
wandb_logging.py  what goes to wandb beside the metrics of training
embedded.py       calls from any event loop
"""
