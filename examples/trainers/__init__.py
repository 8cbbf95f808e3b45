"""The problems in other trainers; docs/trainers.md compares them.

trl_grpo.py             TRL: GRPO on a small model, on a CPU
inspect_evaluation.py   inspect-ai: an evaluation
verl_reward.py          verl: problems as a parquet file, and their reward function
"""
