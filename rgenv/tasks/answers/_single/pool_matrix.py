"""Matrices of averages and maxima."""

from __future__ import annotations

from rgenv.tasks.answers.grids import NumberGrid, spaced, split_rows
from rgenv.tasks.answers.kind import Forms


class PooledMatrix(NumberGrid):
    """Rows of numbers with up to two decimals."""

    def forms(self, reference: str, question: str) -> Forms:
        padded = [[f"{float(cell):.2f}" for cell in row] for row in split_rows(reference)]
        return super().forms(reference, question) | {"two decimals": spaced(padded)}
