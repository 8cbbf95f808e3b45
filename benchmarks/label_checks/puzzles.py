"""Labels of puzzles, checked by playing the answer and by looking for a better one.

    tsumego(entry)    # False: another move takes more stones

Everything is read from the question. Where any solution will do, the answer has to be one; where
the shortest is asked for, no shorter one may exist. Not covered: zebra_puzzles, rush_hour, boxnet
and rubiks_cube (no answer, or proven by the generator).
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter, deque
from typing import Any

from benchmarks.label_checks.exact import value

Entry = dict[str, Any]
Cell = tuple[int, int]

_BESIDE = ((-1, 0), (1, 0), (0, -1), (0, 1))


def mahjong_puzzle(entry: Entry) -> bool | None:
    """The last round: the cards before it, and the one that is added."""
    question = entry["question"]
    hand = Counter(re.findall(r"initial cards ([A-Z]+)", question)[-1])
    rounds = re.findall(r"Add an? ([A-Z]) card and remove an? ([A-Z]) card", question)
    for added, removed in rounds[:-1]:
        hand[added] += 1
        hand[removed] -= 1
    new = ord(rounds[-1][0])
    have = [hand[chr(new + step)] > 0 for step in (-2, -1, 1, 2)]
    chi = any(a and b for a, b in itertools.pairwise(have))
    result = "Peng" if hand[chr(new)] >= 2 else "Chi" if chi else "Pass"
    return bool(entry["answer"] == result)


def tsumego(entry: Entry) -> bool | None:
    """None where two moves take as many stones as any."""
    rows = [line[3:].split() for line in entry["question"].split("```")[1].strip("\n").split("\n")]
    board = {(r, c): cell for r, row in enumerate(rows[1:]) for c, cell in enumerate(row)}
    taken = {point: _taken(board, point) for point, cell in board.items() if cell == "."}
    most = max(taken.values())
    best = [f"{chr(65 + c)}{len(rows) - 1 - r}" for (r, c), n in taken.items() if n == most > 0]
    if entry["answer"] in best:
        return True if len(best) == 1 else None
    return False


def _taken(board: dict[Cell, str], point: Cell) -> int:
    """White stones left without an empty point beside them when Black plays at `point`."""
    after = board | {point: "X"}
    dead: set[Cell] = set()
    for start in _beside(point, after):
        if after[start] == "O" and start not in dead:
            group, queue = {start}, [start]
            while queue:
                for near in _beside(queue.pop(), after):
                    if after[near] == "O" and near not in group:
                        group.add(near)
                        queue.append(near)
            if not any(after[near] == "." for stone in group for near in _beside(stone, after)):
                dead |= group
    return len(dead)


def _beside(cell: Cell, board: dict[Cell, str]) -> list[Cell]:
    cells = [(cell[0] + r, cell[1] + c) for r, c in _BESIDE]
    return [near for near in cells if near in board]


def color_cube_rotation(entry: Entry) -> bool | None:
    """None where the ways to turn the bottom up give different colors."""
    question = entry["question"]
    cube = {side: color for color, side in re.findall(r"- an? (\w+) (\w+) side", question)}
    over = ("front",) if "left and right sides stay" in question else ("front", "right")
    cubes = {tuple(sorted(cube.items()))}
    for step in question.split("\n\n")[1:-1]:
        side = re.search(r"(front|right|left|back|bottom)", step)
        if side and "When the bottom" not in step:
            turned = [turn for c in cubes for turn in _turns(dict(c), side[1], over)]
            cubes = {tuple(sorted(turn.items())) for turn in turned}
    asked = re.search(r"color of the (\w+) side", question)
    if asked is None:
        return None
    colors = {dict(c)[asked[1]] for c in cubes}
    return entry["answer"] in colors if len(colors) == 1 else None


RING = ["right", "top", "left", "bottom"]


def _turns(cube: dict[str, str], side: str, over: tuple[str, ...]) -> list[dict[str, str]]:
    """The cube with `side` on top, after a quarter turn, or half a turn by way of `over`."""
    if side == "bottom":
        halves = [_turns(cube, way, over)[0] for way in over]
        return [_turns(half, way, over)[0] for half, way in zip(halves, over, strict=True)]
    ring = ["front", "top", "back", "bottom"] if side in ("front", "back") else RING
    ring = ring if ring[0] == side else ring[::-1]
    if ring[0] != side:
        ring = ring[1:] + ring[:1]
    start = ring.index(side)
    turned = {ring[(n + 1) % 4]: cube[ring[n]] for n in range(4)}
    if ring[(start + 1) % 4] != "top":
        raise ValueError(side)
    return [cube | turned]


def quantum_lock(entry: Entry) -> bool | None:
    """None where it matters whether a button does nothing out of its light, or only the sum."""
    question = entry["question"]
    start, light, target = re.findall(r"Start: (-?\d+) \((\w+)\)\nTarget: (-?\d+)", question)[0]
    buttons = {
        name: (kind, int(number), when)
        for name, kind, number, when in re.findall(
            r"^([A-C]): (\w+) (\d+) \(when (\w+)\)", question, re.MULTILINE
        )
    }
    path = re.findall("[A-C]", entry["answer"])
    lengths = {
        _presses(int(start), light, int(target), buttons, idle, len(path)) for idle in (0, 1)
    }
    number, color = int(start), light
    for name in path:
        if buttons[name][2] not in (color, "any"):
            return False
        number, color = _operated(number, buttons[name]), _other(color)
    if number != int(target) or len(path) not in lengths:
        return False
    return True if len(lengths) == 1 else None


def _other(color: str) -> str:
    return "red" if color == "green" else "green"


def _operated(number: int, button: tuple[str, int, str]) -> int:
    kind, by, _ = button
    return {"Add": number + by, "Subtract": number - by, "Multiply": number * by}[kind]


def _presses(
    start: int,
    light: str,
    target: int,
    buttons: dict[str, tuple[str, int, str]],
    idle: int,
    most: int,
) -> int | None:
    """The least number of presses; `idle`: whether one out of its light still turns the light."""
    states = {(start, light)}
    seen = set(states)
    for presses in range(most + 1):
        if any(number == target for number, _ in states):
            return presses
        after = set()
        for number, color in states:
            for button in buttons.values():
                if button[2] in (color, "any"):
                    after.add((_operated(number, button), _other(color)))
                elif idle:
                    after.add((number, _other(color)))
        states = after - seen
        seen |= after
    return None


def knight_swap(entry: Entry) -> bool | None:
    """Plays the moves; for "No", tries them all on the squares that are drawn."""
    question = entry["question"]
    lines = question.split("```")[1].strip("\n").split("\n")
    columns = lines[0].split()
    board = {}
    for line in lines[2::2]:
        row, *cells = line.split("|")
        for column, cell in zip(columns, cells, strict=False):
            if cell.strip():
                board[f"{column}{row.strip()}"] = cell.strip()
    first = re.search(r"(\w) moves first", question)
    if first is None:
        return None
    near = {a: [b for b in board if _knight(a, b)] for a in board}
    white = frozenset(square for square, piece in board.items() if piece == "w")
    black = frozenset(square for square, piece in board.items() if piece == "B")
    if entry["answer"] == "No":
        return _no_swap(near, white, black, first[1])
    sides, turn = {"w": set(white), "B": set(black)}, first[1]
    for color, start, end in (move.split(",") for move in json.loads(entry["answer"])):
        if color != turn or start not in sides[color] or end not in near[start]:
            return False
        if end in sides["w"] | sides["B"]:
            return False
        sides[color] ^= {start, end}
        turn = "B" if turn == "w" else "w"
    return sides == {"w": black, "B": white}


def _knight(a: str, b: str) -> bool:
    return {abs(ord(a[0]) - ord(b[0])), abs(int(a[1:]) - int(b[1:]))} == {1, 2}


def _no_swap(
    near: dict[str, list[str]], white: frozenset[str], black: frozenset[str], first: str
) -> bool | None:
    """None after a million positions."""
    start = (white, black) if first == "w" else (black, white)
    goal = {(black, white, True), (white, black, False)}
    queue = deque([(*start, first == "w")])  # who moves, who waits, whether white moves
    seen = set(queue)
    while queue:
        if len(seen) > 1_000_000:
            return None
        movers, others, whites_turn = queue.popleft()
        if (movers, others, whites_turn) in goal:
            return False
        for square in movers:
            for end in near[square]:
                if end not in movers and end not in others:
                    state = (others, movers ^ {square, end}, not whites_turn)
                    if state not in seen:
                        seen.add(state)
                        queue.append(state)
    return True


def jugs(entry: Entry) -> bool | None:
    """Pours; None for the solver's own "No solution"."""
    sizes = {a: int(n) for a, n in re.findall(r"([A-Z]):(\d+)", entry["question"])}
    target = re.search(r"target is: (\d+)", entry["question"])
    moves = json.loads(entry["answer"])
    if target is None or moves == ["No solution"]:
        return None
    water = dict.fromkeys(sizes, 0)
    for move in moves:
        word, what = move.split()
        if word == "pour":
            a, b = what.split("->")
            flow = min(water[a], sizes[b] - water[b])
            water[a], water[b] = water[a] - flow, water[b] + flow
        else:
            water[what] = sizes[what] if word == "fill" else 0
    return int(target[1]) in water.values()


