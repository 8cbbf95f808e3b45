"""Held-out problems as a plugin of verifiers and prime-rl, which import this module by its name.

    vf-eval reasoning-gym-held-out-v1 -r 4 --model MODEL --env.taskset.per-task 20 \\
        --env.agent.harness.id null --client.base-url http://localhost:8000/v1 --no-push
"""

from rgenv.adapters.verifiers import ReasoningGymHeldOutTaskset

__all__ = ["ReasoningGymHeldOutTaskset"]
