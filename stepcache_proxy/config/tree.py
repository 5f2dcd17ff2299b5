"""Every setting with its default, its bounds, its meaning and its unit."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
)
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from stepcache_proxy.config.section import Section
from stepcache_proxy.config.stores import IndexSettings, StoreSettings

PREFIX = "STEPCACHE_"
DELIMITER = "__"
BUILT_IN_TASKS = (
    "linear_equation",
    "linear_system",
    "quadratic_equation",
    "unit_conversion",
    "json_object",
    "arithmetic",
    "word_problem",
    "verbatim",
)

_TENANT_SOURCE = re.compile(r"credential|none|header:[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}")


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port  # reading it is what checks it
    except ValueError:
        return None
    return parts


def _http_url(url: str) -> str:
    parts = _split(url)
    if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname:
        msg = "must be an address like http://127.0.0.1:8000"
        raise ValueError(msg)
    if parts.query or parts.fragment:
        msg = "must end with its path, without '?' and '#'"
        raise ValueError(msg)
    return url


def _tenant_source(source: str) -> str:
    if not _TENANT_SOURCE.fullmatch(source):
        msg = "must be 'credential', 'none' or 'header:NAME'"
        raise ValueError(msg)
    return source


def _off_in_yaml(value: object) -> object:
    """YAML 1.1 reads a bare ``off`` as False."""
    return "off" if value is False else value


def _with_built_in_tasks(
    tasks: Mapping[str, "TaskSettings"],
) -> Mapping[str, "TaskSettings"]:
    return {name: TaskSettings() for name in BUILT_IN_TASKS} | dict(tasks)


class UpstreamSettings(Section):
    """The model server behind the proxy."""

    # Empty only for commands that need no upstream; ``load`` sees to it.
    url: Annotated[str, AfterValidator(_http_url)] = Field(
        default="",
        repr=False,
        description="Address of an OpenAI-compatible server, with or without a"
        " trailing /v1. Required to serve.",
    )
    kind: Literal["auto", "vllm", "llamacpp", "openai"] = Field(
        default="auto",
        description="What the upstream is: auto, vllm, llamacpp or openai. Decides"
        " how a partly written answer is continued; auto asks the server.",
    )
    timeout_s: float = Field(
        default=600,
        gt=0,
        le=86_400,
        description="Seconds to wait for the next bytes of an answer.",
    )
    connect_timeout_s: float = Field(
        default=5, gt=0, le=600, description="Seconds to wait for a connection."
    )

    @property
    def root(self) -> str:
        """The address without a trailing slash and without a trailing ``/v1``."""
        return self.url.rstrip("/").removesuffix("/v1").rstrip("/")


class EmbedderSettings(Section):
    """What turns a message into a vector."""

    kind: Literal["sentence-transformers"] = Field(
        default="sentence-transformers", description="The library that embeds."
    )
    model: str = Field(
        default="all-MiniLM-L6-v2",
        min_length=1,
        description="A hub name or a local folder. If it cannot be loaded the proxy"
        " serves without semantic retrieval and /readyz says so.",
    )
    export: bool = Field(
        default=True,
        description="Run the model as an 8-bit network, four times as fast. It is"
        " written once, in about ten seconds, and kept in export_dir.",
    )
    export_dir: Path | None = Field(
        default=None,
        description="Where exported models are kept; by default stepcache-proxy in the"
        " user's cache folder (XDG_CACHE_HOME, or ~/.cache).",
    )

    @property
    def exports(self) -> Path | None:
        """The folder of exports; None where the model runs by its own library."""
        if not self.export:
            return None
        if self.export_dir is not None:
            return self.export_dir
        try:
            caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        except RuntimeError:  # a user without a home has no caches, either
            return None
        return Path(caches) / "stepcache-proxy"


class ReuseSettings(Section):
    """How much may be served from the cache."""

    mode: Annotated[
        Literal["off", "exact", "verified"], BeforeValidator(_off_in_yaml)
    ] = Field(
        default="verified",
        description="off, exact (identical requests only) or verified (also steps"
        " that are proved right for the new request).",
    )
    sampled: Literal["allow", "deny"] = Field(
        default="allow",
        description="allow: answers to requests with a temperature are replayed,"
        " too. deny: requests whose temperature is not 0 are bypassed; an absent"
        " temperature counts as not 0.",
    )
    min_similarity: float = Field(
        default=0.50,
        ge=0,
        le=1,
        description="Lowest cosine of a semantic candidate; a request may only"
        " raise it.",
    )
    budget_ms: float = Field(
        default=50,
        gt=0,
        le=60_000,
        description="Milliseconds for lookup and verification; past it the request"
        " goes upstream as a miss.",
    )
    max_error: float = Field(
        default=0.01,
        ge=0,
        le=1,
        description="Share of wrong answers that is tolerated of a record whose"
        " answers cannot be proved: it is served only while the upper 95 % confidence"
        " bound of its error, learned from shadow checks, is at most this.",
    )
    max_repairs: int = Field(
        default=2,
        ge=0,
        le=10,
        description="How often a failing region is asked for again.",
    )
    derive: bool = Field(
        default=True,
        description="Whether steps are re-derived exactly for other constants; off"
        " only to measure what it brings.",
    )
    patch: bool = Field(
        default=True,
        description="Whether a failing region is regenerated alone; off only to"
        " measure what it brings.",
    )


class TaskSettings(Section):
    """One family of requests."""

    enabled: bool = Field(default=True, description="Whether the task is used.")
    correct: bool = Field(
        default=True,
        description="Whether a failing fresh answer is mended too, with the"
        " deterministic fallback at the end.",
    )


class TenantSettings(Section):
    """Who may share with whom."""

    source: Annotated[str, AfterValidator(_tenant_source)] = Field(
        default="credential",
        alias="from",
        description="credential (hash of Authorization, api-key or x-api-key),"
        " header:NAME, or none (one cache shared by everybody).",
    )
    recheck_s: float = Field(
        default=300,
        ge=0,
        le=86_400,
        description="Seconds after which a credential is checked upstream before a"
        " cached answer is served to it.",
    )


class ServerSettings(Section):
    """The proxy's own socket."""

    host: str = Field(
        default="127.0.0.1", min_length=1, description="Address to listen on."
    )
    port: int = Field(default=8080, ge=1, le=65_535, description="Port to listen on.")
    workers: int = Field(
        default=1, ge=1, le=64, description="Number of server processes."
    )
    max_body_bytes: int = Field(
        default=33_554_432,
        ge=1,
        le=1_073_741_824,
        description="A larger request body (bytes) is refused with 413.",
    )


