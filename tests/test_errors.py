"""Every exception is in the drawn tree, and says whose fault it is."""

import inspect

import pytest

from stepcache_proxy import errors
from stepcache_proxy.errors import (
    ConfigError,
    InvalidRequestError,
    StepcacheError,
    UpstreamStatusError,
)

CLASSES = [
    pytest.param(kind, id=name)
    for name, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, StepcacheError)
]


@pytest.mark.parametrize("kind", CLASSES)
def test_the_drawn_tree_shows_every_exception(kind: type[StepcacheError]) -> None:
    drawn = (errors.__doc__ or "").split()
    assert kind.__name__ in drawn


@pytest.mark.parametrize("kind", CLASSES)
def test_an_exception_has_the_status_of_an_error(kind: type[StepcacheError]) -> None:
    assert 400 <= kind.status < 600
    assert kind.kind


def test_the_faults_of_settings_are_kept_apart_and_read_as_one() -> None:
    error = ConfigError("a: is wrong", "b: is wrong")
    assert error.faults == ("a: is wrong", "b: is wrong")
    assert str(error) == "a: is wrong; b: is wrong"


def test_an_invalid_request_names_what_is_wrong_with_it() -> None:
    error = InvalidRequestError("must be a number", param="x-stepcache-ttl")
    assert error.param == "x-stepcache-ttl"
    assert error.status == 400


def test_an_upstream_error_keeps_what_the_upstream_said() -> None:
    error = UpstreamStatusError(429, [(b"retry-after", b"3")], b"slow down")
    assert error.upstream_status == 429
    assert error.headers == [(b"retry-after", b"3")]
    assert error.body == b"slow down"
