"""Which headers go on, to the upstream and to the client, as raw lists."""

from collections.abc import Iterable, Iterator, Sequence

RawHeaders = Sequence[tuple[bytes, bytes]]

# RFC 9110, section 7.6.1, with the older Keep-Alive and Proxy-Connection.
_HOP_BY_HOP = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    }
)
# The server in front of us has already answered an Expect.
_NOT_FOR_UPSTREAM = frozenset({b"host", b"expect", b"cache-control"})
_ABOUT_THE_BODY = frozenset({b"content-length", b"content-encoding"})
_OWN_PREFIX = b"x-stepcache-"
_IDENTITY = (b"accept-encoding", b"identity")


def values(headers: RawHeaders, name: bytes) -> list[str]:
    """Every value of a header, in order; ``name`` in lower case."""
    return [v.decode("latin-1") for k, v in headers if k.lower() == name]


def value(headers: RawHeaders, name: bytes) -> str | None:
    """The first value of a header; ``name`` in lower case."""
    for key, content in headers:
        if key == name or key.lower() == name:
            return content.decode("latin-1")
    return None


def is_event_stream(headers: RawHeaders) -> bool:
    """Whether the content type says server-sent events."""
    kind = value(headers, b"content-type") or ""
    return kind.split(";")[0].strip().lower() == "text/event-stream"


def is_encoded(headers: RawHeaders) -> bool:
    """Whether the body is compressed or otherwise coded."""
    coding = value(headers, b"content-encoding") or "identity"
    return coding.strip().lower() not in {"", "identity"}


def for_upstream(
    headers: RawHeaders, *, is_read: bool = False, is_rebuilt: bool = False
) -> list[tuple[bytes, bytes]]:
    """A client's headers less hop-by-hop, Host and our own control headers.

    ``is_read``: the answer will be read here, so it must not come compressed.
    ``is_rebuilt``: the body is another one than the client's.
    """
    dropped = _hop_by_hop(headers) | _NOT_FOR_UPSTREAM
    if value(headers, b"transfer-encoding") is not None:
        # RFC 9112, section 6.3: chunks override a length, which may be a trap.
        dropped |= {b"content-length"}
    if is_read:
        dropped |= {_IDENTITY[0]}
    if is_rebuilt:
        dropped |= _ABOUT_THE_BODY
    kept = list(_without(headers, dropped))
    return [*kept, _IDENTITY] if is_read else kept


def for_client(
    headers: RawHeaders, *, is_rebuilt: bool = False
) -> list[tuple[bytes, bytes]]:
    """An upstream's headers less hop-by-hop and the marks of a proxy behind us."""
    dropped = _hop_by_hop(headers)
    if is_rebuilt:
        dropped |= _ABOUT_THE_BODY
    return list(_without(headers, dropped))


def with_ours(headers: RawHeaders, ours: RawHeaders) -> list[tuple[bytes, bytes]]:
    """Both lists; a header of ours replaces every one of the same name."""
    names = {name.lower() for name, _ in ours}
    return [*((k, v) for k, v in headers if k.lower() not in names), *ours]


def for_event_stream(headers: RawHeaders) -> list[tuple[bytes, bytes]]:
    """The headers with what keeps intermediaries from buffering a stream."""
    added = [(b"x-accel-buffering", b"no"), (b"cache-control", b"no-cache")]
    present = {name.lower() for name, _ in headers}
    return [*headers, *((k, v) for k, v in added if k not in present)]


def _hop_by_hop(headers: RawHeaders) -> frozenset[bytes]:
    named = [v for k, v in headers if k.lower() == b"connection"]
    if not named:
        return _HOP_BY_HOP
    return _HOP_BY_HOP | {token for line in named for token in _tokens(line)}


def _tokens(line: bytes) -> Iterator[bytes]:
    return (token.strip().lower() for token in line.split(b","))


def _without(
    headers: RawHeaders, dropped: Iterable[bytes]
) -> Iterator[tuple[bytes, bytes]]:
    for name, content in headers:
        lower = name.lower()
        if lower not in dropped and not lower.startswith(_OWN_PREFIX):
            yield name, content
