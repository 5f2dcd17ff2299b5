"""LiteLLM's proxy in a virtual environment of its own, to compare with."""

import subprocess
import venv
from pathlib import Path

from stepcache_proxy.bench.child import Child, free_port
from stepcache_proxy.errors import StartError

_CONFIG = """\
model_list:
  - model_name: m
    litellm_params: {{model: openai/m, api_base: "{upstream}/v1", api_key: hot-path}}
litellm_settings:
  cache: true
  cache_params: {{type: local}}
  telemetry: false
general_settings: {{dangerously_permit_weak_or_unset_master_key: true}}
"""


def install(folder: Path) -> str:
    """The path of the program, installed if need be; StartError if it cannot be."""
    program = folder / "bin" / "litellm"
    if not program.exists():
        venv.create(folder, with_pip=True)
        pip = [str(folder / "bin" / "pip"), "install", "--quiet", "litellm[proxy]"]
        done = subprocess.run(pip, check=False, capture_output=True, text=True)  # noqa: S603
        if done.returncode or not program.exists():
            said = done.stderr.strip().splitlines() or ["pip failed"]
            msg = f"litellm cannot be installed: {said[-1][:120]}"
            raise StartError(msg)
    return str(program)


def litellm_server(program: str, upstream: str, folder: Path) -> Child:
    """The proxy with its exact cache in memory, to be started."""
    config = folder / "litellm.yaml"
    config.write_text(_CONFIG.format(upstream=upstream), encoding="utf-8")
    port = free_port()
    options = ("--config", str(config), "--port", str(port), "--num_workers", "1")
    return Child(
        name="litellm",
        command=(program, *options, "--host", "127.0.0.1"),
        port=port,
        ready_path="/health/liveliness",
        log=folder / "litellm.log",
        env={"LITELLM_LOG": "ERROR", "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        start_seconds=120,
    )
