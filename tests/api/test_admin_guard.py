"""The admin endpoints are open to holders of the token, else to this machine alone."""

from collections.abc import Mapping

import pytest
from starlette.requests import Request

from stepcache_proxy.api.admin_guard import check_access
from stepcache_proxy.errors import AccessError, TokenError

TOKEN = "opensésame"


def request(
    sender: str | None = "127.0.0.1", *, headers: Mapping[str, bytes] | None = None
) -> Request:
    sent = {"host": b"127.0.0.1:8000", **(headers or {})}
    return Request(
        {
            "type": "http",
            "headers": [(name.encode(), value) for name, value in sent.items()],
            "client": None if sender is None else (sender, 50000),
        }
    )


@pytest.mark.parametrize(
    "sender", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"]
)
@pytest.mark.parametrize("host", [b"localhost:8000", b"127.0.0.1", b"[::1]:8000"])
def test_this_machine_needs_no_token_where_none_is_set(
    sender: str, host: bytes
) -> None:
    check_access(request(sender, headers={"host": host}), None)


REFUSED = [
    pytest.param(request("192.0.2.7"), id="another machine"),
    pytest.param(request("::ffff:192.0.2.7"), id="another machine, mapped"),
    pytest.param(request(None), id="nobody knows who"),
    pytest.param(request("testclient"), id="no address"),
    pytest.param(
        request(headers={"x-forwarded-for": b"192.0.2.7"}), id="a reverse proxy"
    ),
    pytest.param(request(headers={"forwarded": b"for=127.0.0.1"}), id="another one"),
    pytest.param(request(headers={"host": b"evil.example"}), id="DNS rebinding"),
    pytest.param(request(headers={"host": b""}), id="no host"),
    pytest.param(
        request(headers={"origin": b"https://evil.example"}), id="a foreign page"
    ),
    pytest.param(request(headers={"origin": b"null"}), id="a sandboxed page"),
]


@pytest.mark.parametrize("refused", REFUSED)
def test_all_others_are_refused(refused: Request) -> None:
    with pytest.raises(AccessError):
        check_access(refused, None)


def test_the_page_itself_is_let_in() -> None:
    check_access(request(headers={"origin": b"http://127.0.0.1:8000"}), None)


@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
def test_the_token_opens_from_anywhere(scheme: str) -> None:
    given = f"{scheme} {TOKEN}".encode()
    check_access(request("192.0.2.7", headers={"authorization": given}), TOKEN)


@pytest.mark.parametrize(
    "given", [b"", b"Bearer", b"Bearer opens", b"Basic opens\xc3\xa9same", b"\xff \xff"]
)
def test_anything_else_is_a_token_error_even_from_this_machine(given: bytes) -> None:
    with pytest.raises(TokenError):
        check_access(request(headers={"authorization": given}), TOKEN)


def test_behind_a_proxy_that_renames_the_host_the_token_is_enough() -> None:
    given = f"Bearer {TOKEN}".encode()
    headers = {"authorization": given, "origin": b"https://cache.example"}
    check_access(request("192.0.2.7", headers=headers), TOKEN)
