"""A value is worked out once for each owner, and never before it is asked for."""

from dataclasses import dataclass, field

from stepcache_proxy.tasks.linear_equation.once import once


@dataclass(frozen=True)
class Word:
    """Counts how often its length is worked out."""

    text: str
    worked: list[str] = field(default_factory=list[str])

    @once
    def size(self) -> int:
        """How long it is."""
        self.worked.append(self.text)
        return len(self.text)


def test_a_value_is_worked_out_once_for_each_owner() -> None:
    first, second = Word("four"), Word("three")
    assert not first.worked
    assert [first.size, second.size, first.size, second.size] == [4, 5, 4, 5]
    assert (first.worked, second.worked) == (["four"], ["three"])


def test_the_property_of_the_class_says_what_it_is() -> None:
    assert Word.size.__doc__ == "How long it is."
