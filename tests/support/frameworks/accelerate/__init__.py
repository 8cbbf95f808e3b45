"""What the adapter to TRL imports of accelerate, for one process."""


class PartialState:
    """The place of this process among those that train."""

    process_index = 0
