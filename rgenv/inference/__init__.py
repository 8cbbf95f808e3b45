"""Completions from inference servers; knows no Atropos.

policy.py         prompts, completions and their decoding
generation.py     gets tokens from whichever inference server is free
clients.py        asks a client of Atropos, ours or any other
engine.py         asks one server of vLLM or SGLang for tokens
dialects.py       how an engine is asked for token ids, and how its answer is read
usable.py         which completions a trainer can use
chat.py           gets chat completions for evaluation
request_errors.py says what an error of an inference server means
chat_templates.py templates for models that have none, such as base models
tokenizers.py     loads tokenizers when they are needed
http.py           one request to a server, with limits of size and time
health.py         health of the servers, at the start and during a run
polling.py        waits until a server answers as expected
trial.py          tries each task, prompt and server once at the start
"""
