"""docs/metrics.md says what /metrics says."""

from tests.deploy.metrics_page import PAGE, page


def test_the_page_is_what_the_code_would_write() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_the_page_names_each_label_set() -> None:
    text = page()
    for label in ("endpoint", "outcome", "stage", "task", "verdict", "seam"):
        assert f"| `{label}` | `" in text
