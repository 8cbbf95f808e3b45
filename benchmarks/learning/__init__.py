"""Ways to choose tasks and levels, compared on small transformers that learn by GRPO.

    python -m benchmarks.learning run      # hours; may be killed and started again
    python -m benchmarks.learning report --plot learning_benchmark.png

Each arm is one way to choose. All arms of a seed start from the same warm weights, spend the same
number of completion tokens and answer the same held-out problems. Problems and rewards come from
`ReasoningGym`, in one process, without a server.

__main__.py   the command
command.py    runs arms over seeds
tasks.py      the tasks, chosen before any arm was run, and the primary measure
arms/         the ways to choose, one idea each
training.py   one run
problems.py   its problems, from one gym
warmup.py     supervised learning before it
grpo.py       one step of GRPO
model.py      the transformer, and sampling from it
tokens.py     its tokens
results.py    reads and appends results
results.jsonl  one line for each complete run
report.py     tables, intervals and the plot
"""
