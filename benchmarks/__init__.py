"""Benchmarks: the measured numbers that the documents quote, and that a change can move.

Finished experiments are not among them: the documents name the commit that has their code. Each
program prints one JSON object to stdout, progress to stderr, and explains itself with --help::

    python benchmarks/speed.py > speed.json

    speed.py        problems and scores a second: reasoning-gym, the reference's way, and ours
    replicas.py     many replicas on one machine, some of which are killed
    long_groups.py  for how long groups of long completions hold the event loop
    places.py       a server of OpenEnv under load, and actors of Ray
    faults.py       groups lost or sent twice while servers fail and the environment is killed
    endurance.py    an hour of one environment while a few of all requests fail
    difficulty.py   what a problem of each task costs at every level
    labels.py       the library's reference answers, checked a second way; label_checks/
    shortcuts.py    what rules that do not solve a task earn
    blind.py        what the best constant or guess solves
    programs.py     codeio's programs whose output differs between processes
    learn.py        training runs of a small model, and a control
    harness.py      helpers: command lines, output, stalls, processes
"""
