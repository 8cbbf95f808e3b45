"""The adapter to Atropos; the only package that imports atroposlib and wandb.

entry.py          answers help, mistakes, `validate` and `tasks` before Atropos is imported
cli.py            runs a command of an environment class
arguments.py      rewrites a command line in the form that Atropos reads correctly
config_file.py    reads a configuration file and checks its keys
help.py           what --help prints
messages.py       says in a sentence what is wrong with a value
config.py         the options
parsing.py        reads lists and mappings that are written as text
checks.py         checks of the values of single options
options.py        the options as data; options.json has those of ReasoningGymEnv
startup.py        log levels, settings, checks
run.py            how a command runs and ends
serving.py        the loop of `serve`
session.py        creates the objects of a run from the configuration
evaluation.py     what is evaluated, with which runner, and where results go
profiling.py      the command `profile`
trial.py          tries each task, prompt and server once at the start
chat_templates.py templates for models that have none, such as base models
policy.py         prompts, completions and their decoding
generation.py     gets tokens from whichever inference server is free
engines.py        Atropos' clients of vLLM and SGLang
usable.py         which completions a trainer can use
dialects.py       how an engine is asked for token ids, and how its answer is read
chat.py           gets chat completions for evaluation
request_errors.py says what an error of an inference server means
servers.py        settings, checks and health of the inference servers
tokenizers.py     loads tokenizers when they are needed
http.py           one request to a server, with limits of size and time
polling.py        waits until a server answers as expected
api_client.py     single requests to the rollout API, whose answers are checked
rollout_api.py    what a run asks of the rollout API, through outages and restarts
delivery.py       sends groups to the rollout API
groups_file.py    the file into which `process` writes its groups, and their means
checkpoints.py    finds the state that a run goes on from, and saves that of each step
progress.py       records what happens to each problem, so that kill -9 loses nothing
ending.py         when a run ends, and the last line of its log
processing.py     what of Atropos' `process` is left out
reporting.py      metrics and status of a run, for its log, wandb and metrics.jsonl
wandb_logging.py  offline mode, the table of rollouts, the curriculum's metrics
embedded.py       lets programs call an environment from any event loop
"""
