"""Problems and scores for any program: no server, no tokenizer, no trainer.

clients.py   ReasoningGym and AsyncReasoningGym, which `rgenv` exports
host.py      runs a gym and its streams in a thread, for callers in any thread and event loop
gym.py       Gym: makes and scores problems, in one event loop; the environment is built on it, too
examples.py  questions with answers that come before a question in its prompt
recipes.py   reads recipes, levels and numbers that callers pass
settings.py  what determines problems and scores; starts the worker pool
"""