def tower_of_hanoi(entry: Entry) -> bool | None:
    setting = r"(\d+) disks and (\d+) pegs.\nMove all disks from Peg (\d+) to Peg (\d+)"
    disks, pegs, start, target = map(int, re.findall(setting, entry["question"])[0])
    stacks = {peg: [] for peg in range(1, pegs + 1)} | {start: list(range(disks, 0, -1))}
    for disk, source, goal in re.findall(
        r"Move disk (\d+) from Peg (\d+) to Peg (\d+)", entry["answer"]
    ):
        stack = stacks[int(goal)]
        if stacks[int(source)].pop() != int(disk) or (stack and stack[-1] < int(disk)):
            return False
        stack.append(int(disk))
    return len(stacks[target]) == disks


def word_ladder(entry: Entry) -> bool | None:
    """The ends and the steps; whether the words are English is not checked."""
    start, end = re.findall(r"'([A-Z]+)'", entry["question"])
    words = entry["answer"].split(",")
    steps = [sum(a != b for a, b in zip(x, y, strict=True)) for x, y in itertools.pairwise(words)]
    return words[0] == start and words[-1] == end and set(steps) <= {1}


def countdown(entry: Entry) -> bool | None:
    numbers = re.search(r"(?:numbers?|from|using|with|:)[^\n]*?((?:\d+, )+\d+)", entry["question"])
    targets = re.findall(
        r"(?<![\d, ])\s(\d+)(?!,)(?=[\s.:?])", entry["question"].split("\nEach")[0]
    )
    if numbers is None or not targets:
        return None
    used = Counter(re.findall(r"\d+", entry["answer"])) - Counter(numbers[1].split(", "))
    return not used and value(entry["answer"]) in {int(target) for target in targets}


