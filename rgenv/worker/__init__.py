"""The worker process: a program that reads requests and writes replies.

    __main__.py          starts the program
    protocol.py          requests, replies and settings; the only module that the parent imports
    operations.py        answer requests: make a problem, score answers, solve
    coverage.py          which tasks are as in the release that all of this was measured on
    problem_maker.py     recipe -> problem; answer -> score
    file_parameters.py   keep parameters of tasks from naming files of the user
    selection.py         draw problems with balanced labels that no shortcut solves
    shortcuts/           rules that answer without solving
    symmetries/          families of problems, and which of them are held out for evaluation
    work/                measures of the work that a problem takes
    clarifications.py    sentences for prompts that leave out what the verifier demands
    held_files.py        files that are read later, kept in memory: a worker opens none
    sandbox.py           restrictions on the process, in layers
    system_calls.py      the system calls that are left to it
    landlock.py          give up all rights to files, ports and other processes
    guard.py             keep model text from being executed by the library's verifiers
    programs/            run codeio's programs on proposed inputs
    answer_limits.py     refuse answers that would take a verifier too long
    safe_parse.py        parse literals and formulas without executing them
    bounded_simplify.py  sympy.simplify, only where the result may be zero
    tree_distance.py     edit distance of trees, for codeio
    levels.py            level in [0, 1] -> task parameters, using levels.json
    labels/              corrections of reference answers that the library gets wrong
    verifiers/           our verifiers, for tasks whose own verifier can be fooled
    go.py                capture stones by the rules of Go
    solvers.py           right answers where the library keeps none, for validation
    dataset_cache.py     reuse data sets that are expensive to construct
    fast_generators.py   faster versions of the library's slow searches
    fast_numbers.py      those of puzzle24 and quantum_lock
    stub_imports.py      empty modules for packages that are never used

This package imports rgenv.tasks, and nothing else of rgenv.
"""
