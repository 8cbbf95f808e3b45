"""A small model learns from this environment, on a laptop: warm-up, GRPO, learning curve.

docs/learning.png shows three seeds, and a control with --shuffle-rewards: commit 18164af2 drew it.
"""
