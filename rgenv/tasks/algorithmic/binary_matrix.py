"""Find the distance of each cell to the nearest 0."""

from random import Random

from rgenv.tasks import Entry, Task, by_library, changed, moving, random_of
from rgenv.tasks.answers.grids import Matrix
from rgenv.tasks.boards import Board
from rgenv.tasks.questions import rows_written
from rgenv.tasks.safe_parse import literal
from rgenv.tasks.symmetries import turned_grid

ROOM = 9
"""Rows of the smallest matrix with room for a large area."""


def correct(entry: Entry) -> Entry:
    """Write a matrix with a large area without a 0.

    All of the library's cells may have one within three or four steps, so it is enough to look as
    far.
    """
    rng, meta = random_of(entry), entry["metadata"]
    side, most = meta["n"], meta["difficulty"]["n"][1]
    if side < ROOM <= most:
        side = rng.randint(ROOM, most)
    matrix = _with_area(rng, side, meta["difficulty"]["p_zero"])
    solution = distances(None, matrix)
    head, found, _ = entry["question"].rpartition(":\n")
    question = f"{head}{found}{rows_written(matrix)}\n"
    new = {"matrix": matrix, "solution": solution, "n": side}
    return changed(entry, question, rows_written(solution), **new)


def _with_area(rng: Random, side: int, p_zero: float) -> Board:
    """Return a matrix with an area without a 0 around the middle of two zeros, up to both of them.

    With one of them, all its distances might be found in one pass over the cells.
    """
    distance = max(0, min((side + 1) // 2 + 2, side - 2))
    down = rng.randint(max(0, 2 * distance - side + 1), min(2 * distance, side - 1))
    across = 2 * distance - down
    top, left = rng.randrange(side - down), rng.randrange(side - across)
    ys = [abs(2 * (y - top) - down) for y in range(side)]
    xs = [abs(2 * (x - left) - across) for x in range(side)]
    matrix = [[int(y + x < 2 * distance or rng.random() >= p_zero) for x in xs] for y in ys]
    matrix[top][left] = matrix[top + down][left + across] = 0
    return [row[::-1] for row in matrix] if rng.random() < 0.5 else matrix


def distances(_: object, matrix: Board) -> Board:
    """Return the distance of each cell to the nearest 0, of which a matrix has one at least.

    The cells are bytes of one number, which holds distances of questions of any allowed length.
    """
    side, width = len(matrix), len(matrix) + 1
    cells = int.from_bytes(bytes([*[1] * side, 0]) * side, "big")
    near = int.from_bytes(bytes(not cell for row in matrix for cell in (*row, 1)), "big")
    total = 0
    while near != cells:
        total += cells ^ near
        near |= near << 8 | near >> 8 | near << 8 * width | near >> 8 * width
        near &= cells
    found = total.to_bytes(side * width, "big")
    return [list(found[start : start + side]) for start in range(0, len(found), width)]


TASK = Task(
    answer=Matrix(),
    correct=correct,
    verify=by_library,
    guarded={"eval": literal},
    family=turned_grid,
    # The curriculum starts at or above the default, so easier values are added. With fewer
    # zeros, distances grow.
    levels=moving(
        n=[(4, 5), (6, 8), (9, 12), (13, 17), (18, 24)], p_zero=[0.25, 0.2, 0.15, 0.1, 0.06]
    ),
    faster={"algorithmic.binary_matrix:BinaryMatrixDataset:_get_distances": distances},
)
