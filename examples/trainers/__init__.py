"""The problems in other trainers; docs/trainers.md compares them.

trl_grpo.py             TRL: GRPO on a small model, on a CPU
inspect_evaluation.py   inspect-ai: an evaluation
prime_rl.toml           prime-rl: GRPO with a curriculum, on two GPUs
"""
