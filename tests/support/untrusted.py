"""Text as an adversarial model might write it."""

from hypothesis import strategies as st

MARKUP = [
    "<b>",
    "</pre>",
    "</title>",
    "<!--",
    "-->",
    "{{ 1 }}",
    "&lt;",
    "' x='",
    '" y="',
    "\x00",
    "\ud800",
    "\u202e",
    "\r",
    "\x9b",
    "_",
    "/",
]

untrusted_text = st.lists(st.sampled_from(MARKUP) | st.characters(), min_size=1, max_size=12).map(
    "".join
)
"""Markup, templates, control characters and lone surrogates, among any other characters."""
