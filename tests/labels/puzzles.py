"""Checks of puzzles, by playing the answer and searching for a better one.

The answer must be a solution. If the question asks for the shortest one, none may be shorter.
"""

import itertools
import json
import re
from collections import Counter, deque

from tests.labels.shared import STEPS, Cell, Verdict, cells_of, distances, find, neighbours, value


def mahjong_puzzle(question: str, answer: str) -> Verdict:
    """Play all rounds, and compare the last card with the hand before it."""
    hand = Counter(re.findall(r"initial cards ([A-Z]+)", question)[-1])
    rounds = re.findall(r"Add an? ([A-Z]) card and remove an? ([A-Z]) card", question)
    for added, removed in rounds[:-1]:
        hand[added] += 1
        hand[removed] -= 1
    new = ord(rounds[-1][0])
    have = [hand[chr(new + step)] > 0 for step in (-2, -1, 1, 2)]
    chi = any(a and b for a, b in itertools.pairwise(have))
    result = "Peng" if hand[chr(new)] >= 2 else "Chi" if chi else "Pass"
    return answer == result


def tsumego(question: str, answer: str) -> Verdict:
    """Try every move; None if another move captures as many stones as the best one."""
    rows = [line[3:].split() for line in question.split("```")[1].strip("\n").split("\n")]
    board = {(r, c): cell for r, row in enumerate(rows[1:]) for c, cell in enumerate(row)}
    captures = {point: _captures(board, point) for point, cell in board.items() if cell == "."}
    most = max(captures.values())
    best = [f"{chr(65 + c)}{len(rows) - 1 - r}" for (r, c), n in captures.items() if n == most > 0]
    if answer in best:
        return True if len(best) == 1 else None
    return False


def _captures(board: dict[Cell, str], point: Cell) -> int:
    """Return the number of white stones without a liberty after Black plays at `point`."""
    after = board | {point: "X"}
    white = {cell for cell, stone in after.items() if stone == "O"}
    captured: set[Cell] = set()
    for start in white.intersection(neighbours(point)):
        group = distances(white, [start]).keys()
        if not any(after.get(near) == "." for stone in group for near in neighbours(stone)):
            captured |= group
    return len(captured)


def color_cube_rotation(question: str, answer: str) -> Verdict:
    """Turn the cube; the left and the right side stay when the bottom is brought to the top."""
    cube = {side: color for color, side in re.findall(r"- an? (\w+) (\w+) side", question)}
    for step in question.split("\n\n")[1:-1]:
        side = find(r"(front|right|left|back|bottom)", step)[1]
        for way in ("front", "front") if side == "bottom" else (side,):
            cube = _turned(cube, way)
    asked = find(r"color of the (\w+) side", question)[1]
    return bool(answer == cube[asked])


def _turned(cube: dict[str, str], side: str) -> dict[str, str]:
    """Return the cube, side -> color, with `side` on top."""
    # The sides in the order of the turn: each moves to the place of the next.
    opposite = {"front": "back", "back": "front", "left": "right", "right": "left"}[side]
    ring = [side, "top", opposite, "bottom"]
    return cube | {ring[(n + 1) % 4]: cube[ring[n]] for n in range(4)}


def quantum_lock(question: str, answer: str) -> Verdict:
    """Press the buttons; None if the shortest sequence depends on the reading of the rules.

    A button that the light disables may do nothing at all, or may still toggle the light.
    """
    number, light, target = re.findall(r"Start: (-?\d+) \((\w+)\)\nTarget: (-?\d+)", question)[0]
    button = r"^([A-C]): (\w+) (\d+) \(when (\w+)\)"
    buttons = {name: rest for name, *rest in re.findall(button, question, re.MULTILINE)}
    path, start, goal = re.findall("[A-C]", answer), (int(number), light), int(target)
    state: State | None = start
    for name in path:
        state = _press(buttons[name], state) if state else None
    most = len(path)
    lengths = {_least_presses(start, goal, buttons, most, toggles) for toggles in (False, True)}
    if state is None or state[0] != goal or most not in lengths:
        return False
    return True if len(lengths) == 1 else None


State = tuple[int, str]
"""The number and the color of the light."""


def _press(button: list[str], state: State) -> State | None:
    """Return the state after a button is pressed; None if the light disables it."""
    (operation, by, when), (number, color) = button, state
    if when not in (color, "any"):
        return None
    results = {"Add": number + int(by), "Subtract": number - int(by), "Multiply": number * int(by)}
    return results[operation], _other(color)


def _other(color: str) -> str:
    return "red" if color == "green" else "green"


def _least_presses(
    start: State, target: int, buttons: dict[str, list[str]], most: int, toggles: bool
) -> int | None:
    """Return the least number of presses up to `most`, or None.

    Args:
        toggles: a disabled button still toggles the light.
    """
    states, seen = {start}, {start}
    for presses in range(most + 1):
        if any(number == target for number, _ in states):
            return presses
        after = set()
        for state, button in itertools.product(states, buttons.values()):
            stays = (state[0], _other(state[1])) if toggles else state
            after.add(_press(button, state) or stays)
        states = after - seen
        seen |= after
    return None


