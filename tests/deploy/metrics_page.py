"""``/metrics`` of a fresh proxy -> docs/metrics.md.

``python -m tests.deploy.metrics_page`` writes the page anew.
"""

from collections.abc import Iterator

from prometheus_client.core import Metric
from prometheus_client.parser import text_string_to_metric_families

from stepcache_proxy.adapters.figures import QUANTILES, Sizes
from stepcache_proxy.adapters.prometheus import BUCKETS, PrometheusRecorder
from stepcache_proxy.config.tree import BUILT_IN_TASKS
from stepcache_proxy.reuse.model import Outcome
from tests.deploy.tools import ROOT

PAGE = ROOT / "docs" / "metrics.md"

_HEAD = """\
# Metrics

`GET /metrics`, in Prometheus' text format, without a token. Every label comes from a \
closed set: no prompt, model, credential or client's word is ever one. All series are \
there from the start, at 0. With several workers the figures are of all of them; \
`stepcache_index_vectors` is of the one that answers.

This page is written from the code (`python -m tests.deploy.metrics_page`), and a test \
fails where they differ.

| series | type | labels | meaning |
|---|---|---|---|
"""
_TAIL = """
The rules in [config/prometheus](../config/prometheus) record quantiles, ratios and \
rates from these, and the alerts beside them say when to look. \
[The dashboard](../config/grafana/dashboards/stepcache.json) shows both.

A histogram's quantile is as exact as its buckets; \
`stepcache_latency_quantile_seconds` is within 1 % of the exact one, over the last ten \
minutes, and needs no PromQL.
"""


def page() -> str:
    """The whole page."""
    recorder = PrometheusRecorder(
        BUILT_IN_TASKS,
        sizes=Sizes,
        quantiles=lambda: {Outcome.EXACT: dict.fromkeys(QUANTILES, 0.0)},
    )
    families = list(text_string_to_metric_families(recorder.render().decode()))
    rows = "".join(_row(family) for family in families)
    sets = "".join(
        f"| `{name}` | {values} |\n" for name, values in sorted(_labels(families))
    )
    bounds = ", ".join(f"{bound:g}" for bound in BUCKETS)
    return (
        f"{_HEAD}{rows}\n"
        f"Histograms count in buckets up to {bounds} seconds.\n\n"
        f"## Labels\n\n| label | values |\n|---|---|\n{sets}{_TAIL}"
    )


def _row(family: Metric) -> str:
    suffix = "_total" if family.type == "counter" else ""
    names = [name for name in family.samples[0].labels if name != "le"]
    shown = ", ".join(f"`{name}`" for name in names) or "–"
    series = f"`{family.name}{suffix}`"
    return f"| {series} | {family.type} | {shown} | {family.documentation} |\n"


def _labels(families: list[Metric]) -> Iterator[tuple[str, str]]:
    found: dict[str, dict[str, None]] = {}
    for family in families:
        for sample in family.samples:
            for name, value in sample.labels.items():
                if name not in ("le", "outcome"):
                    found.setdefault(name, {})[value] = None
    yield "outcome", ", ".join(f"`{outcome.value}`" for outcome in Outcome)
    for name, values in found.items():
        yield name, ", ".join(f"`{value}`" for value in values)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
