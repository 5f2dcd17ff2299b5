"""Formats are judged as their standards say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepcache_proxy.tasks.json_object.formats import fits_format

FITS = {
    "date": ["2024-02-29"],
    "time": ["12:30:00Z", "23:59:60+01:00", "01:02:03.456-05:30"],
    "date-time": ["2024-02-29T12:30:00Z", "1990-12-31t23:59:60z"],
    "duration": ["P3D", "PT1H30M", "P1Y2M3DT4H5M6S", "P2W"],
    "email": ["ada@example.org", "a.b+c@mail.example.org", '"a b"@example.org'],
    "hostname": ["example.org", "a-b.example", "localhost"],
    "ipv4": ["192.168.0.1"],
    "ipv6": ["::1", "2001:db8::8a2e:370:7334"],
    "uri": ["https://example.org/a?b=c#d", "urn:isbn:0451450523", "http://[::1]:80/"],
    "uri-reference": ["/a/b", "#top", "", "//example.org/x"],
    "uri-template": ["https://example.org/{user}/{?page}"],
    "uuid": ["123E4567-e89b-12d3-a456-426614174000"],
    "json-pointer": ["", "/a/~0b/~1"],
    "relative-json-pointer": ["0#", "1/a"],
    "regex": ["^a+$"],
    "colour-of-the-sky": ["anything"],
}
FAILS = {
    "date": ["2023-02-29", "24-01-01", "2024-1-1", "2024-01-01\n"],
    "time": ["25:00:00Z", "12:30:00"],
    "date-time": ["2024-02-30T12:30:00Z", "2024-02-29 12:30:00", "2024-02-29"],
    "duration": ["P", "PT", "1D", "P1", "P1H"],
    "email": ["ada", "@example.org", "ada@", "a da@example.org"],
    "hostname": ["-a.example", "a_b.example", "a." * 150],
    "ipv4": ["256.0.0.1", "1.2.3", "01.2.3.4"],
    "ipv6": ["1::2::3", "fe80::1%eth0"],
    "uri": ["example.org", "http://a b", "http://exa<mple", "http://a/%zz", "//x/y"],
    "uri-reference": ["a b", "\\a"],
    "uri-template": ["https://example.org/{user"],
    "uuid": ["123E4567-e89b-12d3-a456"],
    "json-pointer": ["a", "/~2"],
    "relative-json-pointer": ["01/a", "#"],
}


@pytest.mark.parametrize(("name", "text"), [(n, t) for n in FITS for t in FITS[n]])
def test_a_right_text_fits(name: str, text: str) -> None:
    assert fits_format(text, name) is True


@pytest.mark.parametrize(("name", "text"), [(n, t) for n in FAILS for t in FAILS[n]])
def test_a_wrong_text_does_not_fit(name: str, text: str) -> None:
    assert fits_format(text, name) is False


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("idn-hostname", "bücher.example", id="idn"),
        pytest.param("iri", "http://bücher.example", id="iri"),
        pytest.param("iri-reference", "/bücher", id="iri-reference"),
        pytest.param("regex", "(", id="regex"),
        pytest.param("uri", "http:" + "a" * 100_000, id="long"),
    ],
)
def test_what_needs_tables_or_too_much_time_is_not_told(name: str, text: str) -> None:
    assert fits_format(text, name) is None


@given(st.sampled_from(sorted(FITS)), st.text())
def test_no_text_raises(name: str, text: str) -> None:
    assert fits_format(text, name) in {True, False, None}
