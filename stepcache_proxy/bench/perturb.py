"""The benchmark's requests: twenty base prompts and 222 perturbations of them.

Ten base prompts a task, three variants per kind of change: the same request in other
words, another wording of the output, a renamed unknown, other constants, other key
order, one required key more. The seed chooses wordings, letters and constants.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from stepcache_proxy.bench import perturb_json, perturb_math
from stepcache_proxy.bench.workload import Ask

VARIANTS = 3


@dataclass(frozen=True, slots=True)
class Item:
    """One request of a seed. ``kind`` is task and change, ``name`` unique in a seed."""

    name: str
    kind: str
    ask: Ask


def warm_up() -> tuple[Item, ...]:
    """The twenty base prompts, the same for every seed."""
    math = [_item("math", "base", b.name, 0, b.ask()) for b in perturb_math.BASES]
    json = [_item("json", "base", b.name, 0, b.ask()) for b in perturb_json.BASES]
    return (*math, *json)


def evaluation(seed: int) -> tuple[Item, ...]:
    """The 222 requests of a seed, shuffled; the same for the same seed."""
    dice = random.Random(seed)  # noqa: S311  a workload, no secret
    items = [*_math(dice), *_json(dice)]
    dice.shuffle(items)
    return tuple(items)


def _math(dice: random.Random) -> Iterator[Item]:
    for kind, change in perturb_math.CHANGES.items():
        for number, base in enumerate(perturb_math.BASES):
            for variant, ask in enumerate(change(base, dice, VARIANTS)):
                yield _item("math", kind, f"{number}.{base.name}", variant, ask)


def _json(dice: random.Random) -> Iterator[Item]:
    for kind, change in perturb_json.CHANGES.items():
        for number, base in enumerate(perturb_json.bases_of(kind)):
            for variant, ask in enumerate(change(base, dice, VARIANTS)):
                yield _item("json", kind, f"{number}.{base.name}", variant, ask)


def _item(task: str, change: str, base: str, variant: int, ask: Ask) -> Item:
    kind = f"{task}/{change}"
    return Item(f"{kind}/{base}/{variant}", kind, ask)
