"""Checks of tasks and verifiers without a model: the command `validate`."""
