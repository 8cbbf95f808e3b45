"""Benchmarks: the measured numbers that the documents quote, and that a change can move.

Finished experiments are not among them: the documents name the commit that has their code. Each
program prints one JSON object to stdout, progress to stderr, and explains itself with --help::

    python benchmarks/speed.py > speed.json
"""
