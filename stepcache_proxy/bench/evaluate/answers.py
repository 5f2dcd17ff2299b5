"""Worked answers: do the steps join to the text, is the final answer read right?"""

import time
from collections.abc import Sequence

from stepcache_proxy.bench.evaluate.figures import Counts, Report, ratio
from stepcache_proxy.bench.evaluate.rows import Row
from stepcache_proxy.bench.final_answer import final_answer, is_same_answer
from stepcache_proxy.reuse.segment import segment


def read_solutions(rows: Sequence[Row], to: Report) -> None:
    """Right where the last line agrees with the truth exactly if the label says so."""
    right = 0
    for row in rows:
        text = "\n".join(row.texts("steps"))
        _segment(text, row, to)
        said, truth = final_answer(text), final_answer(row.text("ground_truth"))
        right += is_same_answer(said, truth) == row.flag("is_correct")
    _conclude(to, right, len(rows))


def read_outputs(rows: Sequence[Row], to: Report) -> None:
    """Right where the extracted answer is the labelled one; unlabelled rows aside."""
    labelled = [row for row in rows if isinstance(row.fields.get("is_correct"), bool)]
    for row in rows:
        _segment(row.text("output"), row, to)
    right = sum(_is_read_right(row) for row in labelled)
    _conclude(to, right, len(labelled))


def _is_read_right(row: Row) -> bool:
    said = final_answer(row.text("output"))
    label = row.fields.get("extracted")
    if isinstance(label, str) and label:
        return is_same_answer(said, label)
    return is_same_answer(said, row.text("gold")) == row.flag("is_correct")


def _segment(text: str, row: Row, to: Report) -> None:
    started = time.perf_counter()
    steps = segment(text)
    to.check_seconds.append(time.perf_counter() - started)
    is_whole = "".join(step.text for step in steps) == text
    to.count([row.category("model", "source")], row.half, Counts(requests=1))
    to.reasons["joined to the text" if is_whole else "not joined to the text"] += 1


def _conclude(to: Report, right: int, labelled: int) -> None:
    to.extra["segments"] = {
        "rows": to.rows,
        "joined": to.reasons["joined to the text"],
    }
    to.extra["final_answers"] = {
        "labelled": labelled,
        "right": right,
        "share": ratio(right, labelled),
    }
