"""What handles of bodies and joints have in common."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._world import World


class Handle:
    """Something of a world, by index and generation; equal when both and the world are the same."""

    __slots__ = ("world", "index", "generation")

    def __init__(self, world: World, handle: tuple[int, int]) -> None:
        self.world = world
        self.index, self.generation = handle

    @property
    def _id(self) -> tuple[int, int]:
        return (self.index, self.generation)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Handle) and self.world is other.world and self._id == other._id

    def __hash__(self) -> int:
        return hash(self._id)
