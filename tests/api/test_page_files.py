"""The page is self-contained and can run nothing but its own script."""

import re
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

import stepcache_proxy.api.page_files
from stepcache_proxy.api.page_files import page_router

FOLDER = Path(stepcache_proxy.api.page_files.__file__).parent / "page"
HTML = (FOLDER / "index.html").read_text()
SCRIPT = (FOLDER / "page.js").read_text()
STYLE = (FOLDER / "page.css").read_text()


async def get(
    path: str, *, token: str | None = None, sender: str = "127.0.0.1"
) -> httpx.Response:
    app = FastAPI()
    app.include_router(page_router(token))
    transport = httpx.ASGITransport(app=app, client=(sender, 50000))
    base = "http://127.0.0.1:8000"
    async with httpx.AsyncClient(transport=transport, base_url=base) as client:
        return await client.get(path)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/stepcache/", "text/html"),
        ("/stepcache/page.js", "text/javascript"),
        ("/stepcache/page.css", "text/css"),
    ],
)
async def test_every_file_forbids_what_it_does_not_need(path: str, kind: str) -> None:
    response = await get(path)
    assert response.status_code == 200
    assert response.headers["content-type"].startswith(kind)
    policy = response.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in policy
    assert response.headers["x-content-type-options"] == "nosniff"


async def test_the_shell_needs_no_token_because_it_holds_no_figures() -> None:
    response = await get("/stepcache/", token="secret", sender="192.0.2.7")
    assert response.status_code == 200
    assert "secret" not in response.text


async def test_without_a_token_the_shell_is_for_this_machine() -> None:
    assert (await get("/stepcache/", sender="192.0.2.7")).status_code == 403


async def test_the_path_without_its_slash_leads_to_the_page() -> None:
    response = await get("/stepcache")
    assert response.headers["location"] == "/stepcache/"


def test_nothing_is_loaded_from_elsewhere() -> None:
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", HTML + SCRIPT + STYLE)
    assert set(re.findall(r'(?:src|href)="([^"]+)"', HTML)) == {
        "data:,",
        "page.css",
        "page.js",
    }


def test_the_script_makes_no_markup_out_of_text() -> None:
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|Function\(",
        SCRIPT,
    )
    assert not re.search(r"\son\w+=|<script>|<style|\sstyle=", HTML)


def test_everything_the_script_reaches_for_is_on_the_page() -> None:
    ids = set(re.findall(r'id="([^"]+)"', HTML))
    assert set(re.findall(r'\$\("([^"]+)"\)', SCRIPT)) <= ids


def test_every_field_has_a_label() -> None:
    fields = re.findall(r'<(?:input|select) id="([^"]+)"', HTML)
    assert len(fields) == 4
    assert set(fields) <= set(re.findall(r'<label for="([^"]+)"', HTML))
