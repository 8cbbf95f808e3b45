"""The worker process: a program that reads requests and writes replies.

    __main__.py          starts the program
    protocol.py          requests, replies and settings; the only module that the parent imports
    template.py          fork workers from a process that has imported the library
    operations.py        answer requests: make a problem, score answers, and what else is asked
    problem_maker.py     recipe -> problem; answer -> score
    scoring.py           score what an answer says
    selection.py         draw problems with balanced labels that no shortcut solves
    shortcuts.py         find problems that a rule answers without solving them
    levels.py            level in [0, 1] -> task parameters
    dataset_cache.py     reuse data sets that are expensive to construct
    faster.py            replace slow functions of the library
    own_tasks.py         load a user's own tasks, before the sandbox closes
    trial.py             try a task, so that its author learns of mistakes
    guard/               keep what a model or a recipe says from doing anything but being scored
    sandbox/             restrict what the process may do
    stub_imports.py      empty modules for packages that are never used

What is known of each task is in rgenv/tasks.
"""
