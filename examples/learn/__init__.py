"""A small model learns from this environment, on a laptop: warm-up, GRPO, learning curve.

python -m examples.learn.run        # or `make learn`

run.py         the program: starts everything, shows progress, resumes
settings.py    tasks, lengths and the environment's settings
warmup.py      supervised learning on rollouts that the environment saved
trainer.py     pulls batches, takes steps, sends weights, writes checkpoints
grpo.py        one step: from groups to a gradient
curve.py       the learning curve, and the table at the end

docs/learning.png shows three seeds, and a control with --shuffle-rewards; a benchmark of commit
18164af2 drew it.

server.py      the model over HTTP, in the format of a vLLM server
sampler.py     batched sampling with a key-value cache
model.py       a small Llama with random weights; log probabilities of a batch
tokenizer.py   bytes, and one token for each piece of fixed wording
"""
