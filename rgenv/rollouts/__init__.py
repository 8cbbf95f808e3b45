"""Completions: their answers, rewards, metrics and dumps."""
