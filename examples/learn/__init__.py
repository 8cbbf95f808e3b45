"""A small model that learns from this environment, on a laptop: warm-up, GRPO, learning curve.

    python -m examples.learn.run        # `make learn`

    tokenizer.py   bytes, and the wording that never changes as one token each
    model.py       a small Llama with random weights; log probabilities of a batch
    sampler.py     batched sampling with a cache
    server.py      that model behind the wire format that Atropos expects of a vllm server
    warmup.py      supervised learning on rollouts that the environment saved
    grpo.py        one step: from groups to a gradient
    trainer.py     registers, pulls batches, takes steps, exchanges weights, writes checkpoints
    programs.py    which programs a run needs, with which options
    curve.py       the learning curve and the table at the end
    run.py         one command that starts, shows, resumes and stops all of it

Not here: several devices, a reference model, anything about language.
"""
