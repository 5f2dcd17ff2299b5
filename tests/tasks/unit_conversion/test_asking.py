"""A request is bound only if units and wording can mean one thing."""

from fractions import Fraction

import pytest
from hypothesis import assume, given

from stepcache_proxy.tasks.arithmetic.asking import read_request as read_expression
from stepcache_proxy.tasks.unit_conversion import UnitConversion
from stepcache_proxy.tasks.unit_conversion.asking import read_request
from tests.fakes import canonical
from tests.tasks.unit_conversion.conversions import Question, questions


@pytest.mark.parametrize(
    ("text", "result"),
    [
        pytest.param("Convert 5 km to metres", "5000", id="symbols"),
        pytest.param("How many centimetres are in 3 metres?", "300", id="how many"),
        pytest.param("What is 72 inches in feet?", "6", id="what is"),
        pytest.param("please convert 2.5 hours to minutes.", "150", id="polite"),
        pytest.param("How many seconds are there in a day?", "86400", id="one"),
        pytest.param("5 pounds to kg", "2.26796185", id="pounds"),
        pytest.param("What is -40 °C in °F?", "-40", id="negative"),
        pytest.param("Convert 0 kelvin to degrees Celsius", "-273.15", id="kelvin"),
        pytest.param("Convert 1,500 g to kg", "1.5", id="thousands"),
        pytest.param("Convert 2 GiB to MiB", "2048", id="binary"),
        pytest.param("Convert 1 mile to kilometers", "1.609344", id="American"),
    ],
)
def test_what_is_asked_is_read(text: str, result: str) -> None:
    asked = read_request(text)
    assert asked is not None
    assert asked.result == Fraction(result)
    assert read_expression(text) is None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Convert 5 gallons to litres", id="gallons"),
        pytest.param("Convert 3 pints to ml", id="pints"),
        pytest.param("Convert 8 ounces to grams", id="ounces"),
        pytest.param("Convert 2 tons to kg", id="tons"),
        pytest.param("Convert 5 KB to bytes", id="kilobytes"),
        pytest.param("Convert 3 months to days", id="months"),
        pytest.param("Convert 5 pounds to dollars", id="currency"),
        pytest.param("Convert 5 m to kg", id="other kinds"),
        pytest.param("Convert 5 km to km", id="nothing to do"),
        pytest.param("Convert 5 Mm to km", id="another case"),
        pytest.param("Convert -5 kg to g", id="less than nothing"),
        pytest.param("Convert 180 cm to feet and inches", id="two units"),
        pytest.param("Convert 5 km to miles and explain", id="more than asked"),
        pytest.param("Convert 5 nautical miles to km", id="nautical"),
        pytest.param("Convert 5 km per hour to mph", id="speed"),
        pytest.param("How many feet does a dog have?", id="other feet"),
        pytest.param("How many days in 2 weeks' holiday?", id="possessive"),
        pytest.param("Convert 5.5.5 km to m", id="no number"),
        pytest.param("Convert 1 ms to weeks", id="too small to write"),
        pytest.param("Convert " + "9" * 10_000 + " km to m", id="long number"),
        pytest.param("Convert 9**9**9 km to m", id="power tower"),
        pytest.param("How many degrees F are in a degree C?", id="size of a degree"),
        pytest.param("5 miles to km to 9 decimal places", id="many decimals"),
    ],
)
def test_what_may_be_meant_otherwise_is_not_bound(text: str) -> None:
    assert read_request(text) is None


def test_a_system_message_or_a_format_is_not_bound() -> None:
    messages = [
        {"role": "system", "content": "Round to whole numbers."},
        {"role": "user", "content": "Convert 5 km to miles"},
    ]
    task = UnitConversion()
    assert task.bind(canonical(messages=[*messages])) is None
    demanded = {"type": "json_object"}
    request = canonical("Convert 5 km to miles", response_format=demanded)
    assert task.bind(request) is None


@given(questions())
def test_every_result_is_exact(question: Question) -> None:
    asked = read_request(question.text)
    assume(asked is not None)
    assert asked is not None
    assert asked.result == question.result
