"""A table is aligned, whatever its cells hold."""

from stepcache_proxy.bench.table import duration, table


def test_texts_are_set_to_the_left_and_numbers_to_the_right() -> None:
    drawn = table(("name", "count"), [("a", "7"), ("longer", "12345")], texts=1)
    assert drawn.splitlines() == [
        "name    count",
        "------  -----",
        "a           7",
        "longer  12345",
    ]


def test_no_line_ends_in_blanks() -> None:
    assert table(("a", "b"), [("x", "")], texts=2).splitlines()[2] == "x"


def test_a_duration_is_told_in_the_unit_that_reads_best() -> None:
    assert duration(2.345) == "2.35 s"
    assert duration(0.0042) == "4.2 ms"
