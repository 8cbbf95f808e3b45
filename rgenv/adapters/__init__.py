"""The problems and rewards in other trainers: one file for each, which imports its framework.

trl.py               TRL: data set, reward function and callback of GRPOTrainer
trl_environment.py   TRL: an environment that GRPOTrainer resets, and which owns its reward
verifiers.py         verifiers and prime-rl: a taskset without end, and one of held-out problems
inspect_ai.py        inspect-ai: an evaluation of held-out problems, and its scorer
openenv.py           OpenEnv: a server of problems and scores, and its client
verl.py              verl: the reward function for exported problems
skyrl.py             SkyRL: the environment for exported problems
ray.py               Ray: problems and scores over data sets that need many machines

docs/trainers.md compares them; examples/trainers/ has programs.
"""
