"""Settings of the store and of the index beside it."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from stepcache_proxy.config.section import Section

STORE_SCHEMES = ("redis", "rediss", "redis+sentinel", "redis+cluster")


def _store_url(url: str) -> str:
    scheme, _, rest = url.partition("://")
    if url != "embedded" and (scheme not in STORE_SCHEMES or not rest.strip("/")):
        starts = ", ".join(f"{scheme}://" for scheme in STORE_SCHEMES)
        msg = f"must be 'embedded' or start with one of {starts}"
        raise ValueError(msg)
    return url


class StoreSettings(Section):
    """Where records are kept."""

    url: Annotated[str, AfterValidator(_store_url)] = Field(
        default="embedded",
        repr=False,
        description="embedded (a private Valkey in store.data_dir), or redis://,"
        " rediss:// (TLS), redis+sentinel://h:p,h:p/NAME, redis+cluster://h:p,h:p,"
        " with user and password where needed.",
    )
    data_dir: Path = Field(
        default=Path("data"),
        description="Folder of the embedded store, created where it is missing.",
    )
    tls_ca_file: Path | None = Field(
        default=None,
        description="PEM file with the authority that signed the store's"
        " certificate; unset is the system's own list.",
    )
    namespace: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{1,64}$")] = (
        Field(
            default="stepcache",
            description="Prefix of every key this deployment writes: 1 to 64 letters,"
            " digits, '.', '_' or '-'.",
        )
    )
    ttl_s: int = Field(
        default=86_400,
        ge=1,
        le=315_360_000,
        description="Seconds a record lives, at most store.max_ttl_s.",
    )
    max_ttl_s: int = Field(
        default=2_592_000,
        ge=1,
        le=315_360_000,
        description="The longest life in seconds that a request may ask for.",
    )
    max_record_bytes: int = Field(
        default=1_048_576,
        ge=1,
        le=536_870_912,
        description="Larger answers (bytes) are served, not stored.",
    )
    recent_records: int = Field(
        default=1000,
        ge=0,
        le=1_000_000,
        description="How many records read lately, and as many templates, each worker"
        " keeps, as long as the store reports no change to them (one server of Redis 6,"
        " Valkey 7 or newer; not Sentinel or Cluster). 0 turns it off.",
    )

    @property
    def default_ttl_s(self) -> int:
        """Seconds a record lives when its request says nothing."""
        return min(self.ttl_s, self.max_ttl_s)


class IndexSettings(Section):
    """The nearest-neighbour index, a derivative of the store."""

    kind: Literal["faiss", "redis"] = Field(
        default="faiss",
        description="faiss (in process, kept in step through the store) or redis"
        " (the store's own vector search, for many replicas).",
    )
    quantization: Literal["none", "q8"] = Field(
        default="q8",
        description="How exactly a redis index keeps vectors: none (32-bit floats) or"
        " q8 (a byte a number, half the memory).",
    )
    search_width: int = Field(
        default=100,
        ge=1,
        le=10_000,
        description="How many candidates a search in a redis index keeps (EF); more"
        " finds more and takes longer.",
    )
    max_records: int = Field(
        default=100_000,
        ge=1,
        le=1_000_000_000,
        description="Bound on the number of records; the oldest unused go first.",
    )
    janitor_s: float = Field(
        default=5,
        gt=0,
        le=30,
        description="Seconds between two looks for expired records.",
    )
