"""Layouts, owner maps and patterns: who owns which element of a matrix."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Sequence

import numpy as np

from ._core import Object, call, ffi, numbers, shaped

if TYPE_CHECKING:
    from ._comm import Comm

Pair = Sequence[int]  # rows and columns


class OwnerMap(Object):
    """The part that owns each element of a matrix."""

    def __init__(self, row_cut: Any, col_cut: Any, owner: Any, parts: int | None = None) -> None:
        """Cell (i, j), between two cuts of rows and two of columns, belongs to part owner[i, j]."""
        owner = shaped(owner, len(row_cut) - 1, len(col_cut) - 1)
        self.handle = call("owner_map_create", *owner.shape, row_cut, col_cut, parts or int(owner.max()) + 1, owner)

    @classmethod
    def one_d_one_d(cls, shape: Pair, tile: int, speeds: Any, trailing: str = "full", groups: int = 0) -> OwnerMap:
        """The 1D-1D map for a factorisation on processes of these speeds. Cholesky: trailing="lower"."""
        return cls._of(call("owner_map_1d1d", *shape, tile, len(speeds), speeds, trailing, groups))

    def rectangles(self) -> np.ndarray:
        """Disjoint rectangles that cover the matrix: fields part, row, col, rows, cols."""
        count = call("owner_map_rectangles", self, 0, None)
        table = ffi.new("scalay_part_rectangle[]", count)
        call("owner_map_rectangles", self, count, table)
        return numbers(table, count)

    def __str__(self) -> str:
        rows, cols, parts = [call(f"owner_map_{count}", self) for count in ("rows", "cols", "parts")]
        return f"{rows} x {cols} in {parts} parts"


class Pattern(Object):
    """A table of owners that is repeated over a matrix."""

    def __init__(self, owner: Any, parts: int | None = None) -> None:
        owner = np.asarray(owner)
        rows, cols = owner.shape
        table = {"parts": parts or int(owner.max()) + 1, "rows": rows, "cols": cols, "owner": owner}
        self.handle = call("pattern_create", table)

    @classmethod
    def find(cls, kernel: str, parts: int, speeds: Any = None, budget: float = 0) -> Pattern:
        """A pattern that sends little in "gemm", "lu", "qr" or "cholesky"."""
        return cls._of(call("pattern_find", kernel, parts, None if speeds is None else shaped(speeds, parts), budget))

    @property
    def owner(self) -> np.ndarray:
        """The table of owners; -1 marks a diagonal tile whose owners take turns."""
        table = call("pattern_get_table", self)
        return numbers(table.owner, table.rows * table.cols).reshape(table.rows, table.cols)

    def __str__(self) -> str:
        return f"{self.owner.shape[0]} x {self.owner.shape[1]} tiles"


class Layout(Object):
    """The process of each element of a matrix, and its place in the local array of that process."""

    def __init__(self, handle: Any) -> None:
        """Of a text, such as "cyclic:m=100,n=80,mb=8,nb=8,p=2,q=2", or of a handle."""
        self.handle = call("layout_parse", handle) if isinstance(handle, str) else handle
        self.shape: tuple[int, int] = call("layout_rows", self), call("layout_cols", self)
        self.parts, self.processes = call("layout_parts", self), call("layout_processes", self)

    @classmethod
    def cyclic(cls, shape: Pair, blocks: Pair, grid: Pair, source: Pair = (0, 0), order: str = "row-major") -> Layout:
        """Block-cyclic, as ScaLAPACK's; the first block is on process `source` of the grid."""
        return cls(call("layout_block_cyclic", *shape, *blocks, *grid, *source, order))

    @classmethod
    def from_desc(cls, comm: Comm, desc: Any) -> Layout:
        """Of a ScaLAPACK descriptor. Collective; ranks outside its grid pass None."""
        return cls(call("layout_from_desc", comm, desc))

    @classmethod
    def tiles(cls, shape: Pair, blocks: Pair, owner: Any, parts: int | None = None) -> Layout:
        """Tile (i, j) belongs to part owner[i, j]."""
        owner = shaped(owner, *[-(-extent // block) for extent, block in zip(shape, blocks)])
        return cls(call("layout_tiles", *shape, *blocks, parts or int(owner.max()) + 1, owner))

    @classmethod
    def from_map(cls, owners: OwnerMap, ascending: bool = False) -> Layout:
        """Of an owner map; with ascending=True, rows and columns of local arrays are in ascending order."""
        return cls(call("layout_from_owner_map_ascending" if ascending else "layout_from_owner_map", owners))

    @classmethod
    def from_pattern(cls, pattern: Pattern, shape: Pair, blocks: Pair) -> Layout:
        """Of a pattern of tiles."""
        return cls(call("layout_from_pattern", pattern, *shape, *blocks))

    def submatrix(self, row: int, col: int, shape: Pair) -> Layout:
        """The part of the matrix that starts at (row, col), 0-based, in the same local arrays."""
        return Layout(call("layout_submatrix", self, row, col, *shape))

    def relabel(self, process: Any, processes: int) -> Layout:
        """The layout with part j on process[j]."""
        return Layout(call("layout_relabel", self, processes, shaped(process, self.parts)))

    def owner(self, i: int, j: int) -> int:
        """The process of element (i, j), 0-based; -1 outside the matrix."""
        return call("layout_owner", self, i, j)

    def elements(self, process: int) -> int:
        """The number of elements of a process."""
        return call("layout_elements", self, process)

    def local_size(self, process: int) -> int:
        """The number of elements that the local array of a process needs."""
        return call("layout_local_size", self, process)

    def same_owners(self, other: Layout) -> bool:
        """True if each element has the same process in both layouts."""
        return bool(call("layout_same_owners", self, other))

    def subarrays(self, process: int) -> Iterator[tuple[Any, np.ndarray, np.ndarray]]:
        """The dense parts of a local array: rows, cols, offset and ld; and their row and column indices, 0-based."""
        for k in range(call("layout_subarray_count", self, process)):
            part = call("layout_subarray", self, process, k)
            rows, cols = np.empty(part.rows, np.int64), np.empty(part.cols, np.int64)
            call("layout_subarray_indices", self, process, k, rows, cols)
            yield part, rows, cols
