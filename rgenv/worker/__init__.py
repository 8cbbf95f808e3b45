"""The child's side of the process wall: a program that reads requests and writes replies.

    __main__.py         the start
    protocol.py         what parent and worker agree on; all that the parent imports
    operations.py       make, score, solve
    sandbox.py          what the operating system does not let the worker do
    guard.py            answers that no verifier is handed
    safe_parse.py       literals and mathematical expressions, parsed without running them
    levels.py           level in [0, 1] -> task parameters, by levels.json
    labels/             reference answers of the library that are wrong, corrected
    verifiers/          ours, for tasks whose own verifier can be fooled
    solvers.py          a right answer where the library keeps none; for validation
    dataset_cache.py    data sets that are expensive to construct, used again
    fast_generators.py  slow searches of the library, done faster
    stub_imports.py     packages that are not imported

This package imports nothing of rgenv but itself.
"""
