"""The problems and rewards in other trainers: one file for each, which imports its framework.

docs/trainers.md compares them; examples/trainers/ has programs.
"""
