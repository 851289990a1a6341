"""Distributed matrices: moving, multiplying, factoring, solving."""
from __future__ import annotations

from typing import Any, Callable, Iterator

import numpy as np

from ._core import ArgumentError, BLACSError, Object, call, ffi, lib, shaped, type_code
from ._comm import Collective, Comm
from ._layout import Layout
from ._planning import Profile

_LETTERS = dict(zip((lib.SCALAY_FLOAT, lib.SCALAY_DOUBLE, lib.SCALAY_COMPLEX_FLOAT, lib.SCALAY_COMPLEX_DOUBLE), "sdcz"))


def _one_dimensional(local: Any, layout: Layout, rank: int) -> np.ndarray:
    """The memory of a local array, column-major, without a copy."""
    if not isinstance(local, np.ndarray):
        raise ArgumentError(f"the local array is a {type(local).__name__}; it must be a numpy array")
    if local.ndim == 2:
        if not local.flags.f_contiguous:
            raise ArgumentError("the local array is not Fortran-contiguous; pass numpy.asfortranarray() of it")
        for part, _, cols in layout.subarrays(rank):
            if len(cols) > 1 and part.ld != len(local):
                raise ArgumentError(f"the local array has {len(local)} rows; its leading dimension must be {part.ld}")
        local = local.reshape(-1, order="F")
    if local.ndim != 1 or not local.flags.c_contiguous:
        raise ArgumentError("the local array must be contiguous, of one or two dimensions")
    if local.size < layout.local_size(rank):
        raise ArgumentError(f"the local array has {local.size} elements; it must have {layout.local_size(rank)}")
    return local


class Plan(Collective):
    """A plan to move matrices from one layout to another. Collective, as are its methods."""

    def __init__(self, comm: Comm, source: Layout, target: Layout, dtype: Any = float, *, mapping: Any = None,
                 op: str = "no-transpose", uplo: str = "whole", diag: str = "non-unit", **options: Any) -> None:
        self._dtype = np.dtype(dtype)
        self._pending: list[np.ndarray] = []
        self._ends = (source, mapping.apply(target) if mapping else target)
        matrix = {"source": source, "target": self._ends[1], "type": type_code(dtype), "op": op, "uplo": uplo,
                  "diag": diag}
        super().__init__("plan", call("plan_create_many", comm, 1, matrix, options))
        self._rank = comm.rank

    def begin(self, a: Any, b: Any, direction: str = "forward") -> None:
        """Starts to move a to b, or with "backward" b to a. Neither may be used before end()."""
        arrays = [_one_dimensional(getattr(x, "local", x), end, self._rank) for x, end in zip((a, b), self._ends)]
        if any(x.dtype != self._dtype for x in arrays):
            raise ArgumentError(f"arrays of {arrays[0].dtype} and {arrays[1].dtype}; the plan moves {self._dtype}")
        if not arrays[direction == "forward"].flags.writeable:
            raise ArgumentError("the array that is written is read-only")
        call("plan_begin_with", self, direction, {"a": arrays[0], "b": arrays[1]})
        self._pending = arrays

    def test(self) -> bool:
        """Advances a pending move; True if end() will not wait."""
        return bool(call("plan_test", self))

    def end(self) -> None:
        """Completes a pending move."""
        call("plan_end", self)
        self._pending = []

    def execute(self, a: Any, b: Any, direction: str = "forward") -> None:
        """Moves a to b, or with "backward" b to a. Arrays are numpy's, or Arrays."""
        self.begin(a, b, direction)
        self.end()


