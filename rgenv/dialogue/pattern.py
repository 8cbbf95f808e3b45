r"""An answer format of one's own: a regular expression with one group.

No text may take long, so an expression is read more strictly than Python reads it:

- It is tried only where its beginning stands, which is not repeated, and in `MOST_PLACES` places.
- What repeats takes all that it can and gives nothing back, like ``a*+``; so do alternatives, once
  one has matched. One repetition is excepted: the lazy one, such as ``.*?``, or else the last one
  in the group. What repeats after that does so `MOST_AFTER` times at most.

A trial then takes time in proportion to the text. `^` and `$` stand for the ends of lines.
"""

import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any

from rgenv.dialogue.formats import Span, too_many

MOST_PLACES, MOST_AFTER = 16, 16

WINDOW = 40_000
"""Characters from the beginning of a match in which it ends; answers may have 32 KiB."""

LONGEST = 500
"""Characters of an expression, and parts of its shortest match."""

REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
ONE_CHARACTER = ("LITERAL", "NOT_LITERAL", "IN", "ANY")
KNOWN = (*REPEATS, *ONE_CHARACTER, "AT", "SUBPATTERN", "BRANCH", "ATOMIC_GROUP")
CHARACTERS = [" ", *map(chr, range(33, 127)), "\n"]
TRIALS = ("42", "A", "a", "yes")

Node = tuple[Any, Any]
"""An operation of Python's parser, and its arguments."""


@dataclass(frozen=True)
class Pattern:
    """The group of the only match of a regular expression.

    Raises:
        ValueError: the expression is none, has not one group, or might take long.
    """

    name: str
    missing = "no match of answer_format"

    def __post_init__(self) -> None:
        if not any(self._reads_back(answer) for answer in TRIALS):
            raise ValueError("must match a text that has an answer such as 42 in the group")

    def _reads_back(self, answer: str) -> bool:
        text = self.write(answer)
        found = self.find(text)
        return not isinstance(found, str) and text[found[0] : found[1]].strip() == answer

    @property
    def asks(self) -> str:
        return (
            "state the solution: write exactly one final answer in the form "
            f'"{self.write("...")}", in the format that the problem asks for. A second such text, '
            "or none, makes the solution invalid."
        )

    def find(self, text: str) -> Span | str:
        begins, whole, _ = _read(self.name)
        places = list(islice(begins.finditer(text), MOST_PLACES + 1))
        if len(places) > MOST_PLACES:
            return f"more than {MOST_PLACES} places where answer_format may match"
        spans: list[Span] = []
        end = 0
        for start in (place.start() for place in places):
            if start >= end and (match := whole.match(text, start, start + WINDOW)):
                spans.append(match.span(1))
                end = match.end()
        if not spans:
            return self.missing
        return spans[0] if len(spans) == 1 else too_many(len(spans))

    def write(self, answer: str) -> str:
        *_, tree = _read(self.name)
        return "".join(_written(tree, answer))


@functools.lru_cache
def _read(expression: str) -> tuple[re.Pattern[str], re.Pattern[str], Any]:
    """Return what finds where a match may begin, what matches there, and the parsed expression."""
    if len(expression) > LONGEST:
        raise ValueError(f"has more than {LONGEST} characters")
    try:
        tree = _parser.parse(expression, re.MULTILINE)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"is no regular expression ({error})") from None
    groups = [node for node in tree if _name(node) == "SUBPATTERN" and node[1][0] == 1]
    if tree.state.groups != 2 or not groups:
        raise ValueError(
            "must be tags, boxed, final_line, or a regular expression with one group, which is "
            "neither repeated nor optional"
        )
    if any(_name(node) not in KNOWN for node in _all(tree)):
        raise ValueError("must do without look-arounds and back references, which may be slow")
    if _least(tree) > LONGEST:
        raise ValueError("must not repeat so often: its shortest match is too long")
    begins = _beginning(tree)
    free = _free_repetition(tree, groups[0])
    return begins, _compiler.compile(_Tamer(tree.state, free).tamed(tree), re.MULTILINE), tree


def _name(node: Node) -> str:
    return str(node[0])


def _parts(node: Node) -> Iterable[Any]:
    name, value = _name(node), node[1]
    if name == "BRANCH":
        return list(value[1])
    if name in REPEATS or name == "SUBPATTERN":
        return [value[-1]]
    return [value] if name == "ATOMIC_GROUP" else []


