"""Calls of the C library: values of Python as arguments, statuses as exceptions, outputs as results."""
from __future__ import annotations

import os
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from ._scalay import ffi, lib


class Error(Exception):
    """A call of the library failed. The text is the message of the library."""

    status = 0


def _error(status: int, name: str, *also: type[Exception]) -> type[Error]:
    return type(name, (Error, *also), {"status": status, "__module__": "scalay",
                                       "__doc__": ffi.string(lib.scalay_status_text(status)).decode()})


ArgumentError = _error(1, "ArgumentError", ValueError)
RangeError = _error(2, "RangeError", OverflowError)
OutOfMemoryError = _error(3, "OutOfMemoryError", MemoryError)
MismatchError = _error(4, "MismatchError", ValueError)
InfeasibleError = _error(5, "InfeasibleError", ArithmeticError)
UnsupportedError = _error(6, "UnsupportedError", NotImplementedError)
MPIError = _error(7, "MPIError", RuntimeError)
BLACSError = _error(8, "BLACSError", RuntimeError)
FileError = _error(9, "FileError", OSError)
FormatError = _error(10, "FormatError", ValueError)
InternalError = _error(11, "InternalError", RuntimeError)
ERRORS: dict[int, type[Error]] = {error.status: error for error in Error.__subclasses__()}

_NUMBERS = {"int": np.intc, "int64_t": np.int64, "uint64_t": np.uint64, "double": np.float64,
            "float": np.float32, "unsigned char": np.uint8, "size_t": np.uintp}
_TYPES = {np.dtype(np.float32): lib.SCALAY_FLOAT, np.dtype(np.float64): lib.SCALAY_DOUBLE,
          np.dtype(np.complex64): lib.SCALAY_COMPLEX_FLOAT, np.dtype(np.intc): lib.SCALAY_INT,
          np.dtype(np.complex128): lib.SCALAY_COMPLEX_DOUBLE}
# Objects of these kinds are released by all ranks together (_comm.Collective), the others by the garbage collector.
_COLLECTIVE = {"comm", "plan", "qr", "factor", "summa", "gemm", "stencil"}


class Object:
    """A Python object that holds an object of the library, and what must live as long as that."""

    handle: Any

    @classmethod
    def _of(cls, handle: Any, keep: Any = None) -> Any:
        made = cls.__new__(cls)
        made.handle, made.__dict__["_keep"] = handle, keep
        return made

    def __str__(self) -> str:
        return text(type(self).__name__.lower() + "_describe", self)

    def __repr__(self) -> str:
        return f"<scalay.{type(self).__name__}: {self}>"


def shaped(values: Any, *shape: int) -> np.ndarray:
    """An array for C, which cannot check its shape."""
    array = np.asarray(values)
    if array.shape != shape:
        raise ArgumentError(f"an array has shape {array.shape}; it must have {shape}")
    return array


def type_code(dtype: Any) -> int:
    """The scalay_type of a numpy type; other types than the library computes with are moved as raw elements."""
    dtype = np.dtype(dtype)
    return _TYPES.get(dtype, lib.SCALAY_RAW_BASE + dtype.itemsize)


@lru_cache(None)
def words(ctype: Any) -> dict[str, int]:
    """The words for the values of an enumeration: SCALAY_PLACEMENT_STAY is "stay", SCALAY_ROW_MAJOR is "row-major"."""
    if ctype.cname == "scalay_objective":
        return {ffi.string(lib.scalay_objective_name(k)).decode(): k for k in ctype.elements}
    prefix = os.path.commonprefix(list(ctype.relements)).rpartition("_")[0]
    return {name[len(prefix) + 1:].lower().replace("_", "-"): k for name, k in ctype.relements.items()}


def argument(ctype: Any, value: Any, keep: list[Any]) -> Any:
    """The value of a parameter or field in C. Memory to which it points is appended to `keep`."""
    if ctype.kind == "enum" and isinstance(value, str):
        if value not in words(ctype):
            raise ArgumentError(f"{value!r} is not one of {', '.join(map(repr, sorted(words(ctype))))}")
        return words(ctype)[value]
    value = getattr(value, "handle", value)
    if ctype.kind == "function" and callable(value):
        value = ffi.callback(ctype, value, onerror=lambda _, error, __: keep.append(error))
        keep.append(value)
    if ctype.kind == "function":
        return ffi.NULL if value is None else value
    if ctype.kind != "pointer":
        return list(value) if ctype.kind == "array" else value
    if value is None:
        return ffi.NULL
    if isinstance(value, ffi.CData):
        return value[0] if ffi.typeof(value).item is ctype else value
    if isinstance(value, (str, os.PathLike)):
        value = ffi.new("char[]", os.fsencode(value))
    elif ctype.item.kind == "struct":
        value = struct(ctype.item, value if isinstance(value, dict) else vars(value), keep)
    elif ctype.item.kind == "pointer":
        value = ffi.new(ffi.getctype(ctype.item, "[]"), [argument(ctype.item, v, keep) for v in value])
    else:
        given = np.asarray(value)
        with np.errstate(invalid="ignore"):
            array = np.ascontiguousarray(given, _NUMBERS.get(ctype.item.cname))
        if array.dtype.kind in "iu" and array.dtype != given.dtype and not np.array_equal(array, given):
            raise ArgumentError(f"an array of {given.dtype} has elements that are no {ctype.item.cname}: "
                                f"{given.tolist()!r:.80}")
        if array.dtype.hasobject:
            raise ArgumentError(f"{value!r} is not an array of numbers")
        value = ffi.from_buffer(array) if array.size else ffi.NULL
        value = ffi.cast(ctype, value)
        keep.append(array)
    keep.append(value)
    return value


