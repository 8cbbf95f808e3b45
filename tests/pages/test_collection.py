"""rgenv/pages/collection.py: groups in bounded memory."""

import gzip
import json
import random
from typing import Any

import pytest

from rgenv.pages.collection import Collection, Place
from rgenv.pages.group_rows import Row, read_line
from tests.support.samples import sample
from tests.support.viewed import row, trainer_group

pytestmark = pytest.mark.slow


def add(collection: Collection, line: Any, *, source: int = 0, number: int = 1) -> None:
    found = read_line(json.dumps(line).encode(), f"a:{number}")
    assert isinstance(found, Row)
    collection.add(found, Place(0, source, 0, number))


def texts(collection: Collection, name: str) -> list[dict[str, Any]]:
    chunks = [gzip.decompress(chunk).decode().split("\n") for chunk in collection.chunks()]
    pieces = sorted(collection.kept[name].pieces.items())
    return [json.loads(chunks[chunk][place]) for _, (chunk, place) in pieces]


def filled(names: list[str], **limits: int) -> Collection:
    collection = Collection(**{"most": 100, **limits})
    for number, name in enumerate(names):
        add(collection, row(name, question=f"of {name}"), number=number)
    return collection


def test_of_many_groups_a_sample_is_kept() -> None:
    """At most so many groups are kept, each with its own texts, and all are counted. The same ones
    are kept whatever the order in which they are read."""
    names = [f"g{n}" for n in range(1000)]
    collection = filled(names)
    assert (collection.total, collection.one_in >= 16) == (1000, True)
    assert 30 <= len(collection.kept) <= 100
    for name in collection.kept:
        assert texts(collection, name)[0]["prompt"][-1] == ["user", f"of {name}"]
    mixed = random.Random(1).sample(names, len(names))
    assert filled(mixed).kept.keys() == collection.kept.keys()


def test_large_texts_make_the_sample_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rgenv.pages.collection.CHUNK", 2**16)
    collection = Collection(most=10_000, max_bytes=60_000)
    noise = random.Random(2)
    for number in range(60):
        text = "".join(noise.choices("abcdefghij", k=9000))
        add(collection, row(f"g{number}", texts=[text, str(number)]), number=number)
    assert collection.one_in > 1
    assert sum(map(len, collection.chunks())) < 100_000  # the limit and a chunk that is open
    for name in collection.kept:
        [found] = texts(collection, name)
        assert found["completions"][1]["parts"] == [["text", name[1:]]]


def test_a_group_in_two_files_is_one() -> None:
    for lines in ([row("g"), trainer_group("g")], [trainer_group("g"), row("g")]):
        collection = Collection(most=10)
        for line in lines:
            add(collection, line)
        [group] = collection.kept.values()
        assert (collection.total, group.saved.kind) == (1, "rollouts")
        assert [(o.score, o.tokens) for o in group.outcomes.values()] == [(1.0, 3), (0.0, 3)]
        assert len(texts(collection, "g")) == 1


def test_completions_of_a_problem_are_one_group() -> None:
    collection = Collection(most=10)
    for index, seed in ((1, 7), (0, 8), (0, 7)):
        add(collection, sample("gcd", seed, 1.0, index=index, text=f"<answer>{index}</answer>"))
    group = collection.kept["gcd/7/none"]
    assert sorted(group.outcomes) == [0, 1]
    answers = [part["completions"][0]["parts"][1][1] for part in texts(collection, "gcd/7/none")]
    assert answers == ["0", "1"]
    assert collection.total == 2


def test_the_last_group_of_a_problem_counts() -> None:
    """A run that was killed asked it again: the earlier group is forgotten, whatever its file."""
    for order in ([1, 2], [2, 1]):
        collection = filled(["other"])
        recipe = {"task": "gcd", "config": {}, "seed": 7}
        for number in order:
            scores = [float(number - 1), 0.0]
            add(collection, row(f"g{number}", scores, recipe=recipe, time=float(number)))
        assert list(collection.kept) == ["other", "g2"]
        assert (collection.total, collection.superseded) == (2, 1)
        assert collection.by_source[0] == 2
        add(collection, row("g3", recipe=recipe, run="another run"))
        assert collection.total == 3
