"""Press buttons, whose effect changes, to reach a number."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.answers.lists import joined_items, matching
from rgenv.tasks.answers.moves import Moves
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Answers, Levels, LibraryVerifier, Task
from rgenv.tasks.symmetries import question_numbers

_read_buttons = matching("[A-C]+")


class Buttons(Moves):
    """Letters in any form of a list, also next to each other."""

    separator = " → "
    extra = "A"

    def read(self, text: str, entry: Entry) -> str | None:
        return self.separator.join(joined_items(text.upper(), _read_buttons, "") or "") or None

    def forms(self, reference: str, question: str) -> Forms:
        pressed = reference.split(self.separator)
        return {
            "tight arrows": "→".join(pressed),
            "ASCII arrows": " -> ".join(pressed),
            "commas": ", ".join(pressed),
            "spaces": " ".join(pressed),
            "lines": "\n".join(pressed),
        }


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if another reading of the rules allows a shorter sequence.

    The library ignores a button that the light disables. By the question's words, pressing it
    still toggles the light.
    """
    meta = entry["metadata"]
    length = len(meta["solution_path"])
    states = seen = {(meta["initial_value"], meta["initial_state"])}
    for _ in range(length):
        if any(value == meta["target_value"] for value, _ in states):
            return None
        states = {press(state, button) for state in states for button in meta["buttons"]} - seen
        seen = seen | states
    return entry


def press(state: tuple[int, str], button: Mapping[str, Any]) -> tuple[int, str]:
    """Return the number and the light after a press of a button of quantum_lock."""
    value, light = state
    if button["active_state"] in (light, "any"):
        by = button["value"]
        value = {"add": value + by, "subtract": value - by, "multiply": value * by}[button["type"]]
    return value, "red" if light == "green" else "green"


_BUTTONS = re.compile(r"[A-C]([\s,→>-]+[A-C])*", re.IGNORECASE)


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for a shortest sequence, which the question asks for.

    A press always toggles the light, as the question says, also if the button does nothing in that
    light. The library ignores such a press, gives 1.0 to the right buttons scattered over prose,
    and 0.5 to pressing on until the target appears.
    """
    lock = entry["metadata"]
    presses = re.findall("[A-C]", answer.upper())
    if not _BUTTONS.fullmatch(answer.strip()) or len(presses) != len(lock["solution_path"]):
        return 0.0
    buttons = {button["name"]: button for button in lock["buttons"]}
    state = lock["initial_value"], lock["initial_state"]
    for name in presses:
        state = press(state, buttons[name])
    return float(state[0] == lock["target_value"])


def shortcuts(question: str) -> Answers:
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


def work(entry: Entry) -> float:
    """Count the buttons of a shortest sequence."""
    return float(len(entry["answer"].split("→")))


def quantum_lock_puzzle(_self: Any, rng: Random, difficulty: int = 1) -> dict[str, Any]:
    """Return a puzzle that can be solved, with a shortest solution."""
    while True:
        buttons = _buttons(rng, difficulty)
        base_target = 5 + difficulty**1.5
        variance = rng.randint(-int(base_target * 0.2), int(base_target * 0.3))
        target = max(8, int(base_target + variance))
        max_steps = min(15, 6 + int(difficulty * 1.5))
        solution = _shortest_presses(buttons, target, max_steps)
        if solution is not None:
            return {
                "initial_value": 0,
                "initial_state": "red",
                "target_value": target,
                "buttons": buttons,
                "max_steps": max_steps,
                "solution": solution,
            }


def _buttons(rng: Random, difficulty: int) -> list[dict[str, Any]]:
    """Return three buttons with different effects."""
    steps = [2, 3] if difficulty >= 5 else [1, 2]
    operations = [
        ("add", steps),
        ("subtract", steps),
        ("multiply", [2, 3] if difficulty >= 7 else [2]),
    ]
    buttons: list[dict[str, Any]] = []
    used = set()
    while len(buttons) < 3:
        kind, values = rng.choice(operations)
        value = rng.choice(values)
        light = rng.choices(["any", "green", "red"], weights=[4, 2, 1], k=1)[0]
        if (kind, value, light) not in used:
            used.add((kind, value, light))
            name = chr(ord("A") + len(buttons))
            buttons.append({"name": name, "type": kind, "value": value, "active_state": light})
    return buttons


def _shortest_presses(
    buttons: Sequence[Mapping[str, Any]], target: int, max_steps: int
) -> list[str] | None:
    """Return the first of the shortest sequences of buttons, in their order; None without one."""
    start = (0, "red")
    came_from: dict[tuple[int, str], tuple[tuple[int, str], str] | None] = {start: None}
    depth = {start: 0}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        value, light = state
        if value == target:
            return _path(came_from, state)
        if depth[state] == max_steps:
            continue
        other = "green" if light == "red" else "red"
        # At most 3 is added or subtracted at a time, and a product is farther from 0.
        reach = 3 * (max_steps - depth[state] - 1)
        for button in buttons:
            if button["active_state"] not in (light, "any"):
                continue
            new = _light_after(button, value)
            moved = (new, other)
            if moved not in came_from and -reach <= new <= target + reach:
                came_from[moved] = state, button["name"]
                depth[moved] = depth[state] + 1
                queue.append(moved)
    return None


def _light_after(button: Mapping[str, Any], value: int) -> int:
    by = int(button["value"])
    return {"add": value + by, "subtract": value - by, "multiply": value * by}[button["type"]]


def _path(came_from: Mapping[Any, Any], state: Any) -> list[str]:
    names: list[str] = []
    while (step := came_from[state]) is not None:
        state, name = step
        names.append(name)
    return names[::-1]


TASK = Task(
    answer=Buttons(),
    correct=correct,
    verify=verify,
    clarify=(("", "A button that does nothing in the present light still toggles the light."),),
    shortcuts=shortcuts,
    several_answers=True,
    family=question_numbers,
    work=work,
    # The library draws a difficulty from 1 to this one, so problems are also chosen by the
    # length of the shortest sequence.
    levels=Levels(
        knots={"difficulty": [8, 11, 15, 20, 28]},
        work=[(3, 5.5), (6, 6.9), (7, 7.9), (8, 9), (9, 15)],
    ),
    faster={"graphs.quantum_lock:QuantumLockDataset:generate_quantum_puzzle": quantum_lock_puzzle},
    accepted={
        "blind": (
            "the answer to another problem may be a shortest sequence that the "
            "library does not count"
        ),
        "wrong": (
            "the answer to another problem may be a shortest sequence that the "
            "library does not count"
        ),
    },
)
