"""A small model learns from this environment, on a laptop: warm-up, GRPO, learning curve.

python -m examples.learn.run        # or `make learn`

docs/learning.png shows three seeds, and a control with --shuffle-rewards; a benchmark of commit
18164af2 drew it.
"""
