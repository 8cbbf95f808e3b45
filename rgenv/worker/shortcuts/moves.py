"""Rules for tasks whose answer is a sequence of moves, a path, an assignment or a formula.

The rules write something down without trying whether it works; several of these tasks accept any
sequence that does. Not shortcuts: a path followed backwards from its goal, or a colouring that
looks at neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import zip_longest
from types import MappingProxyType

from rgenv.worker.shortcuts.text import compact, ints
from rgenv.worker.work.moves import SOURCES

Answers = dict[str, str]
MAX_SUM = 5_000
"""Sums of numbers are followed up to this size."""


def color_cube_rotation(question: str) -> Answers:
    """Turn the cube in reverse order."""
    before, asked, turns = read_cube(question)
    return {"the turns in reverse": turned_cube(before, turns[::-1])[asked]}  # .59


def read_cube(question: str) -> tuple[Mapping[str, str], str, list[str]]:
    """Return the colours of the sides, the side that is asked for, and the turns."""
    before = {side: colour for colour, side in re.findall(r"- an? (\w+) (\w+) side", question)}
    asked = re.findall(r"color of the (\w+) side", question)[-1]
    turns = [
        re.findall("front|back|left|right|bottom", paragraph)[0]
        for paragraph in question.split("\n\n")[1:-1]
        if not paragraph.startswith("When the bottom")
    ]
    return before, asked, turns


def turned_cube(cube: Mapping[str, str], turns: list[str]) -> Mapping[str, str]:
    """Return the colours of the sides after each of `turns` was brought to the top."""
    for turn in turns:
        cube = {**cube, **{place: cube[source] for place, source in SOURCES[turn].items()}}
    return cube


def countdown(question: str) -> Answers:
    """Add and subtract all numbers, or multiply them."""
    text = question.split("\n", 1)[0]
    if text.startswith("Calculate") or text.startswith("Find"):
        target, *numbers = ints(text)
    else:
        *numbers, target = ints(text)
    answers = {"multiply all": " * ".join(map(str, numbers))}  # .03
    signed = {0: ""}
    for number in numbers[:12]:
        signed = {
            value + step: f"{text} {sign} {number}"
            for value, text in signed.items()
            for step, sign in ((-number, "-"), (number, "+"))
            if abs(value) < MAX_SUM
        }
    if target in signed:
        answers["add and subtract all"] = signed[target].strip().removeprefix("+ ")  # .43
    return answers


def puzzle24(question: str) -> Answers:
    """Write the numbers in order with fixed operators between them."""
    a, b, c, d = sorted(ints(question.split("using ", 1)[1].split(".", 1)[0]))[:4]
    return {
        "add all": f"{a}+{b}+{c}+{d}",  # .25
        "multiply all": f"{a}*{b}*{c}*{d}",  # .12
        "multiply the largest two, subtract the rest": f"{c}*{d}-{a}-{b}",  # .03
        "add two products": f"{a}*{d}+{b}*{c}",  # .03
    }


def graph_color(question: str) -> Answers:
    """Colour the vertices in turns, or each half in one colour."""
    vertices = ints(question.split("Vertices: ", 1)[1].split("\n", 1)[0])
    colours = ints(question.split("colors: ", 1)[1].split("\n", 1)[0])
    answers = {
        f"turns of {count}": compact({str(v): colours[n % count] for n, v in enumerate(vertices)})
        for count in sorted({2, 3, len(colours)})  # .12 .26 .30
        if count <= len(colours)
    }
    half = len(vertices) // 2
    if len(colours) > 1:
        halves = {str(v): colours[n >= half] for n, v in enumerate(vertices)}
        answers["two halves"] = compact(halves)  # .13
    return answers


def quantum_lock(question: str) -> Answers:
    """Press the button that leads nearest to the target, until it is reached."""
    value = int(re.findall(r"Start: (-?\d+)", question)[0])
    target = int(re.findall(r"Target: (-?\d+)", question)[0])
    red = "Start: " in question and "(red)" in question.split("Target", 1)[0]
    buttons = re.findall(r"(\w): (\w+) (\d+) \(when (\w+)\)", question)
    pressed: list[str] = []
    while value != target and len(pressed) < 12:
        light = "red" if red == (len(pressed) % 2 == 0) else "green"
        _, best = min((abs(target - _pressed(value, one, light)), one) for one in buttons)
        value = _pressed(value, best, light)
        pressed.append(best[0])
    return {"always the nearest": " → ".join(pressed)} if value == target else {}  # .62


def _pressed(value: int, button: tuple[str, str, str, str], light: str) -> int:
    _, kind, by, when = button
    if when not in (light, "any"):
        return value
    amount = int(by)
    return {"Add": value + amount, "Subtract": value - amount}.get(kind, value * amount)


def rush_hour(question: str) -> Answers:
    """Push what is in the way of the red car down first."""
    rows = question.split("Board:\n", 1)[1].strip().split("\n")
    row = next(line for line in rows if "AA" in line)
    ahead = row[row.index("AA") + 2 :]
    moves = [f"{car}+3" for car in dict.fromkeys(ahead) if car.isalpha()] + [f"AA+{len(ahead)}"]
    return {"the rest by +3, then the red car": " ".join(moves)}  # .04


def shortest_path(question: str) -> Answers:
    """Go straight in two lines, as if nothing were in the way."""
    rows = [line.split() for line in question.rsplit("grid:\n", 1)[1].strip().split("\n")]
    places = {
        cell: (y, x) for y, row in enumerate(rows) for x, cell in enumerate(row) if cell in "*#"
    }
    (y, x), (v, u) = places["*"], places["#"]
    down = ["down" if v > y else "up"] * abs(v - y)
    right = ["right" if u > x else "left"] * abs(u - x)
    return {
        "vertical first": " ".join(down + right),  # .46
        "horizontal first": " ".join(right + down),  # .49
        "both in turns": _in_turns(down, right),  # .50
        "both in turns, horizontal first": _in_turns(right, down),  # .48
    }


def _in_turns(one: list[str], other: list[str]) -> str:
    return " ".join(step for pair in zip_longest(one, other) for step in pair if step)


def sokoban(question: str) -> Answers:
    """Push the box nearest to its goal straight on."""
    rows = [line.split() for line in question.split("\n") if line.startswith("+ ")]
    rows = rows[1:] if rows and len(rows[0]) < 4 else rows
    places: dict[str, list[tuple[int, int]]] = {}
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            places.setdefault(cell, []).append((y, x))
    (y, x), (v, u), (goal_y, goal_x) = (
        (places.get("*", []) + places.get("%", []))[0],
        places["@"][0],
        (places.get("X", []) + places.get("%", []))[0],
    )
    down, right = goal_y - v, goal_x - u
    if down and right:
        return {}
    behind = (v - _sign(down), u - _sign(right))
    walk_down = ("D" if behind[0] > y else "U") * abs(behind[0] - y)
    walk_right = ("R" if behind[1] > x else "L") * abs(behind[1] - x)
    push = ("D" if down > 0 else "U") * abs(down) + ("R" if right > 0 else "L") * abs(right)
    return {
        "push straight, vertical first": walk_down + walk_right + push,  # .34
        "push straight, horizontal first": walk_right + walk_down + push,  # .27
    }


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


RULES: Mapping[str, Callable[[str], Answers]] = MappingProxyType(
    {
        "color_cube_rotation": color_cube_rotation,
        "countdown": countdown,
        "graph_color": graph_color,
        "puzzle24": puzzle24,
        "quantum_lock": quantum_lock,
        "rush_hour": rush_hour,
        "shortest_path": shortest_path,
        "sokoban": sokoban,
    }
)
