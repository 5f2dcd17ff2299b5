"""Where nothing can be kept, a model is run without an export."""

import logging
from pathlib import Path

import pytest

from stepcache_proxy.adapters.exports import export_of


def test_a_folder_that_cannot_be_looked_into_is_no_reason_to_fail(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert export_of("./none", tmp_path / ("x" * 300)) is None
    assert "the model is not exported: OSError" in caplog.text
