"""A real Prometheus reads our figures, and every rule, alert and panel shows some."""

import math
import subprocess
from bisect import bisect_left
from collections.abc import Generator

import pytest

from stepcache_proxy.adapters.prometheus import BUCKETS
from tests.deploy.monitoring import (
    FOLDER,
    HOW,
    Monitored,
    alerts,
    monitored,
    panels,
    rules,
)
from tests.deploy.tools import ROOT, tool

ANSWERED = ("exact", "reuse", "miss")


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Generator[Monitored]:
    with monitored(tmp_path_factory.mktemp("monitoring")) as seen:
        yield seen


def named(pairs: list[tuple[str, str]]) -> list[object]:
    return [pytest.param(expression, id=name) for name, expression in pairs]


def promtool(*arguments: str) -> None:
    done = subprocess.run(
        [tool("promtool", HOW), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_configuration_and_its_rules_are_valid() -> None:
    promtool("check", "config", str(FOLDER / "prometheus.yml"))


def test_every_alert_fires_when_it_should_and_only_then() -> None:
    promtool("test", "rules", str(ROOT / "tests" / "deploy" / "alerts_test.yml"))


def test_every_alert_has_a_test_of_its_own() -> None:
    text = (ROOT / "tests" / "deploy" / "alerts_test.yml").read_text()
    counts = {name: text.count(f"alertname: {name}") for name, _ in alerts()}
    assert {name: n for name, n in counts.items() if n < 2} == {}


@pytest.mark.parametrize("name", [name for name, _ in rules()])
def test_every_rule_has_recorded_something(name: str, seen: Monitored) -> None:
    assert seen.query(name) != []


@pytest.mark.parametrize("expression", named(rules()))
def test_every_rule_can_be_evaluated(expression: str, seen: Monitored) -> None:
    assert seen.query(expression) != []


@pytest.mark.parametrize("expression", named(alerts()))
def test_every_alert_compares_figures_that_exist(
    expression: str, seen: Monitored
) -> None:
    assert expression.count(" > ") == 1
    compared = seen.query(expression.replace(" > ", " > bool "))
    assert compared != []
    # Not "all 0": on a busy machine the proxy may well be slow.
    assert {value for _, value in compared} <= {0.0, 1.0}


@pytest.mark.parametrize("expression", named(panels()))
def test_every_panel_shows_something(expression: str, seen: Monitored) -> None:
    shown = seen.query(expression.replace("$__rate_interval", "1m"))
    assert [value for _, value in shown if not math.isnan(value)] != []


def test_nothing_fires_and_no_rule_fails(seen: Monitored) -> None:
    told = seen.prometheus.get("/api/v1/rules").json()
    every = [rule for group in told["data"]["groups"] for rule in group["rules"]]
    assert {rule["health"] for rule in every} == {"ok"}
    assert [rule["name"] for rule in every if rule.get("state") == "firing"] == []


def test_the_load_met_the_outcomes_that_matter(seen: Monitored) -> None:
    for outcome in (*ANSWERED, "bypass"):
        assert seen.figure("requests", "by_outcome", outcome) > 0


def test_requests_by_outcome_agree_with_the_statistics(seen: Monitored) -> None:
    counted = seen.query("sum by (outcome) (stepcache_requests_total)")
    found = {labels["outcome"]: value for labels, value in counted}
    assert found == seen.stats("requests", "by_outcome")


def test_the_hit_ratio_agrees_with_the_statistics(seen: Monitored) -> None:
    share = seen.figure("requests", "share_without_model")
    # Both sums of rates are extrapolated by the same factor.
    assert seen.number("stepcache:hit_ratio:5m") == pytest.approx(share, rel=1e-6)


def test_tokens_agree_with_the_statistics(seen: Monitored) -> None:
    counted = seen.query("sum by (kind) (stepcache_tokens_total)")
    found = {labels["kind"]: value for labels, value in counted}
    assert found == seen.stats("tokens")
    assert found["saved"] > 0
    assert seen.number("stepcache:tokens_saved:1d") > 0


@pytest.mark.parametrize("outcome", ANSWERED)
@pytest.mark.parametrize("quantile", ["0.5", "0.95"])
def test_quantiles_agree_with_the_statistics(
    outcome: str, quantile: str, seen: Monitored
) -> None:
    name = f"p{round(float(quantile) * 100)}"
    exact = seen.figure("latency", "total", outcome, name)
    labels = f'{{outcome="{outcome}", quantile="{quantile}"}}'
    shown = seen.number(f"stepcache_latency_quantile_seconds{labels}")
    assert shown == pytest.approx(exact)
    rule = seen.number(f'stepcache:request_seconds:{name}{{outcome="{outcome}"}}')
    # A histogram knows the bucket, and interpolates inside.
    assert abs(bisect_left(BUCKETS, rule) - bisect_left(BUCKETS, exact)) <= 1


def test_sizes_agree_with_the_statistics(seen: Monitored) -> None:
    assert seen.number("stepcache_records") == seen.figure("store", "records")
    assert seen.number("stepcache_index_vectors") == seen.figure("index", "vectors")
