"""How evenly partitions of uneven sizes lie on the nodes of a cluster: a simulation.

``python -m loadtest.spread [--partitions 200000] [--nodes 3,6,16,32]``

Partition number n has a share of the records in proportion to ``1 / n ** exponent``.
Each lies whole in the slot of its hash tag, as the store's keys do; the slots are dealt
out to the nodes in equal runs, as ``redis-cli --cluster create`` deals them.
"""

import argparse
import hashlib

import numpy as np
from redis.crc import key_slot

from stepcache_proxy.adapters.store_keys import Keys
from stepcache_proxy.reuse.model import PartitionKey

_SLOTS = 16_384


def main() -> None:
    """Print, for each exponent and number of nodes, the load of the fullest node."""
    parser = argparse.ArgumentParser(prog="python -m loadtest.spread")
    parser.add_argument("--partitions", type=int, default=200_000)
    parser.add_argument("--exponents", default="0,0.8,1.0,1.2")
    parser.add_argument("--nodes", default="3,6,16,32")
    asked = parser.parse_args()
    slots = _slots(asked.partitions)
    for exponent in map(float, asked.exponents.split(",")):
        shares = 1 / np.arange(1, asked.partitions + 1) ** exponent
        shares /= shares.sum()
        print(f"exponent {exponent}: the largest partition has {shares[0]:.2%}", end="")
        for nodes in map(int, asked.nodes.split(",")):
            load = np.bincount(slots * nodes // _SLOTS, shares, nodes)
            print(f", {nodes} nodes {load.max() * nodes:.2f}", end="")
        print(" times its share on the fullest node")


def _slots(count: int) -> np.ndarray:
    keys = Keys("stepcache")
    names = (
        hashlib.blake2b(str(n).encode(), digest_size=16).hexdigest()
        for n in range(count)
    )
    slots = (key_slot(keys.records(PartitionKey(name)).encode()) for name in names)
    return np.fromiter(slots, dtype=np.int64, count=count)


if __name__ == "__main__":
    main()
