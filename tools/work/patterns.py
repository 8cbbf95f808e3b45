"""Work of recognizing: objects, letters, and the operations behind a pattern."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rgenv.tasks.entry import Entry


def emoji_mystery(entry: Entry) -> float:
    """Count the characters to decode."""
    return float(len(entry["answer"]))


def figlet_font(entry: Entry) -> float:
    """Count the letters to recognize, twice where no space sets them apart."""
    return float(len(entry["answer"]) * (1 if entry["metadata"]["space_letters"] else 2))


def rectangle_count(entry: Entry) -> float:
    """Count the rectangles."""
    return float(entry["answer"])


PROXIES: Mapping[str, Callable[[Entry], float]] = {
    "emoji_mystery": emoji_mystery,
    "figlet_font": figlet_font,
    "rectangle_count": rectangle_count,
}
