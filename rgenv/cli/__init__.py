"""The command line: commands, options, help, and mistakes in one sentence.

entry.py        answers help and mistakes, and finds the command to run
arguments.py    rewrites a command line in the form that Atropos reads correctly
config_file.py  reads a configuration file and checks its keys
help.py         what --help prints
messages.py     says in a sentence what is wrong with a value
options.json    the options of ReasoningGymEnv, written by scripts/generate_docs.py
parser.py       the command line of a command that needs no Atropos
parsing.py      reads lists and mappings that are written as text
"""