def struct(ctype: Any, fields: dict[str, Any], keep: list[Any]) -> Any:
    """A struct with its defaults, then `fields`."""
    made = ffi.new(ffi.getctype(ctype, "*"))
    types = dict(ctype.fields)
    initialise = getattr(lib, f"{ctype.cname}_init", None)
    if initialise:
        initialise(made, ffi.sizeof(ctype))
    for name, value in fields.items():
        if name not in types:
            raise ArgumentError(f"{ctype.cname} has no field {name!r}; it has {', '.join(sorted(types))}")
        try:
            setattr(made, name, argument(types[name].type, value, keep))
        except TypeError as error:
            raise ArgumentError(f"{name} is {value!r}: {error}") from None
    return made


def plain(ctype: Any, value: Any) -> Any:
    """A value of C in Python: structs are namespaces, enumerations words, and texts strings."""
    if ctype.kind == "struct":
        return SimpleNamespace(**{name: plain(f.type, getattr(value, name)) for name, f in ctype.fields})
    if ctype.kind == "enum":
        return next((word for word, k in words(ctype).items() if k == value), value)
    if ctype.kind == "array":
        return np.array(list(value))
    if ctype.cname == "char *":
        return ffi.string(value).decode() if value else None
    return value


def _output(cell: Any, keep: list[Any]) -> Any:
    """What a call left in a cell. An object keeps the callbacks and arrays alive that it was created with."""
    ctype = ffi.typeof(cell).item
    kind = ctype.item.cname.removeprefix("struct ").removeprefix("scalay_") if ctype.kind == "pointer" else ""
    destroy = getattr(lib, f"scalay_{kind}_destroy", None)
    if destroy is None:
        return plain(ctype, cell[0])
    return cell if kind in _COLLECTIVE else ffi.gc(cell, lambda cell, _=keep: destroy(cell))


@lru_cache(None)
def _function(name: str) -> Any:
    function = getattr(lib, f"scalay_{name}")
    return function, ffi.typeof(function).args, ffi.typeof(function).result


def call(name: str, *inputs: Any) -> Any:
    """Calls scalay_NAME. Parameters behind `inputs` are outputs; they are returned. Statuses become exceptions."""
    function, parameters, result = _function(name)
    if len(inputs) > len(parameters):
        raise ArgumentError(f"scalay_{name} has {len(parameters)} parameters; {len(inputs)} arguments are given")
    keep: list[Any] = []
    values = [argument(ctype, value, keep) for ctype, value in zip(parameters, inputs)]
    cells = [ffi.new(ctype) for ctype in parameters[len(inputs):]]
    returned = function(*values, *cells)
    for error in filter(lambda kept: isinstance(kept, BaseException), keep):
        raise error  # of a callback
    if result.cname == "scalay_status":
        check(returned)
    outputs = [_output(cell, keep) for cell in cells]
    if result.cname not in ("scalay_status", "void"):
        outputs.insert(0, plain(result, returned))
    return outputs[0] if len(outputs) == 1 else tuple(outputs) or None


def check(status: int) -> None:
    """Raises the exception of a status."""
    if status:
        raise ERRORS[status](ffi.string(lib.scalay_error_message()).decode())


def text(name: str, *inputs: Any) -> str:
    """The text of a function that prints into a buffer, whose parameters end with `text, size`."""
    size = call(name, *inputs, None, 0) + 1
    buffer = ffi.new("char[]", size)
    call(name, *inputs, buffer, size)
    return ffi.string(buffer).decode()


def numbers(pointer: Any, count: int) -> np.ndarray:
    """A copy of `count` numbers or structs in C's memory."""
    item = ffi.typeof(pointer).item
    if item.kind == "struct":
        dtype: np.dtype[Any] = np.dtype([(name, _NUMBERS[field.type.cname]) for name, field in item.fields], align=True)
    else:
        dtype = np.dtype(_NUMBERS[item.cname])
    return np.frombuffer(ffi.buffer(pointer, count * ffi.sizeof(item)), dtype).copy() if count else np.empty(0, dtype)