def puzzle24(entry: Entry) -> bool | None:
    given = re.findall(r"\d+", entry["question"].split("using")[1].split(".")[0])
    used = re.findall(r"\d+", entry["answer"])
    return sorted(given) == sorted(used) and value(entry["answer"]) == 24


def cryptarithm(entry: Entry) -> bool | None:
    """One solution; others that may exist are accepted by the scorer too."""
    words = re.findall(r"^[+ ]+([A-Z]+)$", entry["question"], re.MULTILINE)
    digits = {a: int(n) for a, n in (pair.split("=") for pair in entry["answer"].split(","))}
    numbers = [int("".join(str(digits[letter]) for letter in word)) for word in words]
    zero = "No leading letter can be zero" in entry["question"]
    return (
        sum(numbers[:-1]) == numbers[-1]
        and len(set(digits.values())) == len(digits)
        and set(digits) == set("".join(words))
        and not (zero and any(digits[word[0]] == 0 for word in words))
    )


def sokoban(entry: Entry) -> bool | None:
    rows = [line.split() for line in entry["question"].split("puzzle:\n")[1].strip().split("\n")]
    cells = {(r, c): cell for r, row in enumerate(rows) for c, cell in enumerate(row)}
    walls = {at for at, cell in cells.items() if cell == "+"}
    boxes = {at for at, cell in cells.items() if cell in "@$"}
    goals = {at for at, cell in cells.items() if cell in "X$%"}
    [(r, c)] = [at for at, cell in cells.items() if cell in "*%"]
    for move in entry["answer"]:
        dr, dc = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}[move]
        r, c = r + dr, c + dc
        if (r, c) in boxes:
            if (r + dr, c + dc) in boxes | walls:
                return False
            boxes ^= {(r, c), (r + dr, c + dc)}
        if (r, c) in walls:
            return False
    return boxes == goals or boxes <= goals
