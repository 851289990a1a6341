"""Matrix files: .npy, Matrix Market, HDF5."""
from __future__ import annotations

import os
from typing import Any

from ._core import call, type_code
from ._array import Array, zeros
from ._comm import Comm
from ._layout import Layout


def inspect(path: str | os.PathLike[str], comm: Comm) -> Any:
    """The description of a file, as scalay_file_info, with `shape`. Collective."""
    info = call("matrix_inspect", comm, path)
    info.shape = info.m, info.n
    return info


def read(path: str | os.PathLike[str], comm: Comm, layout: Layout | None = None, dtype: Any = float) -> Array:
    """Reads a file into a layout (default: Comm.cyclic()). FILE.h5:/DATASET names a dataset. Collective."""
    if layout is None:
        layout = comm.cyclic(inspect(path, comm).shape)
    result = zeros(layout, comm, dtype)
    call("matrix_read", comm, path, layout, type_code(dtype), result.local)
    return result


def write(path: str | os.PathLike[str], a: Array, **options: Any) -> None:
    """Writes a file; the name says the format. Options are the fields of scalay_file_options. Collective."""
    call("matrix_write", a.comm, path, options, a.layout, type_code(a.dtype), a.local)
