"""Stands for TRL, of which the adapter imports nothing."""
