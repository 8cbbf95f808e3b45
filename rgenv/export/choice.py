"""Choose the best completions, or pairs of a better and a worse one, of each problem.

What is chosen does not depend on the order in which groups are added. Texts are not kept: an
`Offer` says where they are.
"""

import bisect
import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rgenv.export.completions import Completion, Usable
from rgenv.types import SOLVED

MIN_SCORE_SPREAD = 0.05


@dataclass(frozen=True)
class Rules:
    """What is exported.

    Attributes:
        pairs: pairs of completions instead of single ones.
        min_score: the least score of an exported or preferred completion.
        min_score_spread: the least difference of the scores of a pair; never exported: none.
        per_problem: at most so many rows of a problem.
    """

    pairs: bool = False
    min_score: float = SOLVED
    min_score_spread: float = MIN_SCORE_SPREAD
    per_problem: int = 1


class Offer(NamedTuple):
    """A row that could be exported; the least of several is the best.

    Attributes:
        rank: negative score of the completion, negative spread of the pair, negative reward.
        file, offset: where its group is, as numbers of the caller.
        better: index of the completion in its group.
        worse: likewise of a pair; -1 without one.
        digest: a hash of its texts.
    """

    rank: tuple[float, float, float]
    file: int
    offset: int
    better: int
    worse: int
    digest: bytes


def offers(found: Usable, rules: Rules, *, file: int, offset: int) -> list[Offer]:
    """Return at most `per_problem` rows of one group, the best first.

    The best completions are those with the highest score of their group. Of equal scores, higher
    rewards come first, and then the order of the group.
    """
    top = max((completion.score for completion in found.completions), default=-1.0)
    best = _distinct(
        sorted(
            (c for c in found.completions if c.score == top >= rules.min_score),
            key=lambda c: (-c.reward, c.index),
        )
    )
    if not rules.pairs:
        return [_offer(c, None, file, offset) for c in best[: rules.per_problem]]
    texts = {completion.text for completion in best}
    worse = _distinct(
        sorted(
            (c for c in found.completions if _is_worse(c, top, rules) and c.text not in texts),
            key=lambda c: (c.score, c.index),
        )
    )
    pairs = zip(best, worse, strict=False)
    return [_offer(better, other, file, offset) for better, other in pairs][: rules.per_problem]


def _is_worse(completion: Completion, top: float, rules: Rules) -> bool:
    spread = top - completion.score
    return spread > 0 and spread >= rules.min_score_spread


def _distinct(completions: Iterable[Completion]) -> list[Completion]:
    """Return the first completion with each text."""
    found: dict[str, Completion] = {}
    for completion in completions:
        found.setdefault(completion.text, completion)
    return list(found.values())


def _offer(better: Completion, worse: Completion | None, file: int, offset: int) -> Offer:
    spread = 0.0 if worse is None else better.score - worse.score
    texts = [better.text] if worse is None else sorted([better.text, worse.text])
    return Offer(
        (-better.score, -spread, -better.reward),
        file,
        offset,
        better.index,
        -1 if worse is None else worse.index,
        digest(*texts),
    )


def digest(*texts: str) -> bytes:
    hashed = hashlib.blake2b(digest_size=12)
    for text in texts:
        encoded = text.encode("utf-8", "surrogatepass")
        hashed.update(len(encoded).to_bytes(8, "big") + encoded)
    return hashed.digest()


class Choice:
    """Keeps the best rows of each problem.

    Args:
        rules: `per_problem` counts here.
    """

    def __init__(self, rules: Rules) -> None:
        self._most = rules.per_problem
        self._kept: dict[bytes, list[Offer]] = {}
        self._further: Counter[bytes] = Counter()

    def add(self, problem: bytes, offered: Sequence[Offer]) -> None:
        """Offer the rows of one group. Rows with the same texts are one: the best of them."""
        if problem in self._kept:
            self._further[problem] += 1
        kept = self._kept.setdefault(problem, [])
        for offer in offered:
            same = [one for one in kept if one.digest == offer.digest]
            if same and same[0] <= offer:
                continue
            for one in same:
                kept.remove(one)
            bisect.insort(kept, offer)
        del kept[self._most :]

    def further(self, problem: bytes) -> int:
        """Return how many groups of a problem were added that have no chosen row."""
        chosen = {(offer.file, offer.offset) for offer in self._kept[problem]}
        return 1 + self._further[problem] - len(chosen)

    def chosen(self) -> list[tuple[Offer, bytes]]:
        """Return the rows with their problems, in the order of files and groups."""
        found = [(offer, problem) for problem, kept in self._kept.items() for offer in kept]
        return sorted(found, key=lambda pair: pair[0][1:])
