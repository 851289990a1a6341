"""A.to(layout) and Plan.execute of the Python package beside the functions of the library, called without the package.

    mpirun -n 2 python3 benchmarks/python.py [N [ROUNDS]]

All four move an N x N matrix from 32 x 32 to 128 x 128 blocks, in turn; medians of the rounds.
"""
import sys
import statistics

import numpy as np
from mpi4py import MPI

import scalay
from scalay._core import ffi, lib

n, rounds = (int(word) for word in (sys.argv[1:] + ["4096", "15"][len(sys.argv) - 1:]))
comm = scalay.Comm(MPI.COMM_WORLD)
source, target = comm.cyclic((n, n), 32), comm.cyclic((n, n), 128)
a = scalay.zeros(source, comm).fill(lambda i, j: i + 0.5 * j)
b = scalay.zeros(target, comm)
plan = scalay.Plan(comm, source, target)
pointer, handle, ends = ffi.from_buffer(a.local), comm.handle[0], (source.handle[0], target.handle[0])
written, planned = ffi.from_buffer(b.local), plan.handle[0]


def library_to():
    """What A.to does, by calls of the library: an array, a plan, a move."""
    local = np.zeros(target.local_size(comm.rank))
    cell = ffi.new("scalay_plan **")
    assert lib.scalay_plan_create(handle, *ends, ffi.NULL, lib.SCALAY_DOUBLE, ffi.NULL, cell) == 0
    assert lib.scalay_plan_execute(cell[0], pointer, ffi.from_buffer(local)) == 0
    lib.scalay_plan_destroy(cell)


def library_execute():
    assert lib.scalay_plan_execute(planned, pointer, written) == 0


contenders = {"library: create, execute, destroy": library_to, "A.to(layout)": lambda: a.to(target),
              "library: execute": library_execute, "Plan.execute": lambda: plan.execute(a, b)}
seconds = {name: [] for name in contenders}
for _ in range(rounds + 1):
    for name, move in contenders.items():
        comm.mpi.Barrier()
        began = MPI.Wtime()
        move()
        seconds[name].append(comm.mpi.allreduce(MPI.Wtime() - began, MPI.MAX))
if comm.rank == 0:
    for name, times in seconds.items():
        print(f"{name:34} {1e3 * statistics.median(times[1:]):9.3f} ms")
