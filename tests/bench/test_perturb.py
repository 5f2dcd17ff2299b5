"""The workload is the paper's, rebuilt: 222 requests a seed, each with a check."""

from collections import Counter
from fractions import Fraction

import pytest

from stepcache_proxy.bench.perturb import Item, evaluation, warm_up
from stepcache_proxy.bench.perturb_json import BASES as THINGS
from stepcache_proxy.bench.perturb_json import Thing
from stepcache_proxy.bench.perturb_math import BASES as EQUATIONS
from stepcache_proxy.bench.scripted_algebra import read_equation


def said(item: Item) -> str:
    return item.ask.name


def test_there_are_ten_base_prompts_a_task() -> None:
    kinds = Counter(item.kind for item in warm_up())
    assert kinds == {"math/base": 10, "json/base": 10}


def test_a_seed_has_the_222_requests_of_the_design() -> None:
    kinds = Counter(item.kind for item in evaluation(42))
    assert kinds == {
        "math/paraphrase": 30,
        "math/output wording": 30,
        "math/variable renamed": 30,
        "math/constants changed": 30,
        "json/paraphrase": 30,
        "json/output wording": 30,
        "json/key order": 30,
        "json/key added": 12,
    }


def test_no_request_of_a_seed_is_another_or_a_base() -> None:
    bodies = [str(item.ask.body) for item in (*evaluation(43), *warm_up())]
    assert len(set(bodies)) == len(bodies)


def test_the_same_seed_gives_the_same_requests_and_another_does_not() -> None:
    assert list(map(said, evaluation(42))) == list(map(said, evaluation(42)))
    assert list(map(said, evaluation(42))) != list(map(said, evaluation(43)))


def test_names_are_unique_and_the_same_in_every_seed() -> None:
    names = {item.name for item in evaluation(42)}
    assert len(names) == 222
    assert names == {item.name for item in evaluation(44)}


@pytest.mark.parametrize("seed", [42, 43, 44])
def test_the_check_of_an_equation_is_its_real_solution(seed: int) -> None:
    for item in evaluation(seed):
        if not item.kind.startswith("math"):
            continue
        sides = read_equation(said(item))
        assert sides is not None
        root = (sides.right.b - sides.left.b) / (sides.left.a - sides.right.a)
        assert item.ask.check is not None
        assert item.ask.check(f"{sides.unknown} = {root}")
        assert not item.ask.check(f"{sides.unknown} = {root + 1}")


def test_every_shape_of_equation_is_asked() -> None:
    assert len({base.shape for base in EQUATIONS}) >= 6
    assert all(
        base.ask().check is not None and Fraction(base.solution) is not None
        for base in EQUATIONS
    )


@pytest.mark.parametrize("base", THINGS, ids=lambda base: base.name)
def test_an_object_is_right_with_every_key_and_its_own_subject(
    base: Thing,
) -> None:
    check = base.ask().check
    assert check is not None
    whole = ", ".join(f'"{key}": "x"' for key in base.keys)
    assert check(f"{{{whole}}}")
    assert not check("{}")
    assert not check("Here it is: {}")
    assert not check("[]")
    other = next(o for o in THINGS if o.mark != base.mark)
    assert not check(f'{{{whole}, "more": "{other.mark}"}}')


def test_an_added_key_is_a_key_that_was_not_there() -> None:
    for item in evaluation(42):
        if item.kind == "json/key added":
            assert len(item.ask.body["messages"]) == 1  # type: ignore[arg-type]
            assert said(item).count(",") >= 2
