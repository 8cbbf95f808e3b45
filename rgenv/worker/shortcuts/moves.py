"""Rules for tasks whose answer is a sequence of moves, a path, an assignment or a formula.

The rules write something down without trying whether it works; several of these tasks accept any
sequence that does. Not shortcuts: the minimal moves of a tower, a path followed backwards from its
goal, or a colouring that looks at neighbours.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise
from types import MappingProxyType

from rgenv.worker.shortcuts.text import after, compact, ints
from rgenv.worker.work.moves import SOURCES

Answers = dict[str, str]
MAX_SUM = 5_000
"""Sums of numbers are followed up to this size."""


def boxnet(question: str) -> Answers:
    """Take the first or last action of each agent, once or several times."""
    agents = re.findall(r"(Agent\[[^\]]*\]): .*I can do \[(.*)\]", question)
    actions = {name: re.findall(r"'([^']*)'", listed) for name, listed in agents}
    first = {name: listed[0] for name, listed in actions.items() if listed}
    last = {name: listed[-1] for name, listed in actions.items() if listed}
    return {
        "one action each": json.dumps([first]),
        "the last action each": json.dumps([last]),
        "nothing": "[]",
    }


def color_cube_rotation(question: str) -> Answers:
    """Turn the cube in reverse order."""
    before, asked, turns = read_cube(question)
    return {"the turns in reverse": turned_cube(before, turns[::-1])[asked]}


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
    shown = [str(number) for number in numbers]
    answers = {"add all": " + ".join(shown), "multiply all": " * ".join(shown)}
    signed = {0: ""}
    for number in numbers[:12]:
        signed = {
            value + step: f"{text} {sign} {number}"
            for value, text in signed.items()
            for step, sign in ((-number, "-"), (number, "+"))
            if abs(value) < MAX_SUM
        }
    if target in signed:
        answers["add and subtract all"] = signed[target].strip().removeprefix("+ ")
    if len(numbers) > 2:
        answers["multiply the first two, add the rest"] = f"{shown[0]} * " + " + ".join(shown[1:])
        answers["multiply the last two, add the rest"] = " + ".join(shown[:-1]) + f" * {shown[-1]}"
    return answers


def puzzle24(question: str) -> Answers:
    """Write the numbers in order with fixed operators between them."""
    a, b, c, d = sorted(ints(question.split("using ", 1)[1].split(".", 1)[0]))[:4]
    return {
        "add all": f"{a}+{b}+{c}+{d}",
        "multiply all": f"{a}*{b}*{c}*{d}",
        "multiply the largest two, add the rest": f"{a}+{b}+{c}*{d}",
        "multiply the largest two, subtract the rest": f"{c}*{d}-{a}-{b}",
        "multiply two sums": f"({a}+{b})*({c}+{d})",
        "multiply the largest by the sum of the rest": f"{d}*({a}+{b}+{c})",
        "add two products": f"{a}*{d}+{b}*{c}",
        "multiply three, add one": f"{b}*{c}*{a}+{d}",
    }


def cryptarithm(question: str) -> Answers:
    """Give the letters the digits in the order of the alphabet or of their first place."""
    block = question.split("cryptarithm:\n\n", 1)[1].split("\n\n", 1)[0]
    letters = list(dict.fromkeys(re.findall(r"[A-Z]", block)))
    by_use = [letter for letter, _ in Counter(re.findall(r"[A-Z]", block)).most_common()]
    orders = {"alphabet": sorted(letters), "first place": letters, "number of uses": by_use}
    return {
        f"digits in the order of the {name}": ",".join(
            f"{letter}={digit}" for digit, letter in enumerate(order)
        )
        for name, order in orders.items()
    }


def graph_color(question: str) -> Answers:
    """Colour the vertices in turns, each with its own colour, or all alike."""
    vertices = ints(question.split("Vertices: ", 1)[1].split("\n", 1)[0])
    colours = ints(question.split("colors: ", 1)[1].split("\n", 1)[0])
    answers = {
        f"turns of {count}": compact({str(v): colours[n % count] for n, v in enumerate(vertices)})
        for count in sorted({2, 3, len(colours)})
        if count <= len(colours)
    }
    half = len(vertices) // 2
    answers["two halves"] = compact(
        {str(v): colours[n >= half] for n, v in enumerate(vertices)} if len(colours) > 1 else {}
    )
    if len(colours) >= len(vertices):
        answers["each its own"] = compact(dict(zip(map(str, vertices), colours, strict=False)))
    return answers


def jugs(question: str) -> Answers:
    """Write down a fixed sequence of moves, whatever the jugs hold."""
    names = re.findall(r"([A-Z]):\d+", question.rsplit("litres of water", 1)[1])
    pairs = [(a, b) for a in names for b in names if a != b]
    short = [
        f"fill {names[0]}",
        *(f"pour {a}->{b}" for a, b in pairwise(names)),
    ]
    rounds = [
        move
        for a, b in pairs
        for move in [f"fill {a}", f"pour {a}->{b}", f"empty {b}", f"pour {a}->{b}"] * 12
    ]
    inwards = [
        move for a, b in pairs for move in [f"fill {a}", f"pour {a}->{b}"] * 4 + [f"empty {b}"]
    ]
    return {
        "fill one": json.dumps([f"fill {names[0]}"]),
        "fill all": json.dumps([f"fill {name}" for name in names]),
        "fill one, pour along": json.dumps(short),
        "fill and pour between all pairs": json.dumps(inwards),
        "empty and refill between all pairs": json.dumps(rounds),
    }


def path_star(question: str) -> Answers:
    """Join start and goal."""
    start, goal = after(":\n", question).strip("|= ").rpartition("/")[2].split()[:2]
    return {"start and goal": f"{start} {goal}"}


def quantum_lock(question: str) -> Answers:
    """Press one button until the target is near, two in turns, or always the best."""
    start = int(re.findall(r"Start: (-?\d+)", question)[0])
    target = int(re.findall(r"Target: (-?\d+)", question)[0])
    red = "Start: " in question and "(red)" in question.split("Target", 1)[0]
    buttons = re.findall(r"(\w): (\w+) (\d+) \(when (\w+)\)", question)
    orders: dict[str, Callable[[int], list[tuple[str, str, str, str]]]] = {
        f"only {button[0]}": lambda _, button=button: [button]  # type: ignore[misc]
        for button in buttons
    }
    orders["in turns"] = lambda n: [buttons[n % len(buttons)]]
    orders["always the nearest"] = lambda _: buttons
    answers = {}
    for name, choices in orders.items():
        value, pressed = start, list[str]()
        while value != target and len(pressed) < 12:
            light = "red" if red == (len(pressed) % 2 == 0) else "green"
            after_press = [
                (abs(target - _pressed(value, button, light)), button)
                for button in choices(len(pressed))
            ]
            _, best = min(after_press)
            value = _pressed(value, best, light)
            pressed.append(best[0])
        if value == target:
            answers[name] = " → ".join(pressed)
    return answers


def _pressed(value: int, button: tuple[str, str, str, str], light: str) -> int:
    _, kind, by, when = button
    if when not in (light, "any"):
        return value
    amount = int(by)
    return {"Add": value + amount, "Subtract": value - amount}.get(kind, value * amount)


def rubiks_cube(question: str) -> Answers:
    """Turn one side."""
    return {f"turn {side}": side for side in ("R", "U'")}


def rush_hour(question: str) -> Answers:
    """Move the red car alone, or push what is in its way up or down first."""
    rows = question.split("Board:\n", 1)[1].strip().split("\n")
    row = next(line for line in rows if "AA" in line)
    place = row.index("AA")
    ahead = row[place + 2 :]
    answers = {"only the red car": f"AA+{len(ahead)}"}
    blocking = [car for car in dict.fromkeys(ahead) if car.isalpha()]
    for by in ("+1", "-1", "+2", "-2", "+3", "-3"):
        moves = [f"{car}{by}" for car in blocking] + [f"AA+{len(ahead)}"]
        answers[f"the rest by {by}, then the red car"] = " ".join(moves)
    return answers


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
        "vertical first": " ".join(down + right),
        "horizontal first": " ".join(right + down),
        "both in turns": " ".join(step for pair in zip(down, right, strict=False) for step in pair)
        + " "
        + " ".join(down[len(right) :] + right[len(down) :]),
        "both in turns, horizontal first": " ".join(
            step for pair in zip(right, down, strict=False) for step in pair
        )
        + " "
        + " ".join(down[len(right) :] + right[len(down) :]),
    }


def sokoban(question: str) -> Answers:
    """Take a single step, or push the box nearest to its goal straight on."""
    rows = [line.split() for line in question.split("\n") if line.startswith("+ ")]
    rows = rows[1:] if rows and len(rows[0]) < 4 else rows
    places: dict[str, list[tuple[int, int]]] = {}
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            places.setdefault(cell, []).append((y, x))
    answers = {step: step for step in "LRUD"}
    if "@" not in places:
        return answers
    (y, x), (v, u), (goal_y, goal_x) = (
        (places.get("*", []) + places.get("%", []))[0],
        places["@"][0],
        (places.get("X", []) + places.get("%", []))[0],
    )
    down, right = goal_y - v, goal_x - u
    if not down or not right:
        behind = (v - _sign(down), u - _sign(right))
        walk_down = ("D" if behind[0] > y else "U") * abs(behind[0] - y)
        walk_right = ("R" if behind[1] > x else "L") * abs(behind[1] - x)
        push = ("D" if down > 0 else "U") * abs(down) + ("R" if right > 0 else "L") * abs(right)
        answers["push straight, vertical first"] = walk_down + walk_right + push
        answers["push straight, horizontal first"] = walk_right + walk_down + push
    return answers


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


def tower_of_hanoi(question: str) -> Answers:
    """Move all disks one by one to the target."""
    disks = int(re.findall(r"with (\d+) disks", question)[0])
    start, end = re.findall(r"from Peg (\d+) to Peg (\d+) following", question)[0]
    text = "Move disk {} from Peg {} to Peg {}".format
    moves = (text(disk, start, end) for disk in range(1, disks + 1))
    return {"each disk at once": "\n".join(moves)}


RULES: Mapping[str, Callable[[str], Answers]] = MappingProxyType(
    {
        "boxnet": boxnet,
        "color_cube_rotation": color_cube_rotation,
        "countdown": countdown,
        "cryptarithm": cryptarithm,
        "graph_color": graph_color,
        "jugs": jugs,
        "path_star": path_star,
        "puzzle24": puzzle24,
        "quantum_lock": quantum_lock,
        "rubiks_cube": rubiks_cube,
        "rush_hour": rush_hour,
        "shortest_path": shortest_path,
        "sokoban": sokoban,
        "tower_of_hanoi": tower_of_hanoi,
    }
)
