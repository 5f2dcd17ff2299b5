"""Quantities that are said as a product: ``half of 40``, ``1.2 times of ten``."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from stepcache_proxy.tasks.word_problem.printing import decimal
from stepcache_proxy.tasks.word_problem.question import Item, Quantity

_HALF = Quantity(Fraction(1, 2), over=1, under=2)
_TIMES = frozenset({"time", "times"})


def product_at(items: Sequence[Item], at: int) -> tuple[Quantity, int] | None:
    """The quantity that a share or a multiple ``of`` a number makes, and its end."""
    share, place = _share(items, at)
    if share is None or place + 1 >= len(items) or items[place] != "of":
        return None
    whole = items[place + 1]
    if not isinstance(whole, Quantity) or whole.is_percent or whole.is_fraction:
        return None
    product = _product(share, whole)
    return (product, place + 2) if product else None


def _share(items: Sequence[Item], at: int) -> tuple[Quantity | None, int]:
    first, place = items[at], at + 1
    if first == "half":
        return _HALF, place
    if not isinstance(first, Quantity) or first.is_money:
        return None, place
    if place < len(items) and items[place] in _TIMES:
        place += 1
    return first, place


def _product(share: Quantity, whole: Quantity) -> Quantity | None:
    value = share.value * whole.value / (100 if share.is_percent else 1)
    factor, times, made = (decimal(n) for n in (share.value, whole.value, value))
    if share.is_fraction:
        factor = f"{share.over}/{share.under}"
    if factor is None or times is None or made is None:
        return None
    said = f"{factor}{'%' if share.is_percent else ''} * {times} = {made}"
    return replace(whole, value=value, is_said=False, product=said)
