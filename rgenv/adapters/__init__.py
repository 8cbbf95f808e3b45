"""The problems and rewards in other trainers: one file for each, which imports its framework.

trl.py          TRL: data set, reward function and callback of GRPOTrainer
verifiers.py    verifiers and prime-rl: a taskset without end
inspect_ai.py   inspect-ai: an evaluation of held-out problems, and its scorer

docs/trainers.md compares them; examples/trainers/ has a program for each, and one for verl.
"""
