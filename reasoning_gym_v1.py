"""Training problems as a plugin of verifiers and prime-rl, which import this module by its name.

    vf-eval reasoning-gym-v1 -n 20 -r 4 --model MODEL --env.taskset.tasks '["gcd"]' --no-push \\
        --env.agent.harness.id null --env.agent.runtime.type subprocess \\
        --client.base-url http://localhost:8000/v1 --client.api-key-var OPENAI_API_KEY
    vf-validate reasoning-gym-v1 -n 20 --runtime.type subprocess
"""

from rgenv.adapters.verifiers import ReasoningGymTaskset

__all__ = ["ReasoningGymTaskset"]
