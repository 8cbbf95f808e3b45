"""What each kind of verdict means, in a sentence for a page."""

VERDICTS = {
    "scored": "The verifier scored the answer.",
    "no_answer": "The completion has no answer in the required format.",
    "refused": "The chat server returned a refusal instead of a completion.",
    "tool_call": "The model called a tool instead of writing a completion.",
    "empty": "The server returned no text, though the completion was not cut.",
    "too_large": "The answer exceeds the length limit and was not scored.",
    "rejected": "The answer has unsafe content and was not scored.",
    "error": "The verifier raised an error.",
    "timeout": "The verifier exceeded its time limit.",
    "crashed": "The verifier's process died.",
    "failed": "No completion was scored, because the request or the scoring failed.",
}
"""Kind of a verdict -> its meaning; ``failed`` is for samples that were never scored."""
