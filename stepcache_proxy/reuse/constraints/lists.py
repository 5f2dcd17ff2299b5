"""Word lists as text: one reading for all the tables."""


def words(text: str) -> frozenset[str]:
    """The words of ``text``."""
    return frozenset(text.split())


def forms(text: str) -> dict[str, str]:
    """Lines of ``a | b = form`` as a mapping of every wording to its form."""
    table: dict[str, str] = {}
    for line in filter(str.strip, text.splitlines()):
        left, _, form = line.partition("=")
        table.update({wording.strip(): form.strip() for wording in left.split("|")})
    return table


def counted(text: str, *, start: int = 0, step: int = 1) -> dict[str, int]:
    """The words of ``text`` with the numbers they stand for."""
    return {word: start + step * i for i, word in enumerate(text.split())}
