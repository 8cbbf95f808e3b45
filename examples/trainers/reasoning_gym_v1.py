"""The taskset as a plugin of verifiers and prime-rl, which find it by the name of this module.

    export PYTHONPATH=examples/trainers OPENAI_API_KEY=...
    vf-eval reasoning-gym-v1 -n 20 -r 4 --model MODEL --env.taskset.tasks '["gcd"]' \\
        --env.agent.harness.id null --client.base-url http://localhost:8000/v1 --no-push
    vf-validate reasoning-gym-v1 -n 20
"""

from rgenv.adapters.verifiers import ReasoningGymTaskset

__all__ = ["ReasoningGymTaskset"]
