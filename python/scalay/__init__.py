"""ScaLAY: where the parts of a distributed matrix should be, and how they get there."""
from ._core import (ArgumentError, BLACSError, Error, FileError, FormatError, InfeasibleError, InternalError,
                    MismatchError, MPIError, OutOfMemoryError, RangeError, UnsupportedError, call, text)
from ._array import Array, Factors, Plan, array, distribute, matmul, zeros
from ._comm import Comm
from ._files import inspect, read, write
from ._layout import Layout, OwnerMap, Pattern
from ._planning import (Advice, Mapping, Partition, Profile, advise, mapping, partition, schedule, traffic,
                       workload)

__all__ = [name for name in dir() if not name.startswith("_")]
