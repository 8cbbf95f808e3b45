"""Training problems as a plugin of verifiers and prime-rl, which import this module by its name.

    vf-eval reasoning-gym-v1 -n 20 -r 4 --model MODEL --env.taskset.tasks '["gcd"]' \\
        --env.agent.harness.id null --client.base-url http://localhost:8000/v1 --no-push
"""

from rgenv.adapters.verifiers import ReasoningGymTaskset

__all__ = ["ReasoningGymTaskset"]
