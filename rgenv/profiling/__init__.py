"""Which tasks a model can learn from, and from which level."""