def knight_swap(question: str, answer: str) -> Verdict:
    """Play the moves; for "No", search all sequences on the squares that the board shows."""
    lines = question.split("```")[1].strip("\n").split("\n")
    columns = lines[0].split()
    board = {}
    for line in lines[2::2]:
        row, *cells = line.split("|")
        for column, cell in zip(columns, cells, strict=False):
            if cell.strip():
                board[f"{column}{row.strip()}"] = cell.strip()
    first = find(r"(\w) moves first", question)[1]
    near = {a: [b for b in board if _is_knight_move(a, b)] for a in board}
    white = frozenset(square for square, piece in board.items() if piece == "w")
    black = frozenset(square for square, piece in board.items() if piece == "B")
    if answer == "No":
        return _is_impossible(near, white, black, first)
    sides, turn = {"w": set(white), "B": set(black)}, first
    for color, start, end in (move.split(",") for move in json.loads(answer)):
        if color != turn or start not in sides[color] or end not in near[start]:
            return False
        if end in sides["w"] | sides["B"]:
            return False
        sides[color] ^= {start, end}
        turn = "B" if turn == "w" else "w"
    return sides == {"w": black, "B": white}


def _is_knight_move(a: str, b: str) -> bool:
    return {abs(ord(a[0]) - ord(b[0])), abs(int(a[1:]) - int(b[1:]))} == {1, 2}


def _is_impossible(
    near: dict[str, list[str]], white: frozenset[str], black: frozenset[str], first: str
) -> Verdict:
    """Return whether no sequence of moves swaps the knights; None after a million positions."""
    start = (white, black) if first == "w" else (black, white)
    goal = {(black, white, True), (white, black, False)}
    queue = deque([(*start, first == "w")])  # the side to move, the other side, whether white moves
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


def jugs(question: str, answer: str) -> Verdict:
    """Pour the water; None for the answer "No solution"."""
    sizes = {a: int(n) for a, n in re.findall(r"([A-Z]):(\d+)", question)}
    target = int(find(r"target is: (\d+)", question)[1])
    moves = json.loads(answer)
    if moves == ["No solution"]:
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
    return target in water.values()


def tower_of_hanoi(question: str, answer: str) -> Verdict:
    setting = r"(\d+) disks and (\d+) pegs.\nMove all disks from Peg (\d+) to Peg (\d+)"
    disks, pegs, start, target = map(int, re.findall(setting, question)[0])
    stacks: dict[int, list[int]] = {peg: [] for peg in range(1, pegs + 1)}
    stacks[start] = list(range(disks, 0, -1))
    for disk, source, goal in re.findall(r"Move disk (\d+) from Peg (\d+) to Peg (\d+)", answer):
        stack = stacks[int(goal)]
        if stacks[int(source)].pop() != int(disk) or (stack and stack[-1] < int(disk)):
            return False
        stack.append(int(disk))
    return len(stacks[target]) == disks


def word_ladder(question: str, answer: str) -> Verdict:
    """Test both ends and every step, but not whether the words are English."""
    start, end = re.findall(r"'([A-Z]+)'", question)
    words = answer.split(",")
    steps = [sum(a != b for a, b in zip(x, y, strict=True)) for x, y in itertools.pairwise(words)]
    return words[0] == start and words[-1] == end and set(steps) <= {1}


def countdown(question: str, answer: str) -> Verdict:
    """Evaluate the formula, and test that it uses no number more often than given."""
    numbers = find(r"(?:numbers?|from|using|with|:)[^\n]*?((?:\d+, )+\d+)", question)
    targets = re.findall(r"(?<![\d, ])\s(\d+)(?!,)(?=[\s.:?])", question.split("\nEach")[0])
    if not targets:
        raise ValueError(question)
    used = Counter(re.findall(r"\d+", answer)) - Counter(numbers[1].split(", "))
    return not used and value(answer) in {int(target) for target in targets}


def puzzle24(question: str, answer: str) -> Verdict:
    """Evaluate the formula, and test that it uses the given numbers."""
    given = re.findall(r"\d+", question.split("using")[1].split(".")[0])
    used = re.findall(r"\d+", answer)
    return sorted(given) == sorted(used) and value(answer) == 24


def cryptarithm(question: str, answer: str) -> Verdict:
    """Test that the answer is a solution; the library's verifier accepts others too."""
    words = re.findall(r"^[+ ]+([A-Z]+)$", question, re.MULTILINE)
    digits = {a: int(n) for a, n in (pair.split("=") for pair in answer.split(","))}
    numbers = [int("".join(str(digits[letter]) for letter in word)) for word in words]
    zero = "No leading letter can be zero" in question
    return (
        sum(numbers[:-1]) == numbers[-1]
        and len(set(digits.values())) == len(digits)
        and set(digits) == set("".join(words))
        and not (zero and any(digits[word[0]] == 0 for word in words))
    )


def sokoban(question: str, answer: str) -> Verdict:
    rows = [line.split() for line in question.split("puzzle:\n")[1].strip().split("\n")]
    walls, boxes, goals = (set(cells_of(rows, signs)) for signs in ("+", "@$", "X$%"))
    [(r, c)] = cells_of(rows, "*%")
    steps = {name[0].upper(): step for name, step in STEPS.items()}
    for move in answer:
        dr, dc = steps[move]
        r, c = r + dr, c + dc
        if (r, c) in boxes:
            if (r + dr, c + dc) in boxes | walls:
                return False
            boxes ^= {(r, c), (r + dr, c + dc)}
        if (r, c) in walls:
            return False
    return boxes <= goals
