"""The worker process: a program that reads requests and writes replies.

What is known of each task is in rgenv/tasks.
"""
