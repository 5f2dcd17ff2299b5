"""The page for people, in a real browser: read, clicked, typed into."""

import time
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import httpx
import pytest

from stepcache_proxy.bench.child import Child
from stepcache_proxy.bench.proxy_server import proxy_server
from tests.app.counting import CountingModel
from tests.deploy.browser import Tab, chromium

TOKEN = "let-me-in"
HOSTILE = "Why is <img src=x onerror=document.title=1> blue?"


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Generator[Child]:
    """A proxy that has answered a miss, two hits and a derived answer."""
    folder = tmp_path_factory.mktemp("page")
    settings = {"admin.token": TOKEN, "admin.price_per_million": "1000"}
    with (
        CountingModel().serving() as model,
        proxy_server(
            model.url, data_dir=folder / "data", log=folder / "log", settings=settings
        ) as child,
    ):
        ask(child, "Solve 3x + 4 = 19 for x. Show the steps.")
        ask(child, HOSTILE)
        assert ask(child, HOSTILE) == "exact"
        until_derived(child)
        yield child


def ask(proxy: Child, text: str) -> str:
    messages = [{"role": "user", "content": text}]
    body = {"model": "m", "temperature": 0, "messages": messages}
    url = f"{proxy.url}/v1/chat/completions"
    answer = httpx.post(url, json=body, trust_env=False, timeout=60)
    assert answer.status_code == 200
    return answer.headers["x-stepcache-outcome"]


def until_derived(proxy: Child) -> None:
    """A record can be a donor as soon as it is stored, shortly after its answer."""
    for number in range(200):
        wanted = f"Solve 5y + 2 = {27 + 5 * number} for y. Show the steps."
        if ask(proxy, wanted) == "reuse":
            return
        time.sleep(0.05)
    pytest.fail("nothing was derived")


@pytest.fixture
async def tab(tmp_path: Path) -> AsyncGenerator[Tab]:
    async with chromium(tmp_path) as opened:
        yield opened


async def enter(
    tab: Tab, proxy: Child, *, width: int = 1100, dark: bool = False
) -> None:
    """Open the page and give the token, as a person would."""
    await tab.open(f"{proxy.url}/stepcache/", width=width, dark=dark)
    await tab.until("document.querySelector('#token-form:not([hidden])')")
    await tab.value("document.getElementById('token').focus()")
    await tab.call("Input.insertText", text=TOKEN)
    await tab.press("Enter", 13)
    await tab.until("document.querySelectorAll('#recent button').length > 2")
    tab.faults.clear()  # the first answer was a 401, as it should be


def text_of(id_: str) -> str:
    return f"document.getElementById('{id_}').textContent"


async def test_a_glance_tells_whether_the_cache_earns_its_keep(
    tab: Tab, proxy: Child
) -> None:
    await enter(tab, proxy)
    assert (await tab.value(text_of("share"))).endswith("%")
    assert "×" in await tab.value(text_of("speed"))
    assert int(await tab.value(text_of("saved"))) > 0
    assert "worth 0." in await tab.value(text_of("saved-note"))
    assert "exact" in await tab.value("document.getElementById('chart').ariaLabel")
    assert await tab.value("document.querySelectorAll('#chart rect').length") > 2
    assert tab.faults == []


async def test_a_derived_answer_stands_beside_its_donor(tab: Tab, proxy: Child) -> None:
    await enter(tab, proxy)
    await tab.value(
        "[...document.querySelectorAll('#recent tr')]"
        ".find(row => /derived/.test(row.innerText)).querySelector('button').click()"
    )
    await tab.until("document.querySelectorAll('#record .pair section').length === 2")
    served, donor = [
        await tab.value(f"document.querySelectorAll('.pair section')[{n}].innerText")
        for n in (0, 1)
    ]
    assert "5y + 2" in served
    assert "3x + 4 = 19" in donor
    assert await tab.value("document.querySelectorAll('.changed').length") > 2
    assert "accept" in served
    assert tab.faults == []


async def test_what_a_client_wrote_is_never_markup(tab: Tab, proxy: Child) -> None:
    await enter(tab, proxy)
    await tab.value(
        "[...document.querySelectorAll('#recent tr')]"
        ".find(row => /exact/.test(row.innerText)).querySelector('button').click()"
    )
    await tab.until(f"{text_of('record')}.includes('<img src=x')")
    assert await tab.value("document.images.length") == 0
    assert await tab.value("document.title") == "stepcache-proxy"
    assert tab.faults == []


async def test_it_fits_a_phone_in_the_dark(tab: Tab, proxy: Child) -> None:
    await enter(tab, proxy, width=390, dark=True)
    wide = "document.documentElement.scrollWidth <= window.innerWidth"
    assert await tab.value(wide)
    paper = "getComputedStyle(document.body).backgroundColor"
    red, green, blue = (
        int(part) for part in (await tab.value(paper))[4:-1].split(",")[:3]
    )
    assert max(red, green, blue) < 64
    assert tab.faults == []


async def test_everything_is_reached_by_the_keyboard(tab: Tab, proxy: Child) -> None:
    await enter(tab, proxy)
    await tab.value("document.activeElement.blur()")
    reached: set[str] = set()
    for _ in range(60):
        await tab.press("Tab", 9)
        reached.add(
            await tab.value(
                "document.activeElement.id || document.activeElement.textContent"
            )
        )
    assert {"record-id", "Look up", "purge-by", "Count", "Purge"} <= reached


async def test_a_bad_answer_is_quarantined_by_its_button(
    tab: Tab, proxy: Child
) -> None:
    text = "Why do gulls shout at noon?"
    ask(proxy, text)
    assert ask(proxy, text) == "exact"
    await enter(tab, proxy)
    await tab.value("document.querySelector('#recent button').click()")
    await tab.until(f"{text_of('record')}.includes('gulls')")
    await tab.value(
        "[...document.querySelectorAll('#record button')]"
        ".find(button => button.textContent === 'Bad answer').click()"
    )
    await tab.until(f"{text_of('record')} === 'Quarantined.'")
    assert ask(proxy, text) != "exact"
