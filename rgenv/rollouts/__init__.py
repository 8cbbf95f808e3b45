"""From a completion to a reward, a metric and a line in a dump.

answer_format.py  the system prompt, and the answer of a completion
collector.py      from a problem to its scored group, through failures and cancelling
recorder.py       the one place where a scored group changes anything
group.py          groups: made from completions, turned into what is sent and saved
rewards.py        scores to rewards: length penalty, noise
metrics.py        training metrics, and the descriptions of all metrics
dump.py           writes groups to disk
retry.py          which failed problems are asked again
"""
