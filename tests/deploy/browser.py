"""A real Chromium, told what to do over its own protocol."""

import asyncio
import json
import subprocess
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import websockets

from stepcache_proxy.bench.child import free_port
from tests.deploy.tools import tool

# As root it needs --no-sandbox; the rest keeps it from calling home.
_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass
class Tab:
    """One tab; ``faults`` are what its console and its policy complained of."""

    socket: websockets.ClientConnection
    faults: list[str] = field(default_factory=list)
    _number: int = 0

    async def call(self, method: str, **given: Any) -> Mapping[str, Any]:
        """The result of one command of the DevTools protocol."""
        self._number += 1
        command = {"id": self._number, "method": method, "params": given}
        await self.socket.send(json.dumps(command))
        while True:
            told: dict[str, Any] = json.loads(await self.socket.recv())
            self._note(told)
            if told.get("id") == self._number:
                result: Mapping[str, Any] = told["result"]
                return result

    async def value(self, script: str) -> Any:
        """What an expression is on the page."""
        said = await self.call("Runtime.evaluate", expression=script)
        assert "exceptionDetails" not in said, said
        return said["result"].get("value")

    async def until(self, script: str) -> None:
        """Return when the expression is true on the page."""
        async with asyncio.timeout(60):
            while not await self.value(f"Boolean({script})"):  # noqa: ASYNC110
                await asyncio.sleep(0.05)

    async def open(self, url: str, *, width: int = 1100, dark: bool = False) -> None:
        """Go to a page, on a screen of this width."""
        screen = {"width": width, "height": 1400, "deviceScaleFactor": 1}
        is_phone = width < 500
        await self.call("Emulation.setDeviceMetricsOverride", mobile=is_phone, **screen)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        await self.call("Emulation.setEmulatedMedia", features=[scheme])
        await self.call("Page.navigate", url=url)

    async def press(self, key: str, code: int) -> None:
        """Press and release a key."""
        given = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        text = {"text": "\r"} if key == "Enter" else {}
        await self.call("Input.dispatchKeyEvent", type="keyDown", **given, **text)
        await self.call("Input.dispatchKeyEvent", type="keyUp", **given)

    def _note(self, told: Mapping[str, Any]) -> None:
        if told.get("method") == "Log.entryAdded":
            entry = told["params"]["entry"]
            if entry["level"] == "error":
                self.faults.append(entry["text"])
        if told.get("method") == "Runtime.exceptionThrown":
            self.faults.append(str(told["params"]["exceptionDetails"]))


@asynccontextmanager
async def chromium(folder: Path) -> AsyncGenerator[Tab]:
    """A tab of a browser that is started for it; skips where there is none."""
    program = tool("chromium", "apt-get install chromium")
    port = free_port()
    command = [
        *(program, *_OPTIONS),
        f"--user-data-dir={folder / 'profile'}",
        f"--remote-debugging-port={port}",
        "about:blank",
    ]
    quiet = subprocess.DEVNULL
    browser = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)  # noqa: ASYNC220
    try:
        address = await _address(port)
        async with websockets.connect(address, max_size=None, proxy=None) as socket:
            tab = Tab(socket)
            for domain in ("Page", "Runtime", "Log"):
                await tab.call(f"{domain}.enable")
            yield tab
    finally:
        browser.kill()
        browser.wait()


async def _address(port: int) -> str:
    async with (
        asyncio.timeout(60),
        httpx.AsyncClient(trust_env=False) as client,
    ):
        while True:
            try:
                found = await client.get(f"http://127.0.0.1:{port}/json")
                pages = [page for page in found.json() if page["type"] == "page"]
                return str(pages[0]["webSocketDebuggerUrl"])
            except (httpx.TransportError, IndexError, json.JSONDecodeError):
                await asyncio.sleep(0.1)
