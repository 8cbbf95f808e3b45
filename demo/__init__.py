"""The whole training loop on one machine: no GPU, no account, no model hub.

`python -m demo.run` starts the rollout API, a stand-in policy server, the environment and a minimal
trainer, and prints what the trainer received.

    run.py            the program
    summary.py        its table and plot

    train.py          the minimal trainer as a program of its own
    trainer.py        registers with the rollout API, pulls batches, checks and counts them
    policy_server.py  the stand-in policy over HTTP
    wire_format.py    requests and answers of an inference server
    policy.py         writes completions, some of them wrong on purpose
    rules.py          the questions that the policy can answer
    tokenizer.py      a byte-level tokenizer with a chat template
    faults.py         a proxy that injects faults

    command.py        the frame of a program: options, child processes, exit code
    launch.py         starts the other programs of a training loop
    processes.py      child processes: start, watch, stop
    parent_death.py   ends a process when its parent process dies
    http_server.py    JSON over HTTP
"""

import os

if "TRANSFORMERS_NO_ADVISORY_WARNINGS" not in os.environ:
    # Without torch, which tokenizers don't need, transformers would print a warning at its import.
    os.environ["TRANSFORMERS_NO_ADVISORY_WARNINGS"] = "1"
