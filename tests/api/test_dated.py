"""Responses of our own say when they were made; nobody's date is doubled."""

from email.utils import parsedate_to_datetime

import httpx
import pytest

from stepcache_proxy.api.dated import Dated, date_header
from tests.http_servers import Answering, serve


@pytest.mark.parametrize(
    ("theirs", "expected"),
    [
        pytest.param([], None, id="ours"),
        pytest.param([(b"date", b"theirs")], "theirs", id="theirs"),
    ],
)
async def test_there_is_one_date(
    theirs: list[tuple[bytes, bytes]], expected: str | None
) -> None:
    async with (
        serve(Dated(Answering(headers=theirs))) as url,
        httpx.AsyncClient(trust_env=False) as client,
    ):
        answer = await client.get(url)
    (date,) = answer.headers.get_list("date")
    assert date == expected or parsedate_to_datetime(date).tzinfo is not None


def test_the_date_is_the_one_of_http() -> None:
    name, value = date_header()
    assert name == b"date"
    assert value.endswith(b" GMT")
