"""The command `tasks`: what there is to train on.

cli.py             the command
installed.py       which tasks are installed
entries.py         all that is known about each task
listing.py         the list, and the facts about one task, as text
problems.py        problems, and answers that a user typed
token_estimate.py  about how many tokens a text has, without a tokenizer
"""
