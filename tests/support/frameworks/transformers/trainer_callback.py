"""What the adapter to TRL imports of transformers."""


class ExportableState:
    """What a checkpoint of a trainer saves."""
