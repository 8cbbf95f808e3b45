"""The command `tasks`: what there is to train on.

cli.py             the command
entries.py         which tasks are installed, and all that is known about each
listing.py         the list, and the facts about one task, as text
problems.py        problems, and answers that a user typed
token_estimate.py  about how many tokens a text has, without a tokenizer
"""
