"""What the adapter to TRL imports of transformers."""


class TrainerCallback:
    """What a trainer calls."""
