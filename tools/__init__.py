"""Programs for those who work on the project; not in the wheel.

- mutants.py: measure how many small faults in the code the tests catch.
- mutations.py: the small faults that a source file can be given.
- probes.py: find the tests that run given lines, in whatever process.
- trials.py: run tests on a copy of the tree, within limits.
"""