def _all(tree: Any) -> Iterator[Node]:
    for node in tree:
        yield node
        for part in _parts(node):
            yield from _all(part)


def _least(tree: Any) -> int:
    """Return how many nodes `_written` visits, each as often as it is repeated at least."""
    return sum(
        (node[1][0] if _name(node) in REPEATS else 1) * (1 + sum(map(_least, _parts(node))))
        for node in tree
    )


def _repeats(node: Node) -> bool:
    return _name(node) in REPEATS and node[1][1] > 1


def _beginning(tree: Any) -> re.Pattern[str]:
    """Return what finds the beginning: all that stands before the first repetition or group."""
    nodes: list[Node] = []
    for node in tree:
        has_group = _name(node) == "SUBPATTERN" and node[1][0] is not None
        if has_group or any(_name(part) in REPEATS for part in _all([node])):
            break
        nodes.append(node)
    letters = [node for node in nodes if _name(node) != "AT"]
    if not letters:
        raise ValueError("must begin with a fixed text, so that it is found fast")
    ignores_case = bool(tree.state.flags & re.IGNORECASE)
    if _name(letters[0]) == "LITERAL" and ignores_case:  # sets are faster than the flag
        texts = [chr(value) for op, value in letters if str(op) == "LITERAL"]
        sets = [f"[{re.escape(t.lower())}{re.escape(t.upper())}]" for t in texts[:4]]
        return re.compile("".join(sets))
    return _compiled(tree, nodes)


def _compiled(tree: Any, nodes: list[Node]) -> re.Pattern[str]:
    return _compiler.compile(_parser.SubPattern(tree.state, nodes))  # type: ignore[no-any-return]


def _free_repetition(tree: Any, group: Node) -> Any:
    """Return the arguments of the repetition that may give back; None if there is none."""
    repeated = [node for node in _all(tree) if _name(node) in REPEATS]
    for node in repeated:
        within = [inner for part in _parts(node) for inner in _all(part) if _repeats(inner)]
        if _repeats(node) and any(inner[1][0] != inner[1][1] for inner in within):
            raise ValueError("must not repeat what is repeated: text might make it slow")
    lazy = [node for node in repeated if _name(node) == "MIN_REPEAT"]
    if len(lazy) > 1:
        raise ValueError("must have at most one lazy repetition: text might make it slow")
    last = [node for node in group[1][-1] if _name(node) == "MAX_REPEAT"][-1:]
    found = lazy or last
    return found[0][1] if found else None


class _Tamer:
    """Takes from repetitions and alternatives what makes them slow."""

    def __init__(self, state: Any, free: Any) -> None:
        self._state = state
        self._free = free
        self._is_after = False

    def tamed(self, tree: Any) -> Any:
        return _parser.SubPattern(self._state, [self._node(node) for node in tree])

    def _node(self, node: Node) -> Node:
        name, value = _name(node), node[1]
        if name == "BRANCH":
            branch = node[0], (value[0], [self.tamed(part) for part in value[1]])
            return _constants.ATOMIC_GROUP, _parser.SubPattern(self._state, [branch])
        if name == "SUBPATTERN":
            return node[0], (*value[:-1], self.tamed(value[-1]))
        if name == "ATOMIC_GROUP":
            return node[0], self.tamed(value)
        if name not in REPEATS:
            return node
        least, most, part = value
        if value is self._free:
            self._is_after = True
            return node[0], (least, most, self.tamed(part))
        if self._is_after and most > MOST_AFTER:
            most = max(least, MOST_AFTER)
        return _constants.POSSESSIVE_REPEAT, (least, most, self.tamed(part))


def _written(tree: Any, answer: str) -> Iterator[str]:
    """Yield the parts of a text that the expression matches, with an answer in its group."""
    for node in tree:
        name, value = _name(node), node[1]
        if name in ONE_CHARACTER:
            is_it = _compiled(tree, [node])
            yield next(
                filter(is_it.fullmatch, [chr(value)] if name == "LITERAL" else CHARACTERS), ""
            )
        elif name == "SUBPATTERN" and value[0] == 1:
            yield answer
        else:
            times = value[0] if name in REPEATS else 1
            for part in list(_parts(node))[:1] * times:
                yield from _written(part, answer)
