"""Completions from inference servers; knows no Atropos.

policy.py         prompts, completions and their decoding
generation.py     gets tokens from whichever client of a server is free, ours or any other
engine.py         asks one server of vLLM or SGLang for tokens
dialects.py       how an engine is asked for token ids, how its answer is read, what of it is usable
chat.py           gets chat completions for evaluation
request_errors.py says what an error of an inference server means
chat_templates.py templates for models that have none, such as base models
tokenizers.py     loads tokenizers when they are needed
http.py           one request to a server, with limits of size and time; waiting for an answer
health.py         health of the servers, at the start and during a run
trial.py          tries each task, prompt and server once at the start
"""
