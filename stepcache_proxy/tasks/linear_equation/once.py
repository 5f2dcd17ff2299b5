"""A property that is worked out when it is first asked for."""

from collections.abc import Callable
from typing import Generic, TypeVar, overload

_Owner = TypeVar("_Owner")
_Value = TypeVar("_Value")


class once(Generic[_Owner, _Value]):  # noqa: N801  used as property is
    """``functools.cached_property`` without its lock, which takes longer than the work.

    Two threads may both work the value out; it must be the same whoever does.
    """

    def __init__(self, work: Callable[[_Owner], _Value]) -> None:
        self._work = work
        self._name = work.__name__
        self.__doc__ = work.__doc__

    @overload
    def __get__(self, owner: None, kind: type[_Owner]) -> "once[_Owner, _Value]": ...

    @overload
    def __get__(self, owner: _Owner, kind: type[_Owner]) -> _Value: ...

    def __get__(
        self, owner: _Owner | None, kind: type[_Owner]
    ) -> "_Value | once[_Owner, _Value]":
        if owner is None:
            return self
        value = self._work(owner)
        # Found there from now on: a dictionary comes before what is no data descriptor.
        vars(owner)[self._name] = value
        return value
