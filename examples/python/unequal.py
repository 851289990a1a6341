"""From a numpy file to a factored matrix, on processes of unequal speeds.

    mpirun -n 4 python3 unequal.py [FILE.npy]

The cells are those of a notebook.
"""
# %% The processes. The first one is three times as fast as the others.
import sys
import tempfile
from pathlib import Path

import numpy as np
from mpi4py import MPI

import scalay

comm = scalay.Comm(MPI.COMM_WORLD)
speeds = np.where(np.arange(comm.size) == 0, 3.0, 1.0)


def say(*words):
    if comm.rank == 0:
        print(*words)


# %% The matrix: each process reads its part of the file. The file has float32, the matrix float64.
path = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent / "data" / "egm96_geoid.npy"
heights = scalay.read(path, comm)
say("read", heights.shape, "on the grid", comm.grid, "-", heights.layout)

# %% The covariance of the rows: a product, in a layout in which each process has a share by its speed.
m, n = heights.shape
owners = scalay.OwnerMap.one_d_one_d((m, m), 32, speeds, trailing="lower")
layout = scalay.Layout.from_map(owners, ascending=True)
covariance = scalay.zeros(layout, comm)
scalay.matmul(heights, heights, covariance, op_b="transpose", alpha=1 / n)
say("share of each process:", [f"{layout.elements(p) / m**2:.0%}" for p in range(comm.size)])

# %% Local arrays are numpy's. A little is added to the diagonal, in place.
for rows, cols, view in covariance.subarrays():
    view += 1e-3 * (rows[:, None] == cols[None, :])

# %% The factorisation stays where the matrix is: its layout fits the speeds.
factors = covariance.cholesky(speeds=speeds, placement="engine")
say("elements moved:", factors.statistics.volume, "- tiles of", factors.statistics.nb)

# %% A system of equations, and how well it was solved.
b = scalay.zeros(comm.cyclic((m, 2)), comm).fill(lambda i, j: np.cos(i + j))
x = factors.solve(b)
residual = (covariance @ x).gather() - b.gather()
error = abs(residual).max() / abs(b.gather()).max()
say(f"residual {error:.1e}")

# %% The factor as a file, which numpy reads.
folder = Path(comm.mpi.bcast(tempfile.mkdtemp() if comm.rank == 0 else None))
scalay.write(folder / "factor.npy", factors.triangle())
if comm.rank == 0:
    lower = np.load(folder / "factor.npy")
    print("written:", lower.shape, lower.dtype)
    error += abs(np.triu(lower, 1)).max()
    (folder / "factor.npy").unlink()
    folder.rmdir()
sys.exit(int(error > 1e-6))
