"""The command `tasks`: what there is to train on.

cli.py             the command
installed.py       which tasks are installed
entries.py         all that is known about each task; finding tasks by words
listing.py         the list, and the facts about one task, as text
problems.py        makes problems, and scores an answer to one
answers.py         reads an answer that a user typed
showing.py         problems and verdicts as text
terminal.py        width and emphasis
token_estimate.py  about how many tokens a text has, without a tokenizer
"""
