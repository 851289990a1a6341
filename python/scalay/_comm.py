"""Communicators, and the objects that all ranks of a communicator release together."""
from __future__ import annotations

import atexit
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Iterator, Sequence

import numpy as np
from mpi4py import MPI

from ._core import ArgumentError, Object, call, ffi, lib
from ._layout import Layout

_ours, _theirs = ffi.string(lib.scalay_python_mpi()).decode(), MPI.get_vendor()[0]
if _ours != _theirs and _theirs in ("Open MPI", "MPICH"):
    raise ImportError(f"scalay was built for {_ours} and mpi4py for {_theirs}; install mpi4py for {_ours}")

_open: list[Collective] = []


class Collective(Object, AbstractContextManager[Any]):
    """An object whose release is collective. The garbage collector does not release it, because its order differs
    between ranks: close() does, or the end of a `with` block, or the end of the program (last created, first)."""

    def __init__(self, kind: str, handle: Any) -> None:
        self._kind, self._handle = kind, handle
        _open.append(self)

    @property
    def handle(self) -> Any:
        if self._handle is None:
            raise ArgumentError(f"this {type(self).__name__} was closed")
        return self._handle

    def close(self) -> None:
        """Releases the object. Collective. A second call does nothing."""
        if self._handle is not None:
            handle, self._handle = self._handle, None
            _open.remove(self)
            call(f"{self._kind}_destroy", handle)

    def __exit__(self, *exception: Any) -> None:
        self.close()


def close_all(*_: Any) -> None:
    """Closes all that is open, before MPI is finalised: at exit, or in MPI.Finalize() by an attribute of COMM_SELF."""
    while _open and not MPI.Is_finalized():
        _open[-1].close()


atexit.register(close_all)  # runs before mpi4py finalises MPI
MPI.COMM_SELF.Set_attr(MPI.Comm.Create_keyval(delete_fn=close_all), 0)


class Comm(Collective):
    """A communicator of the library: a duplicate of an mpi4py communicator. Collective."""

    def __init__(self, mpi: MPI.Comm) -> None:
        super().__init__("comm", call("comm_create_f", mpi.py2f()))
        self.mpi = MPI.Comm.f2py(call("comm_handle_f", self))
        self.rank: int = call("comm_rank", self)
        self.size: int = call("comm_size", self)

    def __str__(self) -> str:
        return f"rank {self.rank} of {self.size}"

    @contextmanager
    def agree(self) -> Iterator[None]:
        """If the block fails on one rank, it fails on all: with the exception of this rank, or of the lowest one."""
        assert self.handle
        mine: Exception | None = None
        try:
            yield
        except Exception as exception:
            mine = exception
        first = self.mpi.allreduce(self.rank if mine else self.size, op=MPI.MIN)
        if first < self.size:
            message = self.mpi.bcast(f"rank {first}: {mine}", first)
            raise mine or ArgumentError(message)

    def cyclic(self, shape: Sequence[int], block: int = 64) -> Layout:
        """A block-cyclic layout on all processes, on the grid that is nearest to a square."""
        return Layout.cyclic(shape, (block, block), self.grid)

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of the process grid of all processes that is nearest to a square."""
        rows = max(p for p in range(1, int(self.size**0.5) + 1) if self.size % p == 0)
        return rows, self.size // rows

    @contextmanager
    def descriptors(self, *layouts: Layout) -> Iterator[list[np.ndarray]]:
        """Descriptors of block-cyclic layouts on one grid, in a BLACS context that lives as long as the block."""
        contexts = [ffi.new("int *", -1) for _ in layouts]
        descriptors = [np.zeros(9, np.intc) for _ in layouts]
        try:
            for layout, context, descriptor in zip(layouts, contexts, descriptors):
                call("grid_create", self, layout, None, context, descriptor)
                descriptor[1] = contexts[0][0]
            yield descriptors
        finally:
            for context in contexts:
                call("grid_release", self, context)
