"""Find an angle, a centre or a radius of a triangle."""

import math
import re
from fractions import Fraction

from rgenv.tasks import Answer, Entry, Task, moving, question_numbers
from rgenv.tasks.answers.fractions import read_fraction
from rgenv.tasks.answers.notation import MAX_CHARS, Numeral, agrees, plain_signs, read_number
from rgenv.tasks.answers.numbers import DEGREES


def _corners(question: str) -> list[tuple[int, int]]:
    found = re.findall(r"([ABC])=\((-?\d+), (-?\d+)\)", question)
    return [(int(x), int(y)) for _, x, y in sorted(found)]


def _double_area(question: str) -> int:
    (ax, ay), (bx, by), (cx, cy) = _corners(question)
    return abs((ax - bx) * (cy - by) - (ay - by) * (cx - bx))


def _angle(question: str) -> float:
    """Return the angle ABC in degrees."""
    (ax, ay), (bx, by), (cx, cy) = _corners(question)
    dot = (ax - bx) * (cx - bx) + (ay - by) * (cy - by)
    return math.degrees(math.atan2(_double_area(question), dot))


def _radius(question: str) -> float:
    """Return the radius of the inscribed circle."""
    a, b, c = _corners(question)
    return _double_area(question) / (math.dist(a, b) + math.dist(b, c) + math.dist(c, a))


class TriangleMeasure(Answer):
    """The angle, the radius or the point that is asked for: 2.60°, 2.595, (4.196, 1.130).

    The question asks for three decimal places. An angle may have two, as reference answers have.
    """

    name = "number"
    longest = MAX_CHARS

    def read(self, text: str, entry: Entry) -> str | None:
        kind, question = entry["metadata"].get("task_type"), entry["question"]
        text, places = plain_signs(text.strip()), 3
        if kind == "orthocenter":
            inner = re.fullmatch(r"(?:\\left)?\((.*?)(?:\\right)?\)|([^()]*)", text)
            parts = (inner[1] or inner[2] or "").split(",") if inner else []
            given = [_coordinate(part) for part in parts]
            right = [Fraction(part) for part in entry["metadata"]["ortho"]]
        elif kind == "angle_measure":
            degrees = re.fullmatch(rf"(.{{1,100}}?)\s*{DEGREES}", text)
            given, places = [read_number(degrees[1] if degrees else text)], 2
            right = [Fraction(_angle(question))]
        else:
            given, right = [read_number(text)], [Fraction(_radius(question))]
        numbers = [number for number in given if number is not None]
        if not len(numbers) == len(given) == len(right):
            return None
        unit = Fraction(1, 10**places)
        same = all(agrees(*pair, unit) for pair in zip(numbers, right, strict=True))
        return str(entry["answer"]) if same else text


def _coordinate(text: str) -> Numeral | None:
    """Return a decimal, or a fraction as a number that is not rounded."""
    fraction = read_fraction(text)
    if fraction is not None:
        return Numeral(Fraction(*fraction), Fraction(0), 1)
    rounded_to_zero = re.fullmatch(r"\s*-(0(?:\.0+)?)\s*", text)
    return read_number(rounded_to_zero[1] if rounded_to_zero else text)


TASK = Task(
    answer=TriangleMeasure(),
    family=question_numbers,
    # Kinds of questions replace each other by the operations that they take. Larger coordinates
    # are no deeper.
    levels=moving(
        coord=[(-10, 10), (-30, 30)],
        task_types=[
            ["angle_measure", "angle_measure", "angle_measure", "angle_measure"],
            ["angle_measure", "angle_measure", "orthocenter", "orthocenter"],
            ["angle_measure", "orthocenter", "orthocenter", "incircle_radius"],
            ["orthocenter", "orthocenter", "incircle_radius", "incircle_radius"],
            ["orthocenter", "incircle_radius", "incircle_radius", "incircle_radius"],
        ],
    ),
)
