"""Rules for puzzles: course plans, self-referential statements, programs.

"Priya likes owls. Tom scorns owls.\\nWho scorns owls? Reply only with a name."  ->  "Tom"
"""

import graphlib
import itertools
import re

from .table import rule

BF_STEP_LIMIT = 1_000_000


@rule("course_schedule", r"must first take course b_i if you want to take course a_i:\n\[(.*)\]")
def course_schedule(pairs: str) -> str:
    needs: dict[str, set[str]] = {}
    for course, first in re.findall(r"\((\d+), (\d+)\)", pairs):
        needs.setdefault(course, set()).add(first)
    try:
        graphlib.TopologicalSorter(needs).prepare()
    except graphlib.CycleError:
        return "False"
    return "True"


@rule("needle_haystack", r"^(.+)\nWho (.+)\? Reply only with a name")
def needle_haystack(haystack: str, statement: str) -> str:
    sentences = re.split(r"\.\s+", haystack)
    return next((s for s in sentences if s.endswith(f" {statement}")), "").removesuffix(
        f" {statement}"
    )


@rule("self_reference", r"tell me the number of possible solutions: ?\n((?: - Statement .*\n?)+)")
def self_reference(statements: str) -> str:
    texts = re.findall(r"'(.+)'", statements)
    worlds = itertools.product((False, True), repeat=len(texts))
    return str(
        sum(
            all(holds(text, world) == said for text, said in zip(texts, world, strict=True))
            for world in worlds
        )
    )


def holds(statement: str, world: tuple[bool, ...]) -> bool:
    """Tell whether a statement is true if `world` says which of the statements are true."""
    if both := re.match(r"Either Statement (\d+) or Statement (\d+) is true", statement):
        return world[int(both[1]) - 1] != world[int(both[2]) - 1]
    number = world.count("false" not in statement)
    if counted := re.match(r"(At least|At most|Exactly) (\d+)", statement):
        limit = int(counted[2])
        return {"At least": number >= limit, "At most": number <= limit}.get(
            counted[1], number == limit
        )
    has_divisor = any(number % divisor == 0 for divisor in range(2, number))
    return number > 1 and has_divisor == ("composite" in statement)


@rule("bf", r"BF \(Brainf\*ck\).*\n\n([-+<>.,\[\]]+)\n")
def run_program(program: str) -> str:
    jumps, tape, output = brackets(program), [0] * 1000, ""
    here = cell = 0
    for _ in range(BF_STEP_LIMIT):
        if here == len(program):
            return output
        match program[here]:
            case ">" | "<" as move:
                cell += 1 if move == ">" else -1
            case "+" | "-" as change:
                tape[cell] = (tape[cell] + (1 if change == "+" else -1)) % 256
            case ".":
                output += chr(tape[cell])
            case "[" | "]" as bracket if (tape[cell] == 0) == (bracket == "["):
                here = jumps[here]
        here += 1
    raise ValueError("the program takes too many steps")


def brackets(program: str) -> dict[int, int]:
    """Map the position of each bracket to that of its partner."""
    jumps: dict[int, int] = {}
    opened: list[int] = []
    for place, character in enumerate(program):
        if character == "[":
            opened.append(place)
        elif character == "]":
            jumps[place] = opened.pop()
            jumps[jumps[place]] = place
    return jumps
