"""The worker process: a program that reads requests and writes replies.

    __main__.py          starts the program
    protocol.py          requests, replies and settings; the only module that the parent imports
    operations.py        answer requests: make a problem, score answers, and what else is asked
    problem_maker.py     recipe -> problem; answer -> score
    scoring.py           score what an answer says
    selection.py         draw problems with balanced labels that no shortcut solves
    shortcuts.py         find problems that a rule answers without solving them
    levels.py            level in [0, 1] -> task parameters
    dataset_cache.py     reuse data sets that are expensive to construct
    faster.py            replace slow functions of the library
    file_parameters.py   keep parameters of tasks from naming files of the user
    own_tasks.py         load a user's own tasks, before the sandbox closes
    trial.py             try a task, so that its author learns of mistakes
    guard.py             keep model text from being executed by the library's verifiers
    held_files.py        files that are read later, kept in memory: a worker opens none
    sandbox.py           restrictions on the process, in layers
    system_calls.py      the system calls that are left to it
    landlock.py          give up all rights to files, ports and other processes
    stub_imports.py      empty modules for packages that are never used

What is known of each task is in rgenv/tasks.
"""
