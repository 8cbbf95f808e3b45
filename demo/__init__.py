"""The whole training loop on one machine: no GPU, no account, no model hub.

`python -m demo.run` starts the rollout API, a stand-in policy server, the environment and a minimal
trainer, and prints what the trainer received.
"""

import os

if "TRANSFORMERS_NO_ADVISORY_WARNINGS" not in os.environ:
    # Without torch, which tokenizers don't need, transformers would print a warning at its import.
    os.environ["TRANSFORMERS_NO_ADVISORY_WARNINGS"] = "1"
