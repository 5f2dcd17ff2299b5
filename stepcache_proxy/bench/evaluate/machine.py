"""What every evaluation runs on: the tasks, the embedder, and caches at will."""

from collections.abc import Sequence
from dataclasses import dataclass

from stepcache_proxy.bench.evaluate.offline import OfflineProxy
from stepcache_proxy.reuse.protocols import Embedder, Task


@dataclass(frozen=True, slots=True)
class Machine:
    """The real parts, shared by all runs; ``proxy`` makes an empty cache."""

    embedder: Embedder
    tasks: Sequence[Task]
    min_similarity: float

    def proxy(self) -> OfflineProxy:
        """A proxy with an empty cache of its own."""
        return OfflineProxy(self.embedder, self.tasks, self.min_similarity)
