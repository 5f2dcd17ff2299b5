"""Names of the store's keys: hashed, short, one slot per partition.

Every key begins with the deployment's namespace. The part in braces is the hash tag
of Redis Cluster, so that all keys of a partition can be used in one script.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Literal

from stepcache_proxy.errors import ConfigError
from stepcache_proxy.reuse.model import (
    CanonicalRequest,
    PartitionKey,
    QuestionKey,
    Record,
    RecordId,
    TemplateKey,
)

Quantization = Literal["none", "q8", "bin"]

MAX_NAMESPACE_LENGTH = 56  # with the longest suffix a key stays within 128 bytes
_ID = re.compile(r"([0-9a-f]{32})\.([0-9a-f]{32})")
_HASH = re.compile(r"[0-9a-f]{8,32}")
_NAMESPACE = re.compile(r"[A-Za-z0-9._-]+")


def partition_of(id: RecordId) -> PartitionKey | None:
    """The partition a record id names; None if the id is not one of ours."""
    found = _ID.fullmatch(id)
    return PartitionKey(found[1]) if found else None


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of one deployment."""

    namespace: str

    def __post_init__(self) -> None:
        fits = len(self.namespace) <= MAX_NAMESPACE_LENGTH
        if not fits or not _NAMESPACE.fullmatch(self.namespace):
            message = (
                "store.namespace: use 1 to 56 of letters, digits, '.', '_' and '-'"
            )
            raise ConfigError(message)

    def record(self, id: RecordId) -> str | None:
        """The hash of one record; None if the id is not one of ours."""
        found = _ID.fullmatch(id)
        return f"{self.records(PartitionKey(found[1]))}{found[2]}" if found else None

    def records(self, partition: PartitionKey) -> str:
        """What the keys of a partition's records begin with."""
        return f"{self.namespace}:{{{_hashed(partition)}}}:r:"

    def template(self, partition: PartitionKey, template: TemplateKey) -> str:
        """The newest ids of one template."""
        return f"{self.namespace}:{{{_hashed(partition)}}}:t:{_hashed(template)}"

    def templates(self, of: CanonicalRequest | Record) -> list[str]:
        """The lists that a record is found in, or is in, the narrow one first."""
        names = [of.template] if of.kin is None else [of.template, of.kin]
        return [self.template(of.partition, name) for name in names]

    def vectors(self, partition: PartitionKey, kind: str) -> str:
        """The vector set of a partition; see ``vector_kind``."""
        return f"{self.namespace}:{{{_hashed(partition)}}}:v:{kind}"

    def filled(self, kind: str) -> str:
        """Who fills the vector sets of a kind from the records, or that it is done."""
        return f"{self.namespace}:{{book}}:filled:{kind}"

    def question(self, question: QuestionKey) -> str:
        """The parameters with which a question was asked last."""
        return f"{self.namespace}:q:{_hashed(question)}"

    @property
    def expiry(self) -> str:
        """Sorted set: id -> when it ends, in milliseconds."""
        return f"{self.namespace}:{{book}}:expiry"

    @property
    def used(self) -> str:
        """Sorted set: id -> when it was last used, in milliseconds."""
        return f"{self.namespace}:{{book}}:used"

    @property
    def feed(self) -> str:
        """Stream of ids put and removed, for the indexes of other processes."""
        return f"{self.namespace}:{{book}}:feed"

    @property
    def probe(self) -> str:
        """A key that is written to see whether one can be."""
        return f"{self.namespace}:{{book}}:probe"

    @property
    def heard(self) -> str:
        """A key that is written to see whether news of it come."""
        return f"{self.namespace}:{{book}}:heard"

    @property
    def told(self) -> tuple[str, ...]:
        """What the keys begin with that an answer is found by, and some others."""
        return f"{self.namespace}:{{", f"{self.namespace}:q:"

    def epoch(self, upstream: str) -> str:
        """Hash: counters and last signs of the models behind an upstream."""
        return f"{self.namespace}:{{book}}:epoch:{_hashed(upstream)}"

    def turn(self, id: RecordId) -> str:
        """Who asks the upstream for this record now."""
        return f"{self.namespace}:{{{_hashed(id)}}}:turn"

    @property
    def all_records(self) -> str:
        """Pattern of every record's key."""
        return f"{self.namespace}:{{*}}:r:*"

    def all_vectors(self, kind: str) -> str:
        """Pattern of every vector set of a kind."""
        return f"{self.namespace}:{{*}}:v:{kind}"

    @property
    def everything(self) -> str:
        """Pattern of every key of this deployment."""
        return f"{self.namespace}:*"

    def vectors_partition(self, key: bytes) -> PartitionKey:
        """The partition whose vectors are kept under ``key``."""
        parts = key.decode(errors="replace").removeprefix(f"{self.namespace}:")
        return PartitionKey(parts.partition(":v:")[0].strip("{}"))

    def id_of(self, key: bytes) -> RecordId | None:
        """The id of the record stored under ``key``."""
        parts = key.decode(errors="replace").removeprefix(f"{self.namespace}:")
        partition, _, digest = parts.partition(":r:")
        id = RecordId(f"{partition.strip('{}')}.{digest}")
        return id if _ID.fullmatch(id) else None


def vector_kind(fingerprint: str, quantization: Quantization) -> str:
    """Which vectors may be compared: those of one embedder, kept in one precision.

    Made as the script of ``store_scripts.DELETE`` makes it, whose only hash is SHA-1.
    """
    name = hashlib.sha1(fingerprint.encode()[:255], usedforsecurity=False)
    return name.hexdigest()[:8] + quantization[0]


def _hashed(key: str) -> str:
    """``key`` if it is a hash already; nothing else ever gets into a key."""
    if _HASH.fullmatch(key):
        return key
    return hashlib.blake2b(key.encode(errors="replace"), digest_size=16).hexdigest()
