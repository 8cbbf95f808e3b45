"""Completions: their answers, rewards, metrics and dumps.

collector.py      gets the completions of a problem, and has them scored and recorded
admission.py      how many groups an environment asks for, and the servers take
recorder.py       passes a scored group to metrics, curriculum, log and dumps
group.py          builds groups, and converts them for the trainer and the dumps
rewards.py        turns scores into rewards: length penalty, noise
groups_file.py    the file into which `process` writes its groups, and their means
ledger.py         counts each token by what became of it
metrics.py        training metrics: rates of groups, collected between reports, metrics.jsonl
status.py         lines about what a run is doing and what it waits for
dump.py           writes groups to disk
"""
