"""Press buttons, whose effect changes, to reach a number."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.answers.lists import joined_items, matching
from rgenv.tasks.answers.moves import Moves
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import LibraryVerifier, Task, moving
from rgenv.tasks.rewriting import changed, random_of
from rgenv.tasks.symmetries import question_numbers

State = tuple[int, str]
"""The number and the light."""
Button = Mapping[str, Any]
Presses = Mapping[str, Sequence[tuple[str, int, int, str]]]
"""Light -> buttons: name, what it multiplies by, what it adds, and the light afterwards."""
OTHER = {"red": "green", "green": "red"}
_read_buttons = matching("[A-C]+")


class Buttons(Moves):
    """Letters in any form of a list, also next to each other."""

    must_be_read = True
    separator = " → "
    extra = "A"

    def read(self, text: str, entry: Entry) -> str | None:
        return self.separator.join(joined_items(text.upper(), _read_buttons, "") or "") or None

    def forms(self, reference: str, question: str) -> Forms:
        separators = {
            "tight arrows": "→",
            "ASCII arrows": " -> ",
            "commas": ", ",
            "spaces": " ",
            "lines": "\n",
        }
        return {name: reference.replace(" → ", other) for name, other in separators.items()}


def correct(entry: Entry) -> Entry | None:
    """Choose another target that takes as many presses, but fewer without the lights.

    The library ignores a button that the light disables. By the question's words, pressing it
    still toggles the light, so no target is chosen that is reached sooner that way.
    """
    meta, rng = entry["metadata"], random_of(entry)
    start, buttons = (meta["initial_value"], meta["initial_state"]), meta["buttons"]
    most, length = 5 * meta["target_value"] // 4, len(meta["solution_path"])
    for name, light in [("", ""), *_lights(rng, meta["solution_path"])]:
        buttons = [{**b, "active_state": light} if b["name"] == name else b for b in buttons]
        if paths := _paths(start, buttons, most, length):
            break
    else:
        return None
    target = rng.choice([*paths])
    head, old, _ = entry["question"].partition(f"Target: {meta['target_value']}\n")
    shown = "\n".join(
        f"{b['name']}: {b['type'].title()} {b['value']} (when {b['active_state']})" for b in buttons
    )
    question = f"{head}Target: {target}\nButtons:\n{shown}"
    path = list(paths[target])
    lock = {"target_value": target, "buttons": buttons, "solution_path": path}
    return changed(entry, question, " → ".join(path), **lock) if old else None


def _lights(rng: Random, path: Sequence[str]) -> list[tuple[str, str]]:
    """Return pairs of a button and a light for it, beginning with the most useful button."""
    lights = rng.sample(("green", "red"), 2)
    return [(name, light) for name, _ in Counter(path).most_common() for light in lights]


def _paths(start: State, buttons: Sequence[Button], most: int, length: int) -> dict[int, str]:
    """Return the targets that take `length` presses, with lights that matter, and a way to each."""

    def numbers(presses: Presses) -> list[set[int]]:
        return [{n for n, _ in layer} for layer in _layers(start, presses, most, length)]

    always = [button for button in buttons if button["active_state"] == "any"]
    if len(always) == len(buttons):
        return {}
    enabled = _enabled(buttons)
    *_, last = _layers(start, enabled, most, length)
    *without_lights, _ = numbers({start[1]: [(*_effect(b), start[1]) for b in buttons]})
    wanted = set().union(*without_lights) & {number for number, _ in last}
    if wanted:
        idle = {light: [*enabled[light], ("", 1, 0, other)] for light, other in OTHER.items()}
        *sooner, _ = numbers(idle)
        wanted.difference_update(*sooner, *numbers(_enabled(always)))
    return {
        state[0]: path
        for state, path in last.items()
        if state[0] in wanted and not _is_reached_by_the_nearest(start, buttons, state[0], length)
    }


def _is_reached_by_the_nearest(
    state: State, buttons: Sequence[Button], target: int, most: int
) -> bool:
    """Return whether always pressing the button that leads nearest to the target reaches it."""
    for _ in range(most):
        state = min((press(state, b) for b in buttons), key=lambda new: abs(target - new[0]))
    return state[0] == target


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


def _enabled(buttons: Sequence[Button]) -> Presses:
    return {
        light: [(*_effect(b), other) for b in buttons if b["active_state"] in (light, "any")]
        for light, other in OTHER.items()
    }


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

    A button that does nothing is never pressed.
    """
    for layer in _layers((0, "red"), _enabled(buttons), target, most):
        for state, path in layer.items():
            if state[0] == target:
                return list(path)
    return None


def _layers(start: State, presses: Presses, target: int, most: int) -> Iterator[dict[State, str]]:
    """Yield the states first reached by 0, 1, ... `most` presses, with the first ways to them.

    States from which no number up to `target` can be reached are left out.
    """
    layer: dict[State, str] = {start: ""}
    seen = {start}
    for left in range(most, -1, -1):
        yield layer
        reached: dict[State, str] = {}
        # At most 3 is added or subtracted at a time, and a product is farther from 0.
        reach = 3 * (left - 1)
        for (value, light), path in layer.items():
            for name, factor, addend, light_after in presses[light]:
                number = factor * value + addend
                new = number, light_after
                if new not in seen and -reach <= number <= target + reach:
                    seen.add(new)
                    reached[new] = path + name
        layer = reached


TASK = Task(
    answer=Buttons(),
    correct=correct,
    verify=verify,
    clarify=(("", "A button that does nothing in the present light still toggles the light."),),
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
