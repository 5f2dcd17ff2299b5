"""Who may use the admin endpoints: holders of the token, else this machine alone."""

import hmac
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.requests import Request

from stepcache_proxy.errors import AccessError, TokenError

_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip")


def check_access(request: Request, token: str | None) -> None:
    """Raises AccessError (403) or TokenError (401) unless ``request`` may be served.

    Without a token a loopback address alone is not enough: a reverse proxy on this
    machine and a stranger's page in this machine's browser have one as well. A token
    is nothing that a browser sends by itself, so with one the sender does not matter.
    """
    if token is not None:
        _check_token(request, token)
    elif is_foreign_page(request):
        message = "A page of another origin may not use the admin endpoints."
        raise AccessError(message)
    elif not is_local(request):
        message = (
            "Without admin.token the admin endpoints answer on the loopback "
            "interface only. Set admin.token and send it as a bearer token."
        )
        raise AccessError(message)


def is_local(request: Request) -> bool:
    """Sent from this machine, to this machine's own name, and not for somebody else."""
    if any(name in request.headers for name in _FORWARDED):
        return False
    sender = request.client.host if request.client else ""
    named = urlsplit("//" + request.headers.get("host", "")).hostname or ""
    return _is_loopback(sender) and (named == "localhost" or _is_loopback(named))


def is_foreign_page(request: Request) -> bool:
    """A browser says that a page from elsewhere sent this request."""
    origin = request.headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != request.headers.get("host")


def _check_token(request: Request, token: str) -> None:
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    # Header values are read as latin-1, whatever bytes the client sent.
    is_same = hmac.compare_digest(given.strip().encode("latin-1"), token.encode())
    if scheme.lower() != "bearer" or not is_same:
        message = "This needs the admin token: Authorization: Bearer TOKEN."
        raise TokenError(message)


def _is_loopback(host: str) -> bool:
    try:
        address = ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return address.is_loopback or bool(mapped and mapped.is_loopback)
