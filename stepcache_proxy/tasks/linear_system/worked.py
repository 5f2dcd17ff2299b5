"""The worked solution of a system by elimination, exact, in the form asked for."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from stepcache_proxy.tasks.linear_equation.asking import Form
from stepcache_proxy.tasks.linear_equation.printing import Style, show_number
from stepcache_proxy.tasks.linear_system.algebra import (
    UNKNOWNS,
    Equality,
    common_denominator,
    measure_of,
    number,
)
from stepcache_proxy.tasks.linear_system.asking import Asked
from stepcache_proxy.tasks.linear_system.problem import System
from stepcache_proxy.tasks.linear_system.writing import (
    show_equality,
    show_sides,
    show_values,
    style_of,
)

_ORDINALS = ("first", "second")


def work(asked: Asked) -> str:
    """A right answer: numbered steps and the values, or the values alone."""
    system, style = asked.system, style_of(asked.system)
    if asked.form is Form.NUMBER:
        return show_number(system.value(asked.wanted[0]), style)
    values = show_values(system, asked.wanted, style)
    if asked.form is Form.ANSWER:
        return values
    lines = _Work(system, style).lines(asked.wanted)
    numbered = [f"Step {count}: {line}." for count, line in enumerate(lines, 1)]
    return "\n".join([*numbered, f"Answer: {values}"])


@dataclass(frozen=True, slots=True)
class _Work:
    system: System
    style: Style

    def lines(self, wanted: tuple[str, ...]) -> Iterator[str]:
        """Steps to the first wanted unknown, then to the other if it is wanted."""
        shown = [show_sides(given.sides, self.style) for given in self.system.given]
        yield f"Start from the equations {shown[0]} and {shown[1]}"
        equalities = [self._standard(index) for index in (0, 1)]
        for index, equality in enumerate(equalities):
            if self._show(equality) != shown[index]:
                yield (
                    f"Rewrite the {_ORDINALS[index]} equation in standard form:"
                    f" {self._show(equality)}"
                )
        target = self.system.names.index(wanted[0])
        yield from self._elimination(equalities, target)
        if len(wanted) > 1:
            yield from self._substitution(equalities, target)

    def _standard(self, index: int) -> Equality:
        """Unknowns on the left; without fractions, unless it is about decimals."""
        collected = self.system.equalities[index].collected
        if not self.system.has_decimal:
            collected = collected.scaled(Fraction(common_denominator(collected)))
        if self._show(collected) == show_sides(
            self.system.given[index].sides, self.style
        ):
            return collected
        leading = collected.left.x or collected.left.y
        return collected.scaled(Fraction(-1 if leading < 0 else 1))

    def _elimination(self, equalities: list[Equality], target: int) -> Iterator[str]:
        """From both equations to the value of one unknown."""
        gone = 1 - target
        first, second = (e.left.coefficient(gone) for e in equalities)
        if first == 0 or second == 0:
            source = 0 if first == 0 else 1
            alone = equalities[source]
            yield f"From the {_ORDINALS[source]} equation, {self._show(alone)}"
        else:
            measure = measure_of(first, second)
            scaled: list[Equality] = []
            for index, other in enumerate((second, first)):
                factor = abs(other / measure)
                scaled.append(equalities[index].scaled(factor))
                if factor != 1:
                    yield (
                        f"Multiply the {_ORDINALS[index]} equation by"
                        f" {self._number(factor)}: {self._show(scaled[index])}"
                    )
            is_opposite = (first > 0) != (second > 0)
            alone = scaled[0].plus(scaled[1], 1 if is_opposite else -1)
            verb = (
                "Add the two equations"
                if is_opposite
                else "Subtract the second equation from the first"
            )
            yield f"{verb}: {self._show(alone)}"
        yield from self._division(alone, target)

    def _substitution(self, equalities: list[Equality], known: int) -> Iterator[str]:
        """From one value and one equation to the other value."""
        target, value = 1 - known, self.system.point[known]
        source = 0 if equalities[0].left.coefficient(target) else 1
        equality = equalities[source]
        name = self.system.names[known]
        if equality.left.coefficient(known) == 0:
            yield f"From the {_ORDINALS[source]} equation, {self._show(equality)}"
        else:
            put = equality.put(known, number(value))
            yield (
                f"Substitute {name} = {self._number(value)} into the"
                f" {_ORDINALS[source]} equation: {self._show(put)}"
            )
            equality, moved = put.shifted(number(-put.left.c)), put.left.c
            if moved != 0:
                verb = "Subtract {} from" if moved > 0 else "Add {} to"
                shown = verb.format(self._number(abs(moved)))
                yield f"{shown} both sides: {self._show(equality)}"
        yield from self._division(equality, target)

    def _division(self, equality: Equality, target: int) -> Iterator[str]:
        factor = equality.left.coefficient(target)
        if factor != 1:
            solved = Equality(UNKNOWNS[target], number(self.system.point[target]))
            yield (f"Divide both sides by {self._number(factor)}: {self._show(solved)}")

    def _show(self, equality: Equality) -> str:
        return show_equality(equality, self.system, self.style)

    def _number(self, value: Fraction) -> str:
        return show_number(value, self.style)
