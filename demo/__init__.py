"""The embedded default: a whole training loop on one machine, no GPU, no account, no hub.

`python -m demo.run` starts the rollout API, a stand-in policy server, the environment and a
minimal trainer, and prints what the trainer received.

    tokenizer.py      a byte-level tokenizer with a chat template, built in a second
    rules/            question text in, answer text out: what the stand-in policy knows
    policy.py         writes completions around those answers, with mistakes on purpose
    policy_server.py  serves the policy over HTTP, in vllm's and in OpenAI's format
    trainer.py        registers, pulls batches, checks and counts them
    faults.py         a proxy that does what networks and dying servers do
    children.py       child processes: start, watch, stop;  leash.py  ends one with its parent
    summary.py        the table and the plot
    run.py            the one command
"""
