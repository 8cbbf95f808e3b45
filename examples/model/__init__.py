"""A language model of 135 million parameters learns from this environment, on a CPU.

python -m examples.model.run        # or `make model`
"""
