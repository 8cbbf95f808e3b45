"""From a completion to a reward, a metric and a line in a dump.

answer_format.py  system prompt, messages, and the one answer of a completion
group.py          groups: made from completions, turned into what is sent and saved
rewards.py        length penalty, noise, solved
metrics.py        what happened since the last report
dump.py           groups on disk
retry.py          which problems are asked again after a failure
"""
