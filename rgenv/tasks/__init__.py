"""What is known of the tasks.

    entry.py   the type of an entry of the library
    answers/   kinds of answers: their forms are read, written and changed

It runs in a worker, and may import the library there. It imports nothing else of rgenv.
"""