class CoalesceSettings(Section):
    """Identical requests that are in flight at the same time."""

    wait_s: float = Field(
        default=30,
        gt=0,
        le=3_600,
        description="Seconds a request waits for an identical one in flight before"
        " it goes upstream itself.",
    )


class ShadowSettings(Section):
    """Checks of served answers in the background."""

    rate: float = Field(
        default=0,
        ge=0,
        le=1,
        description="Share of served answers asked again upstream; 0 is off.",
    )


class AdminSettings(Section):
    """Access to the paths under /stepcache/."""

    token: SecretStr | None = Field(
        default=None,
        min_length=1,
        description="Bearer token for everything under /stepcache/; without one"
        " these paths answer only on the loopback interface.",
    )
    price_per_million: float = Field(
        default=0.0,
        ge=0,
        description="What a million tokens cost upstream, in any currency; the page"
        " then says what was saved.",
    )


class LogSettings(Section):
    """What is written to standard error."""

    format: Literal["human", "json"] = Field(
        default="human", description="human (one line for people) or json."
    )
    level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="The least that is written."
    )


class TracingSettings(Section):
    """OpenTelemetry spans; they need the extra stepcache-proxy[tracing]."""

    endpoint: Annotated[str, AfterValidator(_http_url)] | None = Field(
        default=None,
        description="Where a collector takes traces by OTLP over HTTP, like"
        " http://127.0.0.1:4318/v1/traces. Without, no spans are made.",
    )
    sample: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description="Share of requests that are traced, where the client's own trace"
        " context does not decide.",
    )


class Settings(BaseSettings):
    """Every setting; ``load`` is the only reader of file and environment."""

    model_config = SettingsConfigDict(
        extra="forbid",
        frozen=True,
        env_prefix=PREFIX,
        env_nested_delimiter=DELIMITER,
        env_ignore_empty=True,
        hide_input_in_errors=True,
    )

    upstream: UpstreamSettings = UpstreamSettings()
    store: StoreSettings = StoreSettings()
    index: IndexSettings = IndexSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    reuse: ReuseSettings = ReuseSettings()
    tasks: Annotated[
        Mapping[str, TaskSettings],
        Field(validate_default=True),
        AfterValidator(_with_built_in_tasks),
    ] = {}
    tenant: TenantSettings = TenantSettings()
    server: ServerSettings = ServerSettings()
    coalesce: CoalesceSettings = CoalesceSettings()
    shadow: ShadowSettings = ShadowSettings()
    admin: AdminSettings = AdminSettings()
    log: LogSettings = LogSettings()
    tracing: TracingSettings = TracingSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What is passed in and nothing else, so that a test cannot pick up more."""
        return (init_settings,)
