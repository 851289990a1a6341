"""MPI.Finalize() closes all that is open, before MPI ends. Later calls raise exceptions; local arrays stay."""
import gc

import numpy as np
from mpi4py import MPI

import scalay

world = MPI.COMM_WORLD
comm = scalay.Comm(world)
half = scalay.Comm(world.Split(world.rank % 2))
a = scalay.zeros(comm.cyclic((20, 20), 4), comm).fill(lambda i, j: i + 20 * j + (i == j) * 50)
plan = scalay.Plan(comm, a.layout, a.layout)
factors = a.lu()
layout = scalay.Layout.cyclic((9, 9), (2, 2), (1, 1))
cycle = [layout]
cycle.append(cycle)
view = next(a.subarrays(), (0, 0, a.local))[2]
del layout
closed = scalay.Comm(world)
closed.close()
closed.close()
MPI.Finalize()
gc.collect()


def refuses(step):
    try:
        step()
    except scalay.ArgumentError as error:
        assert "closed" in str(error), error
        return True
    return False


assert refuses(lambda: a.to(a.layout)) and refuses(lambda: plan.execute(a, a)) and refuses(lambda: factors.triangle())
assert refuses(lambda: half.agree().__enter__()) and refuses(lambda: closed.agree().__enter__())
cycle = None
gc.collect()
del a, comm, plan, factors
gc.collect()
assert view.sum() == view.sum() and np.isfinite(view).all()
