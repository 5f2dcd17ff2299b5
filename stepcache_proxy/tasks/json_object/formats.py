"""The ``format`` keyword: which strings are a date, an address, a URI.

Own checks in linear time, so that a verdict does not depend on which optional
packages are installed, and a long string cannot hold the event loop. Formats that
no draft defines say nothing. Each rule names its source.
"""

import datetime
import ipaddress
import re
from collections.abc import Callable, Mapping

from stepcache_proxy.tasks.json_object.patterns import compiled

MAX_TEXT = 1 << 16

_TIME = (
    r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\.[0-9]+)?"
    r"(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_SUB = r"[A-Za-z0-9._~!$&'()*+,;=:@/?%-]"
_DATE_ONLY = re.compile(_DATE)
_TIME_ONLY = re.compile(_TIME)
_DATE_TIME = re.compile(_DATE + "[Tt]" + _TIME)
_HOSTNAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*\.?")
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_USER = r"[A-Za-z0-9._~!$&'()*+,;=:%-]"
_NAME = r"[A-Za-z0-9._~!$&'()*+,;=%-]"
_HOST = (
    rf"(?://(?:{_USER}*@)?(?:\[[0-9A-Fa-f:.]+\]|{_NAME}*)(?::[0-9]*)?(?=[/?#]|\Z)"
    r"|(?!//))"
)
_URI = re.compile(rf"[A-Za-z][A-Za-z0-9+.-]*:{_HOST}{_SUB}*(?:#{_SUB}*)?")
_URI_REFERENCE = re.compile(rf"{_HOST}{_SUB}*(?:#{_SUB}*)?")
_POINTER = re.compile(r"(?:/(?:[^~/]|~[01])*)*", re.DOTALL)
_RELATIVE = re.compile(r"(?:0|[1-9][0-9]*)(?:#|(?:/(?:[^~/]|~[01])*)*)", re.DOTALL)
_TEMPLATE = re.compile(r"(?:[^\s{}\"<>\\^`|]|\{[^\s{}]+\})*")
_MAIL = re.compile(r"(?:[^\s@\"(),:;<>\[\\\]]+|\"[^\"\r\n]+\")@[^\s@]+")
_DURATION = re.compile(
    r"P(?:[0-9]+W|(?=[0-9T])(?:[0-9]+Y)?(?:[0-9]+M)?(?:[0-9]+D)?"
    r"(?:T(?=[0-9])(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+(?:\.[0-9]+)?S)?)?)"
)


def fits_format(text: str, name: str) -> bool | None:
    """Whether ``text`` has the format ``name``; None if it cannot be told."""
    check = _CHECKS.get(name)
    if check is None:
        return True
    return check(text) if len(text) <= MAX_TEXT else None


def _date(text: str) -> bool:
    """RFC 3339, full-date."""
    if not _DATE_ONLY.fullmatch(text):
        return False
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _date_time(text: str) -> bool:
    """RFC 3339, date-time."""
    return bool(_DATE_TIME.fullmatch(text)) and _date(text[:10])


def _hostname(text: str) -> bool:
    """RFC 1123, section 2.1: at most 253 characters."""
    return len(text) <= 253 and bool(_HOSTNAME.fullmatch(text))


def _international_host(text: str) -> bool | None:
    """RFC 5890: ASCII names are judged, others cannot be without tables."""
    return _hostname(text) if text.isascii() else None


def _ipv4(text: str) -> bool:
    try:
        ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return True


def _ipv6(text: str) -> bool:
    """RFC 4291, without a zone."""
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return "%" not in text


def _uri(text: str) -> bool:
    """RFC 3986, URI."""
    return bool(_URI.fullmatch(text)) and not _PERCENT.search(text)


def _uri_reference(text: str) -> bool:
    """RFC 3986, URI-reference."""
    return bool(_URI_REFERENCE.fullmatch(text)) and not _PERCENT.search(text)


def _iri(text: str) -> bool | None:
    return _uri(text) if text.isascii() else None


def _iri_reference(text: str) -> bool | None:
    return _uri_reference(text) if text.isascii() else None


def _regex(text: str) -> bool | None:
    """What can be compiled is one; what cannot may still be."""
    return True if compiled(text) is not None else None


def _whole(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.fullmatch(text) is not None


_CHECKS: Mapping[str, Callable[[str], bool | None]] = {
    "date": _date,
    "time": _whole(_TIME_ONLY),
    "date-time": _date_time,
    "duration": _whole(_DURATION),  # RFC 3339, appendix A
    "email": _whole(_MAIL),  # RFC 5321, section 4.1.2, without comments
    "idn-email": _whole(_MAIL),
    "hostname": _hostname,
    "idn-hostname": _international_host,
    "ipv4": _ipv4,
    "ipv6": _ipv6,
    "uri": _uri,
    "uri-reference": _uri_reference,
    "iri": _iri,
    "iri-reference": _iri_reference,
    "uri-template": _whole(_TEMPLATE),
    "uuid": _whole(_UUID),
    "json-pointer": _whole(_POINTER),
    "relative-json-pointer": _whole(_RELATIVE),
    "regex": _regex,
}
