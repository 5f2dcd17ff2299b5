"""Only a request that demands no format gets sentences."""

import pytest

from stepcache_proxy.tasks.plain_text import is_plain_text
from stepcache_proxy.wire.jsonvalue import JsonObject


@pytest.mark.parametrize(
    ("format", "is_plain"),
    [
        pytest.param({}, True, id="nothing"),
        pytest.param({"response_format": None}, True, id="null"),
        pytest.param({"response_format": {"type": "text"}}, True, id="text"),
        pytest.param({"response_format": {"type": "json_object"}}, False, id="JSON"),
        pytest.param({"response_format": {"type": "text", "x": 1}}, False, id="more"),
        pytest.param({"guided_regex": "a"}, False, id="regex"),
        pytest.param(
            {"response_format": None, "grammar": "root ::= x"}, False, id="grammar"
        ),
    ],
)
def test_a_demanded_format_is_no_plain_text(format: JsonObject, is_plain: bool) -> None:
    assert is_plain_text(format) is is_plain
