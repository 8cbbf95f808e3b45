"""Accuracy by the length of completions: ``by_length(samples)``, from short to long."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from rgenv.evaluation.estimates import Estimate
from rgenv.evaluation.intervals import Stratum, interval
from rgenv.evaluation.results import problem_results
from rgenv.types import Sample

BINS = 8


@dataclass(frozen=True)
class LengthBin:
    """Completions of `shortest` to `longest` tokens, and their accuracy.

    Attributes:
        truncated: how many of the completions were cut at the token limit.
    """

    shortest: int
    longest: int
    completions: int
    truncated: int
    accuracy: Estimate

    @property
    def label(self) -> str:
        """The range of lengths, such as ``1,494–2,046``."""
        ends = sorted({self.shortest, self.longest})
        return "–".join(f"{end:,}" for end in ends)


def by_length(samples: Iterable[Sample], *, bins: int = BINS) -> list[LengthBin]:
    """Sort scored completions into at most `bins` bins of length, of about equal size.

    Completions of equal length share a bin, so those cut at the token limit have one of their own.
    """
    known = [s for s in samples if "score" in s and s["completion_tokens"] is not None]
    if not known:
        return []
    lengths = sorted(int(s["completion_tokens"]) for s in known)
    starts = sorted({lengths[n * len(lengths) // bins] for n in range(bins)})
    members: list[list[Sample]] = [[] for _ in starts]
    for sample in known:
        members[bisect_right(starts, int(sample["completion_tokens"])) - 1].append(sample)
    return [_length_bin(some) for some in members]


def _length_bin(members: Sequence[Sample]) -> LengthBin:
    lengths = [int(s["completion_tokens"]) for s in members]
    results = problem_results(members)
    # Which tasks fall into a bin is chance, too, so all of them are one stratum.
    found = interval(
        [Stratum([result.accuracy for result in results])],
        completions=fmean(len(result.scores) for result in results),
    )
    return LengthBin(
        shortest=min(lengths),
        longest=max(lengths),
        completions=len(members),
        truncated=sum(s["finish_reason"] == "length" for s in members),
        accuracy=Estimate(*found, problems=len(results)),
    )
