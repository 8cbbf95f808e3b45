"""Reads what a run saved, for the commands that show or export it."""
