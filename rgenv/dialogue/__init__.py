"""How a problem is asked, and how the answer is read from a completion.

A value of `Dialogue` is all that the rest of the package knows of the prompt and of the format.
"""
