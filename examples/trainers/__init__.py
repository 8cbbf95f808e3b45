"""The problems in other trainers; docs/trainers.md compares them.

trl_grpo.py             TRL: GRPO on a small model, on a CPU
prime_rl.toml           prime-rl: GRPO with a curriculum, on two GPUs
"""
