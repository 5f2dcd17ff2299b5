"""Rows of text -> a table for a terminal, numbers to the right."""

from collections.abc import Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, texts: int) -> str:
    """Lines with aligned columns; the first ``texts`` columns are set to the left."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [head, ["-" * width for width in widths], *rows]
    return "".join(f"{_line(cells, widths, texts)}\n" for cells in lines)


def _line(cells: Sequence[str], widths: Sequence[int], texts: int) -> str:
    padded = (
        cell.ljust(width) if column < texts else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join(padded).rstrip()


def duration(seconds: float) -> str:
    """``1.93 s`` or ``4.2 ms``: three digits are all a reader takes in."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"
