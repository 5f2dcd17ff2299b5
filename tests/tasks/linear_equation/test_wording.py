"""A claim is found in no text without one of the parts that are looked for first."""

from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.tasks.linear_equation.wording import (
    ALL_SOLUTIONS,
    CLAIM_PARTS,
    NO_SOLUTION,
)

TEXT = (
    "there is are it this the linear equation therefore has no solution solutions exist"
    " such value values number numbers of for VALUE a makes satisfies true works exists"
    " never not which false impossible contradiction infinitely many an infinite every"
    " any all real always piano true. |"
)


@given(st.lists(st.sampled_from(TEXT.split()), max_size=9).map(" ".join))
def test_a_claim_has_one_of_its_parts(prose: str) -> None:
    has_claim = NO_SOLUTION.search(prose) or ALL_SOLUTIONS.search(prose)
    assert not has_claim or any(part in prose for part in CLAIM_PARTS)
