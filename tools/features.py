"""Plain features of a question: what can be counted without knowing what the question means.

::

    features("How many 1s are in 0110?")["last word: 1"]    # 2.0

Counts of characters and words, lengths, the numbers of the question, and in its grid runs of equal
cells and the distances of one kind of cells from another.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from statistics import median

import numpy
from numpy.typing import NDArray

MAX_CHARS = 20_000
"""Longer questions are cut."""
MAX_KINDS = 6
"""Kinds of cells of a grid that are told apart, the most frequent ones."""
ENDS = 4
"""Numbers and words that are looked at one by one, at each end of a question."""
LONG_RUN = 3
"""The least length of a run that is counted as a long one."""

Grid = NDArray[numpy.str_]
Found = Iterator[tuple[str, float]]


def features(question: str) -> dict[str, float]:
    """Return what can be counted in a question, by name; what it lacks is left out."""
    text = question[:MAX_CHARS].rstrip("\n")
    found = {
        **dict(_lengths(text)),
        **dict(_numbers(text)),
        **{f"count of {char!r}": n for char, n in Counter(text).items()},
        **{f"count of the word {word!r}": n for word, n in Counter(text.split()).items()},
    }
    grid = largest_grid(text)
    found.update(_of_grid(grid) if grid is not None else ())
    return found


def _lengths(text: str) -> Found:
    words, lines = text.split(), text.splitlines()
    yield from {"characters": len(text), "words": len(words), "lines": len(lines)}.items()
    yield "different words", len(set(words))
    for place in range(-ENDS, ENDS):
        if -len(words) <= place < len(words):
            yield f"length of word {place}", len(words[place])
            yield f"end of word {place}", ord(words[place][-1])
    for name, part in {"last word": words[-1:], "last line": lines[-1:]}.items():
        last = "".join(part)
        runs = [len(list(run)) for _, run in groupby(last)]
        yield f"{name}: characters", len(last)
        yield f"{name}: different characters", len(set(last))
        yield f"{name}: runs", len(runs)
        yield f"{name}: longest run", max(runs, default=0)
        yield from ((f"{name}: {char}", n) for char, n in Counter(last).items())


def _numbers(text: str) -> Found:
    values = [float(number) for number in re.findall(r"(?<![\w.])-?\d{1,15}(?:\.\d{1,15})?", text)]
    if not values:
        return
    yield "numbers", len(values)
    yield "different numbers", len(set(values))
    yield "largest number", max(values)
    yield "smallest number", min(values)
    yield "range of numbers", max(values) - min(values)
    yield "sum of numbers", sum(values)
    yield "median of numbers", median(values)
    for place in range(-ENDS, ENDS):
        if -len(values) <= place < len(values):
            yield f"number {place}", values[place]
            yield f"last digit of number {place}", values[place] % 10


def largest_grid(text: str) -> Grid | None:
    """Return the cells of the largest block of equally long lines; None if there is none.

    Cells are characters, or words of up to three characters with spaces or commas between them.
    """
    lines = text.splitlines()
    cells = [re.findall(r"[^\s,;|\[\]]+", line) for line in lines]
    words = _blocks([row if max(map(len, row), default=0) <= 3 else [] for row in cells])
    characters = _blocks([list(line) for line in lines])
    # As characters, a board of words has twice as many cells.
    blocks = {**{2 * _size(one): one for one in words}, **{_size(one): one for one in characters}}
    return numpy.array(blocks[max(blocks)]) if blocks else None


def _blocks(rows: Sequence[list[str]]) -> Iterator[list[list[str]]]:
    for width, group in groupby(rows, key=len):
        block = list(group)
        if width > 2 and len(block) > 2:
            yield block


def _size(block: Sequence[Sequence[str]]) -> int:
    return len(block) * len(block[0])


def _of_grid(grid: Grid) -> Found:
    yield from {"rows": grid.shape[0], "columns": grid.shape[1]}.items()
    yield from _runs(grid, "rows")
    yield from _runs(grid.T, "columns")
    counts = Counter(grid.ravel().tolist())
    single = numpy.argwhere(numpy.isin(grid, [kind for kind, n in counts.items() if n == 1]))
    for number, (one, other) in enumerate(pairwise(single[:ENDS].tolist())):
        down, right = (abs(a - b) for a, b in zip(one, other, strict=True))
        yield f"distance of single cells {number} and {number + 1}", down + right
        yield f"rows between single cells {number} and {number + 1}", down
    yield from _distances(grid, [kind for kind, _ in counts.most_common(MAX_KINDS)])


def _runs(lines: Grid, direction: str) -> Found:
    """Yield the numbers and lengths of runs of equal cells, by their first character."""
    text = "\n".join("".join(line) for line in lines.astype("U1").tolist())
    runs: dict[str, list[int]] = {}
    for run in re.finditer(r"([^\n])\1*", text):
        runs.setdefault(run[1], []).append(len(run[0]))
    for cell, lengths in runs.items():
        yield f"runs of {cell!r} in {direction}", len(lengths)
        yield f"long runs of {cell!r} in {direction}", sum(n >= LONG_RUN for n in lengths)
        yield f"longest run of {cell!r} in {direction}", max(lengths)
    yield f"long runs of signs in {direction}", len(re.findall(rf"[^\w\s]{{{LONG_RUN},}}", text))


def _distances(grid: Grid, kinds: Sequence[str]) -> Found:
    """Yield how far cells of each kind are from each other kind, and how many that one encloses.

    A kind is called by its cells, and by its rank: a maze may have other signs each time.
    """
    from scipy.ndimage import distance_transform_cdt

    cells = [grid == kind for kind in kinds]
    framed = [numpy.pad(one, 1, constant_values=True) for one in cells]
    enclosed = [f[:-2, 1:-1] & f[2:, 1:-1] & f[1:-1, :-2] & f[1:-1, 2:] for f in framed]
    steps = [distance_transform_cdt(~one, "taxicab") for one in cells]
    for rank, (kind, here) in enumerate(zip(kinds, cells, strict=True)):
        for other_rank, other in enumerate(kinds):
            inside = int((here & enclosed[other_rank]).sum())
            far = steps[other_rank][here]
            for one, two in ((repr(kind), repr(other)), (f"kind {rank}", f"kind {other_rank}")):
                yield f"number of {one} enclosed by {two}", inside
                if rank != other_rank:
                    yield f"largest distance of {one} to {two}", int(far.max())
                    yield f"least distance of {one} to {two}", int(far.min())
