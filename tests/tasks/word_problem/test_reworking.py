"""A stored way is worked with other numbers exactly, or not at all."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.bench.final_answer import final_answer, number_in
from stepcache_proxy.reuse.model import Reject
from stepcache_proxy.tasks.arithmetic import check_equalities
from tests.tasks.word_problem.problems import (
    FAMILIES,
    figures,
    reworked,
    solved,
    stated,
)

PENS = "Nora buys {} boxes of pens. Each box holds {} pens. How many pens has she?"
NOTED = "She has 4 * 9 = <<4*9=36>>36 pens.\n#### 36"


@given(st.data(), st.sampled_from(sorted(FAMILIES)), st.booleans())
def test_what_is_served_is_the_value_of_the_formula(
    data: st.DataObject, name: str, is_noted: bool
) -> None:
    family = FAMILIES[name]
    count = family.text.count("{")
    before = data.draw(figures(count, 500))
    after = data.draw(figures(count, 500))
    kept = data.draw(st.lists(st.booleans(), min_size=count, max_size=count))
    after = [a if keeps else b for a, b, keeps in zip(before, after, kept, strict=True)]
    answer = solved(family, before, is_noted=is_noted)
    served = reworked(stated(family, before), answer, stated(family, after))
    if served is not None:
        assert number_in(final_answer(served) or "") == family.answer(*after)
        assert not isinstance(check_equalities(served), Reject)


@pytest.mark.parametrize("name", ["shopping", "months", "percent", "rows", "older"])
@pytest.mark.parametrize("is_noted", [True, False])
def test_clear_problems_are_answered(name: str, is_noted: bool) -> None:
    family = FAMILIES[name]
    count = family.text.count("{")
    before = [Fraction(number) for number in (41, 20, 15, 9)][:count]
    after = [Fraction(number) for number in (43, 50, 17, 8)][:count]
    answer = solved(family, before, is_noted=is_noted)
    served = reworked(stated(family, before), answer, stated(family, after))
    assert served == solved(family, after, is_noted=is_noted)


@pytest.mark.parametrize(
    ("asked", "served"),
    [
        pytest.param(
            PENS.format("6", "7"),
            "She has 6 * 7 = <<6*7=42>>42 pens.\n#### 42",
            id="other numbers",
        ),
        pytest.param(
            PENS.format("six", "twelve"),
            "She has 6 * 12 = <<6*12=72>>72 pens.\n#### 72",
            id="numbers in words",
        ),
        pytest.param(
            PENS.format("half of 12", "9"),
            "1/2 * 12 = 6\nShe has 6 * 9 = <<6*9=54>>54 pens.\n#### 54",
            id="a number said as a product",
        ),
        pytest.param(
            PENS.format("4", "1,000"),
            "She has 4 * 1000 = <<4*1000=4000>>4000 pens.\n#### 4000",
            id="thousands",
        ),
        pytest.param(PENS.format("4", "2.3"), None, id="a part of a pen"),
        pytest.param(PENS.format("0", "9"), None, id="nothing at all"),
        pytest.param(PENS.format("some", "9"), None, id="a number is missing"),
        pytest.param(PENS.format("-4", "9"), None, id="a negative number"),
        pytest.param(PENS.format("4 to 5", "9"), None, id="a range in words"),
        pytest.param(PENS.format("4-5", "9"), None, id="a range"),
        pytest.param(PENS.format("4%", "9"), None, id="a percentage for a count"),
        pytest.param(PENS.format("$4", "9"), None, id="money for a count"),
        pytest.param(
            PENS.format("6", "7").replace("pens", "pencils"), None, id="other things"
        ),
        pytest.param(
            PENS.format("6", "7").replace("Nora", "Nina"), None, id="another name"
        ),
        pytest.param(
            PENS.format("6", "7").replace("buys", "loses"), None, id="another verb"
        ),
        pytest.param(
            PENS.format("6", "7") + " She loses 3.", None, id="one thing more"
        ),
    ],
)
def test_only_the_numbers_may_differ(asked: str, served: str | None) -> None:
    assert reworked(PENS.format(4, 9), NOTED, asked) == served


@pytest.mark.parametrize(
    ("given_", "answer", "asked"),
    [
        pytest.param(
            "Omar eats 7 apples every day. How many apples does he eat in a week?",
            "7 * 7 = 49\n#### 49",
            "Omar eats 3 apples every day. How many apples does he eat in a week?",
            id="a constant equal to a number",
        ),
        pytest.param(
            "Omar owns 7 cats. He reads 9 pages a day. How many pages is that a week?",
            "9 * 7 = 63\n#### 63",
            "Omar owns 3 cats. He reads 9 pages a day. How many pages is that a week?",
            id="a constant equal to a number that is idle",
        ),
        pytest.param(
            "Tickets cost $10 each. Groups of 10 people get 20% off. How much do 12 "
            "people pay in total?",
            "12 * 10 = 120\n120 * 0.8 = 96",
            "Tickets cost $10 each. Groups of 10 people get 20% off. How much do 8 "
            "people pay in total?",
            id="a limit that is no longer reached",
        ),
        pytest.param(
            "A pack of 6 batteries costs $12. Ann needs 18 batteries. How much does "
            "she pay?",
            "12 / 6 = $2\n2 * 18 = $36",
            "A pack of 6 batteries costs $12. Ann needs 20 batteries. How much does "
            "she pay?",
            id="no whole packs",
        ),
        pytest.param(
            "For every 10 points Ann gets $2. She has 30 points. How much is that?",
            "30 * 2 = 60\n60 / 10 = $6",
            "For every 10 points Ann gets $2. She has 35 points. How much is that?",
            id="no whole tens",
        ),
        pytest.param(
            "A colony doubles every 2 hours from 10 cells. How many cells are there "
            "after 4 hours?",
            "10 * 4 = 40",
            "A colony doubles every 2 hours from 10 cells. How many cells are there "
            "after 6 hours?",
            id="a growth that was a product by chance",
        ),
        pytest.param(
            "Paint is sold in cans of 5 liters at $20. How much do 10 liters cost?",
            "10/5*20 = $40",
            "Paint is sold in cans of 5 liters at $20. How much do 12 liters cost?",
            id="whole cans inside a calculation",
        ),
        pytest.param(
            "Ann has 2 cats. Each has 2 kittens. How many kittens are there?",
            "2 + 2 = 4",
            "Ann has 3 cats. Each has 3 kittens. How many kittens are there?",
            id="a sum that is a product by chance",
        ),
        pytest.param(
            "Ann has 10 coins and gives away 4. How many coins are left?",
            "10 - 4 = 6, which is an even number",
            "Ann has 11 coins and gives away 4. How many coins are left?",
            id="a claim that is true of the old number only",
        ),
        pytest.param(
            "A guard earns $10 an hour, and $15 for hours over 40. He works 38 hours. "
            "How much does he earn?",
            "38 * 10 = 380\n#### 380",
            "A guard earns $10 an hour, and $15 for hours over 40. He works 45 hours. "
            "How much does he earn?",
            id="a limit that was not reached",
        ),
        pytest.param(
            "A guard earns $10 an hour for the first 40 hours, then $15. He works 45 "
            "hours. How much does he earn?",
            "40 * 10 = 400\n45 - 40 = 5\n5 * 15 = 75\n400 + 75 = 475\n#### 475",
            "A guard earns $10 an hour for the first 40 hours, then $15. He works 38 "
            "hours. How much does he earn?",
            id="a limit that is reached no more",
        ),
        pytest.param(
            "Zoe has 9 pens and gives 4 to Tim. How many pens are left?",
            "9 - 4 = 5\n#### 5",
            "Zoe has 9 pens and gives 12 to Tim. How many pens are left?",
            id="less than nothing left",
        ),
        pytest.param(
            "A coat costs $80. It is sold at 10% off. How much does it cost?",
            "80 * 10 / 100 = 8\n80 - 8 = 72\n#### 72",
            "A coat costs $80. It is sold at 110% off. How much does it cost?",
            id="more than all off",
        ),
        pytest.param(
            "Ann has 3 red and 3 blue pens. She loses 1 of the red ones. How many "
            "red pens are left?",
            "3 - 1 = 2\n#### 2",
            "Ann has 5 red and 8 blue pens. She loses 1 of the red ones. How many "
            "red pens are left?",
            id="two numbers that were equal",
        ),
        pytest.param(
            "Ann walks 3 hours. How many minutes does she walk?",
            "3 * 60 = 180\n#### 180",
            "Ann walks 3 minutes. How many minutes does she walk?",
            id="another unit",
        ),
        pytest.param(
            "A bus leaves at 9:30 with 20 people. 5 get off. How many people are left?",
            "20 - 5 = 15\n#### 15",
            "A bus leaves at 9:45 with 20 people. 5 get off. How many people are left?",
            id="a time of day",
        ),
        pytest.param(
            "On Route 66 Ann drives 20 miles and 5 miles back. How many miles is that?",
            "20 + 5 = 25\n#### 25",
            "On Route 67 Ann drives 20 miles and 5 miles back. How many miles is that?",
            id="a number in a name",
        ),
        pytest.param(
            "Ann is in room 20. She buys 20 pens and loses 5. How many pens has she?",
            "20 - 5 = 15\n#### 15",
            "Ann is in room 31. She buys 20 pens and loses 5. How many pens has she?",
            id="a number that is a name",
        ),
        pytest.param(
            "Ann came 2nd in a race of 20 people. 5 gave up. How many were left?",
            "20 - 5 = 15\n#### 15",
            "Ann came 3rd in a race of 20 people. 5 gave up. How many were left?",
            id="an ordinal",
        ),
        pytest.param(
            "Tim has 15 pens. Ann has 12 pens. Who has more pens?",
            "15 - 12 = 3\nTim has more pens.",
            "Tim has 15 pens. Ann has 13 pens. Who has more pens?",
            id="a question for who",
        ),
        pytest.param(
            "A cup costs $5. Does Ann, who has $20, have enough money for 3 cups?",
            "3 * 5 = 15\nYes.\n#### 15",
            "A cup costs $8. Does Ann, who has $20, have enough money for 3 cups?",
            id="a question for whether",
        ),
        pytest.param(
            "Pens cost $3, $5 and $8. Ann buys 4 of the cheapest. How much is that?",
            "4 * 3 = 12\n#### 12",
            "Pens cost $9, $5 and $8. Ann buys 4 of the cheapest. How much is that?",
            id="a choice",
        ),
        pytest.param(
            "A van carries 9 people. How many vans do 36 people need?",
            "36 / 9 = 4\n#### 4",
            "A van carries 9 people. How many vans do 40 people need?",
            id="a van is used whole",
        ),
        pytest.param(
            "Jo has 4 roommates. They split $100 of rent. How much does each pay?",
            "There are 5 people. 100 / 5 = 20\n#### 20",
            "Jo has 3 roommates. They split $100 of rent. How much does each pay?",
            id="a step that is not shown",
        ),
        pytest.param(
            "Kim earns $400 more than Lea, who earns $300. How much do both earn?",
            "400 + 300 = 700\n700 + 400 = 1100\n#### 1100",
            "Kim earns $500 more than Lea, who earns $300. How much do both earn?",
            id="a difference taken for an amount",
        ),
        pytest.param(
            "Ann buys 2 pens at $3 each. How much does she pay?",
            "The price twice is 2 * 3 = 6\n#### 6",
            "Ann buys 5 pens at $3 each. How much does she pay?",
            id="a word for a number",
        ),
        pytest.param(
            "Ann gives away 1/4 of 20 pens. How many pens does she give away?",
            "One-quarter of them is 20 * 1/4 = 5\n#### 5",
            "Ann gives away 1/5 of 20 pens. How many pens does she give away?",
            id="a word for a part",
        ),
        pytest.param(
            "Ann buys 4 pens at $3 each. How much does she pay?",
            "4 * 3 = 13\n#### 13",
            "Ann buys 5 pens at $3 each. How much does she pay?",
            id="a sum that is wrong",
        ),
        pytest.param(
            "Ann buys 4 pens at $3 each. How much does she pay?",
            "4 * 3 = 12\n#### 13",
            "Ann buys 5 pens at $3 each. How much does she pay?",
            id="another number at the end",
        ),
        pytest.param(
            "Ann buys 4 pens at $3 each. How much does she pay?",
            "Let x be the price. x + x = 4 * 3 = 12\n#### 12",
            "Ann buys 5 pens at $3 each. How much does she pay?",
            id="an unknown",
        ),
        pytest.param(
            "Ann buys 4 pens at $3 each. How much does she pay?",
            "She pays $12.",
            "Ann buys 5 pens at $3 each. How much does she pay?",
            id="nothing is shown",
        ),
        pytest.param(
            "Ann saves $10 a month. How much does she save in 6 months, on 1/2/2020?",
            "10 * 6 = 60\n#### 60",
            "Ann saves $10 a month. How much does she save in 7 months, on 1/2/2021?",
            id="a date",
        ),
        pytest.param(
            "3 friends share $10. How much does each get, rounded to a dollar?",
            "10 / 3 = 3\n#### 3",
            "3 friends share $11. How much does each get, rounded to a dollar?",
            id="rounding",
        ),
        pytest.param(
            "Four friends share $20. How much does each get?",
            "20 / 4 = 5\n#### 5",
            "Six friends share $20. How much does each get?",
            id="no exact price",
        ),
    ],
)
def test_another_way_may_be_needed(given_: str, answer: str, asked: str) -> None:
    assert reworked(given_, answer, asked) is None


@pytest.mark.parametrize(
    ("given_", "answer", "asked", "served"),
    [
        pytest.param(
            "A shop sells 2 dozen eggs a day. How many eggs does it sell in 5 days?",
            "2 * 12 = 24\n24 * 5 = 120\n#### 120",
            "A shop sells 3 dozen eggs a day. How many eggs does it sell in 4 days?",
            "3 * 12 = 36\n36 * 4 = 144\n#### 144",
            id="dozen",
        ),
        pytest.param(
            "A bag costs $2.50 and a cup $1.50. How much do 4 bags and 8 cups cost?",
            "Bags: 4 * $2.50 = $10.00\nCups: 8 * $1.50 = $12.00\n"
            "So $10.00 + $12.00 = $22.00",
            "A bag costs $3.50 and a cup $0.75. How much do 4 bags and 8 cups cost?",
            "Bags: 4 * $3.50 = $14.00\nCups: 8 * $0.75 = $6.00\n"
            "So $14.00 + $6.00 = $20.00",
            id="dollars and cents",
        ),
        pytest.param(
            "Sam ate 2/5 of 20 plums. How many plums did he eat?",
            "He ate 2/5 * 20 = <<2/5*20=8>>8 plums.",
            "Sam ate 3/4 of 20 plums. How many plums did he eat?",
            "He ate 3/4 * 20 = <<3/4*20=15>>15 plums.",
            id="a fraction",
        ),
        pytest.param(
            "Prices fall by 20%. How much does a coat of $50 cost after that?",
            "It costs 0.8 * $50 = $40.",
            "Prices fall by 30%. How much does a coat of $60 cost after that?",
            "It costs 0.7 * $60 = $42.",
            id="what a percentage leaves",
        ),
        pytest.param(
            "Ann has 3 pens for 3 weeks. She gets 5 pens more. How many pens has she?",
            "3 pens + 5 pens = 8 pens\nSo Ann has 8 pens.",
            "Ann has 6 pens for 3 weeks. She gets 5 pens more. How many pens has she?",
            None,
            id="equal numbers of which one is idle",
        ),
        pytest.param(
            "Ann buys 3 pens for 3 dollars each. How many dollars does she pay?",
            "3 pens * 3 dollars = 9 dollars",
            "Ann buys 4 pens for 2 dollars each. How many dollars does she pay?",
            "4 pens * 2 dollars = 8 dollars",
            id="equal numbers told apart by their nouns",
        ),
        pytest.param(
            "Six boys get 20 cents each. How many cents is that?",
            r"\(6 \times 20 = 120\) cents",
            "Eight boys get 30 cents each. How many cents is that?",
            r"\(8 \times 30 = 240\) cents",
            id="latex",
        ),
    ],
)
def test_the_answer_keeps_its_words(
    given_: str, answer: str, asked: str, served: str | None
) -> None:
    assert reworked(given_, answer, asked) == served


@given(figures(4, 500), figures(4, 500), figures(4, 500))
def test_two_turns_come_to_what_one_does(
    first: list[Fraction], second: list[Fraction], third: list[Fraction]
) -> None:
    family = FAMILIES["shopping"]
    answer = solved(family, first, is_noted=True)
    texts = [stated(family, numbers) for numbers in (first, second, third)]
    for given_, asked in pairwise(texts):
        served = reworked(given_, answer, asked)
        if served is None:
            return
        answer = served
    direct = reworked(texts[0], solved(family, first, is_noted=True), texts[2])
    assert direct in (None, answer)
