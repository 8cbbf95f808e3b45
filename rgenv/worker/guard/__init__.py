"""Keeps what a model or a recipe says from doing anything but being scored.

guard.py            keeps model text from being executed by the library's verifiers
file_parameters.py  keeps parameters of tasks from naming files of the user
"""
