"""Messages."""

from types import SimpleNamespace


class ChatMessageSystem(SimpleNamespace):
    """What the model is told first."""


class ChatMessageUser(SimpleNamespace):
    """What the model is asked."""