class Array(Object):
    """A distributed matrix: `local`, a numpy array, in `layout` on the ranks of `comm`."""

    __array_ufunc__ = None

    def __init__(self, local: Any, layout: Layout, comm: Comm) -> None:
        """Uses the memory of `local`, column-major. Collective."""
        with comm.agree():
            self.local = _one_dimensional(local, layout, comm.rank)
        self.layout, self.comm, self.shape, self.dtype = layout, comm, layout.shape, self.local.dtype

    def __str__(self) -> str:
        return f"{self.dtype}, {self.layout}"

    def subarrays(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Row indices, column indices, and a two-dimensional view of each dense part of the local array."""
        size = self.dtype.itemsize
        for part, rows, cols in self.layout.subarrays(self.comm.rank):
            yield rows, cols, np.ndarray((part.rows, part.cols), self.dtype, self.local, part.offset * size,
                                         (size, part.ld * size))

    def fill(self, function: Callable[[np.ndarray, np.ndarray], Any]) -> Array:
        """Sets the elements to function(i, j), where i is a column of row indices and j a row of column indices."""
        with self.comm.agree():
            for rows, cols, view in self.subarrays():
                view[...] = function(rows[:, None], cols[None, :])
        return self

    def to(self, layout: Layout, mapping: Any = None, **options: Any) -> Array:
        """The matrix in another layout; op="transpose", uplo, diag, transport, ... as in Plan. Collective."""
        layout = mapping.apply(layout) if mapping else layout
        result = zeros(layout, self.comm, self.dtype)
        with Plan(self.comm, self.layout, layout, self.dtype, **options) as plan:
            plan.execute(self, result)
        return result

    def gather(self) -> np.ndarray:
        """The whole matrix on every rank."""
        whole = self.to(Layout.cyclic(self.shape, [max(extent, 1) for extent in self.shape], (1, 1))).local
        whole.resize(self.shape[0] * self.shape[1], refcheck=False)
        self.comm.mpi.Bcast(whole.view(np.uint8), 0)
        return whole.reshape(self.shape, order="F")

    def _letter(self) -> str:
        if type_code(self.dtype) not in _LETTERS:
            raise ArgumentError(f"{self.dtype} is moved only; computing needs float or complex, single or double")
        return _LETTERS[type_code(self.dtype)]

    def __matmul__(self, other: Any) -> Array:
        return matmul(self, other)

    def qr(self, **options: Any) -> Factors:
        """A = Q R. Options: speeds, overwrite, and the fields of scalay_one_call_options. Collective."""
        return Factors(self, "geqrf", **options)

    def lu(self, **options: Any) -> Factors:
        """P A = L U with partial pivoting; as qr()."""
        return Factors(self, "getrf", **options)

    def cholesky(self, uplo: str = "lower", **options: Any) -> Factors:
        """A = L L^H, or A = U^H U with uplo="upper"; as qr()."""
        return Factors(self, "potrf", uplo=uplo, **options)

    def solve(self, b: Any) -> Array:
        """x with A x = b, by LU; the least squares solution by QR if A has more rows than columns."""
        return (self.lu() if self.shape[0] == self.shape[1] else self.qr()).solve(b)


array = Array


def zeros(layout: Layout, comm: Comm, dtype: Any = float) -> Array:
    """A distributed matrix of zeros. Collective."""
    with comm.agree():
        local = np.zeros(layout.local_size(comm.rank), dtype)
    return Array(local, layout, comm)


def _columns(values: Any) -> np.ndarray:
    """A numpy array as a matrix; a vector is one column."""
    values = np.asarray(values)
    return values.reshape(len(values), int(np.prod(values.shape[1:])))


def distribute(matrix: Any, layout: Layout, comm: Comm) -> Array:
    """A distributed matrix of a numpy array that every rank has; a vector is one column. Collective."""
    matrix = shaped(_columns(matrix), *layout.shape)
    return zeros(layout, comm, matrix.dtype).fill(lambda i, j: matrix[i, j])


def _distributed(x: Any, comm: Comm) -> Array:
    """An Array, or a numpy array that every rank has, distributed."""
    return x if isinstance(x, Array) else distribute(x, comm.cyclic(_columns(x).shape), comm)


def matmul(a: Array, b: Any, c: Array | None = None, *, alpha: Any = 1, beta: Any = 0, op_a: str = "no-transpose",
           op_b: str = "no-transpose", **options: Any) -> Array:
    """C := alpha op(A) op(B) + beta C. A new C has the layout of A or B if it fits, else Comm.cyclic()."""
    b = _distributed(b, a.comm)
    if c is None:
        shape = a.shape[op_a != "no-transpose"], b.shape[op_b == "no-transpose"]
        layout = next((x.layout for x in (a, b) if x.shape == shape), a.comm.cyclic(shape))
        c = zeros(layout, a.comm, a.dtype)
    with a.comm.agree():
        letter = a._letter()
        if not a.dtype == b.dtype == c.dtype:
            raise ArgumentError(f"matrices of {a.dtype}, {b.dtype} and {c.dtype}; they must have one type")
    scalars = (alpha, beta) if letter in "sd" else [np.array([x], a.dtype) for x in (alpha, beta)]
    call(f"p{letter}gemm", a.comm, op_a, op_b, scalars[0], a.layout, a.local, b.layout, b.local, scalars[1], c.layout,
         c.local, options)
    return c


class Factors:
    """A factored matrix: `packed`, an Array as of LAPACK in the layout of A; `vector`, tau of QR or the 0-based pivots
    of LU, on every rank; `statistics`, as scalay_one_call_statistics."""

    def __init__(self, a: Array, routine: str, uplo: str = "lower", speeds: Any = None, overwrite: bool = False,
                 **options: Any) -> None:
        self.routine, self.uplo, self.shape, self.comm = routine, uplo, a.shape, a.comm
        with a.comm.agree():
            name = f"p{a._letter()}{routine}"
            self.vector = np.zeros(min(a.shape), np.intc if routine == "getrf" else a.dtype)
        self.packed = a if overwrite else Array(a.local.copy(), a.layout, a.comm)
        if speeds is not None:
            options["profile"] = Profile.of_speeds(speeds)
        if routine != "potrf":
            options["replicated"] = self.vector
        outputs = {"geqrf": (None,), "getrf": (None, None), "potrf": (None,)}[routine]
        inputs = [uplo] * (routine == "potrf") + [a.layout, options, self.packed.local]
        self.statistics = call(name, a.comm, *inputs, *outputs)
        self.vector -= routine == "getrf"
        self._on_grid: Array | None = None

    def triangle(self, uplo: str | None = None) -> Array:
        """R of QR; L (unit, "lower") or U ("upper") of LU; the factor of Cholesky. In the layout of A."""
        m, n = self.shape
        uplo = {"geqrf": "upper", "getrf": uplo, "potrf": self.uplo}[self.routine] or "upper"
        shape = (m, min(m, n)) if uplo == "lower" else (min(m, n), n)
        diag = "unit" if (uplo, self.routine) == ("lower", "getrf") else "non-unit"
        layout = self.packed.layout.submatrix(0, 0, shape)
        result = zeros(layout, self.comm, self.packed.dtype)
        if diag == "unit":
            result.fill(lambda i, j: i == j)
        with Plan(self.comm, layout, layout, result.dtype, uplo=uplo, diag=diag) as plan:
            plan.execute(self.packed, result)
        return result

    def q(self) -> Array:
        """The first min(m, n) columns of Q of QR, in Comm.cyclic()."""
        identity = zeros(self.comm.cyclic((self.shape[0], min(self.shape))), self.comm, self.packed.dtype)
        return self._by_scalapack(identity.fill(lambda i, j: i == j), "N")

    def solve(self, b: Any) -> Array:
        """x with A x = b, or the least squares solution by QR. In the layout of b if A is square."""
        m, n = self.shape
        b = _distributed(b, self.comm)
        if b.shape[0] != m or (self.routine == "geqrf" and m < n) or b.dtype != self.packed.dtype:
            raise ArgumentError(f"A is {m} x {n} {self.packed.dtype}, b has {b.shape[0]} rows of {b.dtype}; A needs as "
                                "many rows, no more columns, and the same type")
        x = self._by_scalapack(b.to(self.comm.cyclic(b.shape)), "T" if self.packed._letter() in "sd" else "C")
        layout = self.comm.cyclic((n, b.shape[1])) if m != n else b.layout
        return Array(x.local, x.layout.submatrix(0, 0, layout.shape), self.comm).to(layout)

    def _by_scalapack(self, b: Array, trans: str) -> Array:
        """Overwrites b, on the grid of Comm.cyclic(), with the solution; with trans "N" and QR, with Q b."""
        if self._on_grid is None:
            self._on_grid = self.packed.to(self.comm.cyclic(self.shape))
        a, n, count = self._on_grid, self.shape[1], b.shape[1]
        with self.comm.descriptors(a.layout, b.layout) as (desc_a, desc_b):
            ends = (b.local, 1, 1, desc_b)
            if self.routine == "getrf":
                self._call("getrs", b"N", n, count, a.local, 1, 1, desc_a, self._local_vector(0) + 1, *ends)
            elif self.routine == "potrf":
                self._call("potrs", self.uplo.upper().encode(), n, count, a.local, 1, 1, desc_a, *ends)
            else:
                name = "ormqr" if self.packed._letter() in "sd" else "unmqr"
                arguments = (name, b"L", trans.encode(), *b.shape, min(self.shape), a.local, 1, 1, desc_a,
                             self._local_vector(1), *ends)
                size = np.zeros(1, a.dtype)
                self._call(*arguments, size, -1)
                self._call(*arguments, np.zeros(int(size[0].real), a.dtype), int(size[0].real))
                if trans != "N":
                    self._call("trtrs", b"U", b"N", b"N", n, count, a.local, 1, 1, desc_a, *ends)
        return b

    def _call(self, name: str, *inputs: Any) -> None:
        """Calls p?NAME of ScaLAPACK: numbers are passed by address, and the last argument is INFO."""
        cells = [ffi.new("int *", x) if isinstance(x, (int, np.integer)) else
                 ffi.new("char[]", x) if isinstance(x, bytes) else ffi.from_buffer(x) for x in inputs]
        info = ffi.new("int *")
        getattr(lib, f"p{self.packed._letter()}{name}_")(*cells, info)
        if info[0]:
            raise BLACSError(f"p{self.packed._letter()}{name} returned INFO = {info[0]}")

    def _local_vector(self, axis: int) -> np.ndarray:
        """The entries of `vector` for the local rows (0) or columns (1) on the grid, as ScaLAPACK has them."""
        grid, block = self.comm.grid, 64
        mine = divmod(self.comm.rank, grid[1])[axis]
        local = self.vector[np.arange(len(self.vector)) // block % grid[axis] == mine]
        return np.concatenate([local, np.zeros(self.shape[axis] + block, local.dtype)])
