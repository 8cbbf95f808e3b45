"""How a problem is asked, and how the answer is read from a completion.

formats.py  answer formats: tags, a box, a last line
pattern.py  an answer format of one's own: a regular expression
reading.py  a completion: its thinking, its only answer, its parts
prompts.py  the prompt: system prompt, question and examples; what a problem is asked with

A value of `Dialogue` is all that the rest of the package knows of the prompt and of the format.
"""
