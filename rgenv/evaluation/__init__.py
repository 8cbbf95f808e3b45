"""Evaluation: ask the model for a fixed set of problems, score its answers, write a report."""
