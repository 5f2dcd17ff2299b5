"""Which keys the store has not: a Bloom filter of all that it ever told of.

B. H. Bloom, Space/time trade-offs in hash coding with allowable errors (1970): what is
not in it was never noted; what is in it may be there or not, and is asked for.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

_BITS = 1 << 25  # 4 MiB: with 300,000 keys one absent key in 3,000 is asked for
_MASK = _BITS - 1
_SECOND = 32  # the bits of a hash from which the second place is made


def _filter() -> bytearray:
    return bytearray(_BITS // 8)


@dataclass(slots=True)
class Directory:
    """Key names as the store spells them; they are noted, never taken out.

    Only while ``is_complete`` does it say of a key that there is none.
    """

    is_complete: bool = False
    _bits: bytearray = field(default_factory=_filter, repr=False)

    def may_hold(self, key: bytes) -> bool:
        """Whether the store may have this key."""
        if not self.is_complete:
            return True
        bits, one = self._bits, hash(key)
        two = one >> _SECOND
        return bool(
            bits[(one & _MASK) >> 3] >> (one & 7) & 1
            and bits[(two & _MASK) >> 3] >> (two & 7) & 1
        )

    def note(self, keys: Iterable[bytes]) -> None:
        """The store has, or has had, these keys."""
        bits = self._bits
        for key in keys:
            one = hash(key)
            two = one >> _SECOND
            bits[(one & _MASK) >> 3] |= 1 << (one & 7)
            bits[(two & _MASK) >> 3] |= 1 << (two & 7)
