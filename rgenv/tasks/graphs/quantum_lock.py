"""Press buttons, whose effect changes, to reach a number."""

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from rgenv.tasks import Answer, Answers, Entry, LibraryVerifier, Task, moving, question_numbers
from rgenv.tasks.answers.lists import joined_items, matching

State = tuple[int, str]
"""The number and the light."""
Button = Mapping[str, Any]
OTHER = {"red": "green", "green": "red"}
_read_buttons = matching("[A-C]+")


class Buttons(Answer):
    """Letters in any form of a list, also next to each other."""

    name = "moves"
    must_be_read = True

    def read(self, text: str, entry: Entry) -> str | None:
        return " → ".join(joined_items(text.upper(), _read_buttons, "") or "") or None


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if another reading of the rules allows a shorter sequence.

    The library ignores a button that the light disables. By the question's words, pressing it
    still toggles the light.
    """
    lock = entry["metadata"]
    states = seen = {(lock["initial_value"], lock["initial_state"])}
    for _ in lock["solution_path"]:
        if any(value == lock["target_value"] for value, _ in states):
            return None
        states = {press(state, button) for state in states for button in lock["buttons"]} - seen
        seen = seen | states
    return entry


def press(state: State, button: Button) -> State:
    """Return the number and the light after a press of a button."""
    value, light = state
    if button["active_state"] in (light, "any"):
        _, factor, addend = _effect(button)
        value = factor * value + addend
    return value, OTHER[light]


def _effect(button: Button) -> tuple[str, int, int]:
    """Return the name of a button, what it multiplies by, and what it adds."""
    name, kind, by = button["name"], button["type"], button["value"]
    return (name, by, 0) if kind == "multiply" else (name, 1, by if kind == "add" else -by)


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for a shortest sequence, which the question asks for.

    A press always toggles the light, as the question says, also if the button does nothing in that
    light. The library ignores such a press, and gives 0.5 to pressing on until the target appears.
    """
    lock = entry["metadata"]
    presses = re.findall("[A-C]", answer)
    if len(presses) != len(lock["solution_path"]):
        return 0.0
    buttons = {button["name"]: button for button in lock["buttons"]}
    state = lock["initial_value"], lock["initial_state"]
    for name in presses:
        state = press(state, buttons[name])
    return float(state[0] == lock["target_value"])


def shortcuts(question: str) -> Answers:
    """Press the button that leads nearest to the target, until it is reached."""
    [(number, light, target)] = re.findall(r"Start: (-?\d+) \((\w+)\)\nTarget: (-?\d+)", question)
    listed = re.findall(r"^([A-C]): (\w+) (\d+) \(when (\w+)\)$", question, re.MULTILINE)
    buttons = [
        {"name": name, "type": kind.lower(), "value": int(value), "active_state": when}
        for name, kind, value, when in listed
    ]
    state, pressed = (int(number), light), list[str]()
    while state[0] != int(target) and len(pressed) < 15:
        best = min(buttons, key=lambda button: abs(int(target) - press(state, button)[0]))
        state = press(state, best)
        pressed.append(str(best["name"]))
    return {"always the nearest": " → ".join(pressed)}  # .59


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
    factors = [2, 3] if difficulty >= 7 else [2]
    operations = [("add", steps), ("subtract", steps), ("multiply", factors)]
    effects: list[tuple[str, int, str]] = []
    while len(effects) < 3:
        kind, values = rng.choice(operations)
        value = rng.choice(values)
        light = rng.choices(["any", "green", "red"], weights=[4, 2, 1], k=1)[0]
        if (kind, value, light) not in effects:
            effects.append((kind, value, light))
    return [
        {"name": name, "type": kind, "value": value, "active_state": light}
        for name, (kind, value, light) in zip("ABC", effects, strict=True)
    ]


def _shortest_presses(buttons: Sequence[Button], target: int, most: int) -> list[str] | None:
    """Return the first of the shortest sequences of buttons, in their order; None without one.

    A button that does nothing is never pressed, and states from which no sequence leads to the
    target are left out.
    """
    presses = {
        light: [(*_effect(b), other) for b in buttons if b["active_state"] in (light, "any")]
        for light, other in OTHER.items()
    }
    layer: dict[State, str] = {(0, "red"): ""}
    seen = {*layer}
    for left in range(most, -1, -1):
        reached: dict[State, str] = {}
        # At most 3 is added or subtracted at a time, and a product is farther from 0.
        reach = 3 * (left - 1)
        for (value, light), path in layer.items():
            if value == target:
                return list(path)
            for name, factor, addend, light_after in presses[light]:
                number = factor * value + addend
                new = number, light_after
                if new not in seen and -reach <= number <= target + reach:
                    seen.add(new)
                    reached[new] = path + name
        layer = reached
    return None


TASK = Task(
    answer=Buttons(),
    also_right="any sequence that is as short, with presses that only toggle the light",
    correct=correct,
    verify=verify,
    clarify=(("", "A button that does nothing in the present light still toggles the light."),),
    shortcuts=shortcuts,
    family=question_numbers,
    work=work,
    # The library draws a difficulty from 1 to this one, so problems are also chosen by the
    # length of the shortest sequence.
    levels=moving(
        difficulty=[8, 11, 15, 20, 28], work=[(3, 5.5), (6, 6.9), (7, 7.9), (8, 9), (9, 15)]
    ),
    faster={"graphs.quantum_lock:QuantumLockDataset:generate_quantum_puzzle": quantum_lock_puzzle},
    accepted=dict.fromkeys(
        ("blind", "wrong"),
        "the answer to another problem may be a shortest sequence that the library does not count",
    ),
)
