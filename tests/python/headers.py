"""One test per public header: what the package does with it, compared with numpy.

    mpirun -n P python3 headers.py FOLDER_OF_HEADERS LIBRARY_SCALAPACK
"""
import ctypes
import os
import re
import sys
import tempfile
import traceback
from pathlib import Path

import numpy as np
from mpi4py import MPI

import scalay
from scalay import Layout, OwnerMap, call
from scalay._core import ffi, lib

HEADERS = Path(sys.argv[1])
SEED = 20261123
world = MPI.COMM_WORLD
comm = scalay.Comm(world)
me, P = comm.rank, comm.size
random = np.random.default_rng(SEED)
folder = Path(world.bcast(tempfile.mkdtemp() if me == 0 else None))


def raises(error, step, *words):
    """The exception that a step raises; it is one of the library's, and its text has some words."""
    try:
        step()
    except error as exception:
        assert isinstance(exception, scalay.Error), exception
        assert all(word in str(exception) for word in words), str(exception)
        return exception
    raise AssertionError(f"no {error.__name__}")


def matrix(m, n, dtype=float):
    """A random matrix, the same on all ranks."""
    real = random.standard_normal((m, n))
    return (real + 1j * random.standard_normal((m, n)) if np.dtype(dtype).kind == "c" else real).astype(dtype)


def layouts(m, n):
    """Layouts of all kinds."""
    owner = random.integers(0, P, (-(-m // 5), -(-n // 7)))
    yield comm.cyclic((m, n), 4)
    yield Layout.cyclic((m, n), (3, 5), (P, 1), (P - 1, 0), "column-major")
    yield Layout.tiles((m, n), (5, 7), owner, P)
    yield Layout.from_map(OwnerMap.one_d_one_d((m, n), 4, 1 + np.arange(P)))
    yield Layout.from_pattern(scalay.Pattern.find("lu", P), (m, n), (4, 6))
    yield comm.cyclic((m + 2, n + 3), 4).submatrix(1, 2, (m, n))


def test_export():
    declared = set()
    for header in HEADERS.glob("*.h"):
        if header.name != "scalapack.h":
            declared |= set(re.findall(r"SCALAY_API [^;{]*?\b(scalay_\w+)\(", header.read_text()))
    missing = {name for name in declared if not hasattr(lib, name)}
    assert len(declared) > 250
    assert missing == {"scalay_comm_create", "scalay_comm_handle"}, missing  # MPI_Comm: mpi4py passes Fortran handles


def test_scalay():
    public = (HEADERS / "scalay.h").read_text()
    included = set(re.findall(r'#include "scalay/(\w+)\.h"', public))
    assert included == {header.stem for header in HEADERS.glob("*.h")} - {"export", "scalapack", "scalay"}


def test_status():
    error = raises(ValueError, lambda: Layout("cyclic:m=1,n=1,mb=0,nb=1,p=1,q=1"), "mb")
    assert error.status and type(error).__name__ in ("ArgumentError", "FormatError")
    names = {ffi.string(lib.scalay_status_name(k)).decode(): kind for k, kind in scalay._core.ERRORS.items()}
    assert len(names) == 11
    for name, kind in names.items():
        short = name.removeprefix("SCALAY_ERROR_").replace("_", "")
        assert kind.__name__.upper().startswith(short.replace("MEMORY", "OUTOFMEMORY")), name
    raises(OSError, lambda: scalay.read(folder / "none.npy", comm), "none.npy")
    # One rank fails: all have the exception, with its message.
    layout = comm.cyclic((8, 8), 2)
    size = layout.local_size(me) - (me == P - 1)
    error = raises(ValueError, lambda: scalay.array(np.zeros(max(size, 0)), layout, comm), "elements")
    if me != P - 1:
        assert f"rank {P - 1}" in str(error)


def test_types():
    m, n = 11, 9
    source, target = comm.cyclic((m, n), 2), Layout.cyclic((m, n), (4, 3), (1, P))
    values = np.arange(m * n).reshape(m, n)
    for dtype in (np.float32, np.float64, np.complex64, np.complex128, np.intc, np.int64, np.int8, "S3", "f8,i4"):
        global_values = values.astype(dtype)
        assert (scalay.distribute(global_values, source, comm).to(target).gather() == global_values).all(), dtype
    assert scalay._core.type_code(np.float32) == 1 and scalay._core.type_code("i2") == 258
    raises(ValueError, lambda: scalay.distribute(values, source, comm).lu(), "int64")


def test_context():
    with scalay.Comm(world) as other:
        assert (other.rank, other.size) == (world.rank, world.size)
        a = scalay.zeros(other.cyclic((4, 4)), other)
    raises(ValueError, lambda: a.to(comm.cyclic((4, 4))), "closed")
    half = world.Split(world.rank % 2, -world.rank)
    with scalay.Comm(half) as part:
        global_values = matrix(10, 6)
        a = scalay.distribute(global_values, part.cyclic((10, 6), 2), part)
        assert np.array_equal(a.gather(), global_values)
        assert part.rank == half.rank
    half.Free()
    with comm.descriptors(comm.cyclic((20, 30), 8)) as (desc,):
        assert list(desc[2:6]) == [20, 30, 8, 8] and desc[1] >= 0


def test_layout():
    m, n = 23, 19
    with comm.descriptors(comm.cyclic((m, n), 4)) as (desc,):
        desc[8] += 3  # a longer column
        layout = Layout.from_desc(comm, desc)
        rows = [np.arange(m)[np.arange(m) // 4 % comm.grid[0] == r] for r in range(comm.grid[0])]
        for part, row, _ in layout.subarrays(me):
            assert np.array_equal(row, rows[me // comm.grid[1]]) and part.ld == len(row) + 3
        local = np.zeros((desc[8], n), order="F")
        a = scalay.array(local, layout, comm)
        assert np.shares_memory(a.local, local)
        raises(ValueError, lambda: scalay.array(np.zeros((desc[8], n)), layout, comm), "Fortran")
        raises(ValueError, lambda: scalay.array(np.zeros((desc[8] + 1, n), order="F"), layout, comm), "leading")
    for layout in layouts(m, n):
        a = scalay.zeros(layout, comm, int).fill(lambda i, j: 1000 * i + j)
        count = 0
        for rows, cols, view in a.subarrays():
            assert np.shares_memory(view, a.local)
            assert all(layout.owner(i, j) == me for i in rows for j in cols)
            count += view.size
        assert count == layout.elements(me)
        assert world.allreduce(count) == m * n
        assert layout.owner(m, 0) == -1 and layout.same_owners(layout) and scalay.text("layout_draw", layout, 8)
        assert np.array_equal(a.gather(), 1000 * np.arange(m)[:, None] + np.arange(n))
    moved = comm.cyclic((m, n), 4).relabel(np.arange(P)[::-1], P)
    assert moved.owner(0, 0) == P - 1 and moved.parts == moved.processes == P
    assert call("layout_local_size", call("layout_with_ld", moved, 0, 50), 0) != moved.local_size(0)


def test_redist():
    m, n = 37, 29
    values = matrix(m, n, np.complex64)
    for source, target in zip(layouts(m, n), reversed(list(layouts(m, n)))):
        a = scalay.distribute(values, source, comm)
        assert np.array_equal(a.to(target).gather(), values)
        assert np.array_equal(a.to(comm.cyclic((n, m)), op="conjugate-transpose").gather(), values.conj().T)
    raises(ValueError, lambda: a.to(comm.cyclic((m, n)), op="turn"), "'conjugate-transpose'")
    raises(ValueError, lambda: a.to(comm.cyclic((m, n)), speed=1), "transport")
    raises(ValueError, lambda: a.to(comm.cyclic((m, n + 1))))
    source, target = comm.cyclic((m, n)), Layout.cyclic((m, n), (3, 3), (P, 1))
    a, b = scalay.distribute(matrix(m, n), source, comm), scalay.zeros(target, comm)
    with scalay.Plan(comm, source, target, transport="mpi") as plan:
        plan.begin(a, b)
        while not plan.test():
            pass
        plan.end()
        assert np.array_equal(a.gather(), b.gather())
        b.fill(lambda i, j: i + j)
        plan.execute(a, b.local, "backward")
        assert np.array_equal(a.gather(), np.arange(m)[:, None] + np.arange(n))
        assert call("plan_get_statistics", plan).volume == scalay.mapping(source, target, "canonical").volume
        raises(ValueError, lambda: plan.execute(a, b.local.astype(np.float32)), "float32")
        frozen = b.local.copy()
        frozen.flags.writeable = False
        raises(ValueError, lambda: plan.execute(a, frozen), "read-only")
    raises(ValueError, lambda: plan.execute(a, b), "closed")


def test_traffic():
    source, target = list(layouts(30, 20))[1:3]
    q = np.zeros((P, P), int)
    for i in range(30):
        for j in range(20):
            q[source.owner(i, j), target.owner(i, j)] += 1
    assert np.array_equal(scalay.traffic(source, target), q)


def test_mapping():
    q = random.integers(0, 9, (P, P))
    best = min(np.sum(q) - sum(q[p[j], j] for j in range(P)) for p in permutations(range(P)))
    found = scalay.mapping(q, objective="volume")
    assert found.volume == best == np.sum(q) - q[found.process, np.arange(P)].sum()
    assert found.proof == "optimal" and found.volume_bound == best
    found.check()
    cost = random.random((P, P)) * (1 - np.eye(P))
    times = [sum(q[i, j] * cost[i, p[j]] for i in range(P) for j in range(P)) for p in permutations(range(P))]
    assert abs(scalay.mapping(q, objective="time", link_cost=cost).time - min(times)) < 1e-9
    source, target = Layout.cyclic((40, 30), (4, 4), (P, 1)), Layout.cyclic((40, 30), (5, 5), (1, P))
    found = scalay.mapping(source, target)
    a = scalay.distribute(matrix(40, 30), source, comm)
    b = a.to(target, mapping=found)
    assert np.array_equal(a.gather(), b.gather()) and b.layout.owner(0, 0) == found.process[0]
    raises(ValueError, lambda: scalay.mapping(q, objective="best"), "'volume-steps'")
    assert str(P) in repr(found) and "elements sent" in repr(found)
    raises(ValueError, lambda: scalay.mapping(q + .5), "float64", "int64_t")
    raises(ValueError, lambda: Layout.tiles((4, 4), (4, 4), [[2 ** 32]]), "int64", "4294967296")
    assert scalay.mapping(1.0 * q).volume == scalay.mapping(q).volume


def permutations(items):
    from itertools import permutations as all_permutations
    return list(all_permutations(items))


def test_schedule():
    q = random.integers(0, 9, (P, P))
    moved = np.zeros_like(q)
    for messages in scalay.schedule(q):
        assert len(set(messages["from"])) == len(set(messages["to"])) == len(messages)
        np.add.at(moved, (messages["from"], messages["to"]), messages["elements"])
    assert np.array_equal(moved, q * (1 - np.eye(P, dtype=int)))


def test_factor():
    n = 70
    speeds = 1 / (1 + np.arange(P))
    for dtype, eps in ((np.float64, 1e-10), (np.complex128, 1e-10), (np.float32, 1e-2), (np.complex64, 1e-2)):
        values = matrix(n, n, dtype)
        x = matrix(n, 3, dtype)
        places = [comm.cyclic((n, n), 8)]
        if dtype == np.float64:
            places.append(Layout.from_map(OwnerMap.one_d_one_d((n, n), 8, speeds)))
        for layout in places:
            a, b = scalay.distribute(values, layout, comm), scalay.distribute(values @ x, comm.cyclic((n, 3), 5), comm)
            lu, qr = a.lu(speeds=speeds), a.qr(placement="engine")
            rows = np.arange(n)
            for i, p in enumerate(lu.vector):
                rows[[i, p]] = rows[[p, i]]
            assert abs(lu.triangle("lower").gather() @ lu.triangle("upper").gather() - values[rows]).max() < eps
            q, r = qr.q().gather(), qr.triangle().gather()
            assert abs(q @ r - values).max() < eps and abs(q.conj().T @ q - np.eye(n)).max() < eps
            for factors in (lu, qr):
                assert abs(factors.solve(b).gather() - x).max() < 100 * eps
            assert np.array_equal(a.gather(), values)
            definite = values @ values.conj().T + n * np.eye(n, dtype=dtype)
            for uplo in ("lower", "upper"):
                cholesky = scalay.distribute(definite, layout, comm).cholesky(uplo)
                c = cholesky.triangle().gather()
                c = c if uplo == "lower" else c.conj().T
                assert abs(c @ c.conj().T - definite).max() < 100 * eps
                solution = cholesky.solve(scalay.distribute(definite @ x, comm.cyclic((n, 3), 5), comm))
                assert abs(solution.gather() - x).max() < 100 * eps
    tall, b = matrix(90, 40), matrix(90, 2)
    a, b_at = scalay.distribute(tall, comm.cyclic((90, 40), 7), comm), scalay.distribute(b, comm.cyclic((90, 2)), comm)
    solution = a.solve(b_at)
    assert abs(solution.gather() - np.linalg.lstsq(tall, b, rcond=None)[0]).max() < 1e-10
    assert np.allclose(scalay.distribute(tall, comm.cyclic((90, 40)), comm).solve(b).gather(), solution.gather())
    a = scalay.distribute(values.real, comm.cyclic((n, n)), comm)
    assert a.lu(overwrite=True).packed is a
    raises(ArithmeticError, lambda: scalay.zeros(comm.cyclic((5, 5)), comm).lu())
    raises(ValueError, lambda: a.qr().solve(scalay.zeros(comm.cyclic((n + 1, 1)), comm)), "rows")
    raises(ValueError, lambda: a.lu().solve(np.ones(n, np.complex64)), "type")
    for rows, cols in ((0, 0), (5, 0)):
        empty = scalay.distribute(np.zeros((rows, cols)), comm.cyclic((rows, cols), 2), comm)
        assert empty.gather().shape == (rows, cols)
        assert empty.solve(np.zeros(rows)).shape == (cols, 1)
        assert (empty @ np.zeros((cols, 3))).gather().shape == (rows, 3)


def test_multiply():
    m, n, k = 31, 23, 41
    for dtype in (np.float64, np.complex64):
        for at_a, at_b in zip(layouts(m, k), reversed(list(layouts(k, n)))):
            x, y = matrix(m, k, dtype), matrix(k, n, dtype)
            a, b = scalay.distribute(x, at_a, comm), scalay.distribute(y, at_b, comm)
            assert np.allclose((a @ b).gather(), x @ y, rtol=1e-3 if dtype == np.complex64 else 1e-12, atol=1e-4)
            c = scalay.zeros(Layout.cyclic((k, k), (3, 3), (1, P)), comm, dtype).fill(lambda i, j: i - j)
            before = c.gather()
            scalay.matmul(a, a, c, op_a="conjugate-transpose", alpha=2, beta=-1)
            assert np.allclose(c.gather(), 2 * x.conj().T @ x - before, rtol=1e-3, atol=1e-3)
    assert np.allclose((a @ y).gather(), x @ y, rtol=1e-3, atol=1e-4)
    raises(ValueError, lambda: a @ scalay.zeros(at_b, comm), "type")
    raises(ValueError, lambda: a @ a)


def test_io():
    values = matrix(33, 17)
    for layout, name in zip(list(layouts(33, 17))[2:4], ("a.mtx", "a.npy")):
        scalay.write(folder / name, scalay.distribute(values, layout, comm))
        assert scalay.inspect(folder / name, comm).shape == values.shape
        assert np.array_equal(scalay.read(folder / name, comm, layout).gather(), values)
        assert np.array_equal(scalay.read(str(folder / name), comm, dtype=complex).gather(), values)
    world.Barrier()
    assert np.array_equal(np.load(folder / "a.npy"), values)
    text = (folder / "a.mtx").read_text().split("\n")
    assert text[0].startswith("%%MatrixMarket matrix array real") and "33 17" in text
    world.Barrier()
    raises(ValueError, lambda: scalay.read(folder / "a.npy", comm, comm.cyclic((33, 18))))
    try:
        scalay.write(folder / "a.h5:/group/a", scalay.distribute(values, comm.cyclic((33, 17)), comm))
        assert np.array_equal(scalay.read(f"{folder}/a.h5:/group/a", comm).gather(), values)
    except scalay.UnsupportedError as error:
        assert "HDF5" in str(error)


def test_partition():
    found = scalay.partition((60, 60), [4, 2, 1], shape="auto")
    counts = np.bincount(found.map.rectangles()["part"], minlength=3)
    assert counts.min() >= 1 and found.summary.volume >= found.summary.lower_bound > 0
    area = np.zeros(3, int)
    covered = np.zeros((60, 60), int)
    for part, row, col, rows, cols in found.map.rectangles():
        area[part] += rows * cols
        covered[row:row + rows, col:col + cols] += 1
        assert call("owner_map_owner", found.map, row, col) == part
    assert (covered == 1).all() and abs(area / 3600 - np.array([4, 2, 1]) / 7).max() < 0.03
    assert len(found.candidates) == found.summary.candidates and "square" in str(found)
    raises(ValueError, lambda: OwnerMap([0, 5], [0, 3, 9], [[0, 1], [2, 0]]), "shape")
    raises(ValueError, lambda: call("layout_rows", comm.cyclic((1, 1)), 1), "parameters")
    owners = OwnerMap([0, 5, 12], [0, 3, 9], [[0, 1], [2, 0]])
    assert str(owners) == "12 x 9 in 3 parts" and call("owner_map_owner", owners, 6, 0) == 2
    assert call("owner_map_trailing_balance", OwnerMap.one_d_one_d((64, 64), 4, [1, 1]), 4, [1, 1], "full") > 0.8


def test_pattern():
    pattern = scalay.Pattern.find("lu", 7)
    assert set(pattern.owner.flat) == set(range(7))
    rows = np.mean([len(set(row)) for row in pattern.owner]) + np.mean([len(set(col)) for col in pattern.owner.T])
    assert abs(call("pattern_get_summary", pattern, "lu", None).cost - rows) < 1e-9
    given = scalay.Pattern([[0, 1], [2, 0]])
    assert np.array_equal(given.owner, [[0, 1], [2, 0]])
    assert Layout.from_pattern(given, (8, 8), (2, 2)).owner(3, 5) == 2


def test_profile():
    profile = scalay.Profile({"fast": ([1, 2, 3], [1, 2, 3.5]), "slow": ([1, 2, 3], [2, 4, 6])})
    assert str(profile) == "2 processors"
    if me == 0:
        (folder / "p.csv").write_text("processor,size,time\na,1,0.5\nb,1,1.5\n")
    world.Barrier()
    assert call("profile_get_point", scalay.Profile(folder / "p.csv"), 1, 1) == (1.5, 0)
    raises(ValueError, lambda: scalay.Profile({"a": ([0], [1.0])}), "size")
    raises(ValueError, lambda: scalay.Profile({"a": ([1, 2], [1.0])}), "shape")


def tables():
    sizes = np.arange(1, 7)
    times = [sizes * s + random.random(6) for s in (1, 2, 3)]
    energies = [np.round(random.random(6).cumsum(), 3) for _ in range(3)]
    every = [(d, max(t[x - 1] if x else 0 for x, t in zip(d, times)),
              sum(e[x - 1] if x else 0 for x, e in zip(d, energies))) for d in np.ndindex(7, 7, 7) if sum(d) == 10]
    profile = scalay.Profile({f"p{k}": (sizes, times[k], energies[k]) for k in range(3)})
    return profile, every


def test_workload():
    profile, every = tables()
    for objective, k in (("time", 1), ("energy", 2)):
        found = scalay.workload(profile, 10, objective)
        assert found.distribution.sum() == 10
        assert abs(getattr(found, objective) - min(e[k] for e in every)) < 1e-9
    front = scalay.workload(profile, 10, "front")
    for point in front:
        assert not any(e[1] < point.time - 1e-9 and e[2] < point.energy - 1e-9 for e in every)
    assert front[0].time < front[-1].time or len(front) == 1
    raises(ArithmeticError, lambda: scalay.workload(profile, 100), "18 can be")


def test_published():
    profile, _ = tables()
    best = scalay.workload(profile, 10, "time")
    published = call("workload_get_summary", call("published_distribute", profile, 10, "hpopta"))
    assert abs(published.time - best.time) < 1e-9


def test_model():
    machine = call("machine_typical")
    cost = call("model_qr", machine, lib.SCALAY_DOUBLE, 1000, 1000, 2, 2, 64)
    assert abs(cost.flops - 2 * 1000**2 * (1000 - 1000 / 3)) < 1e-3 * cost.flops and 0 < cost.balance <= 1
    machine.seconds_per_flop *= 2
    assert call("model_qr", machine, lib.SCALAY_DOUBLE, 1000, 1000, 2, 2, 64).update_seconds > 1.5 * cost.update_seconds
    assert call("model_message", None, 0) == call("machine_typical").seconds_per_message


def test_advice():
    layout = Layout.cyclic((2000, 2000), (2000, 1), (1, 4))
    advice = scalay.advise(layout, "qr", times=5)
    seconds = [c.seconds for c in advice.candidates]
    assert seconds == sorted(seconds) and advice.should_move == (advice.candidates[0].name != "stay")
    assert advice.layout().shape == (2000, 2000) and str(advice)
    def fails(_, __):
        raise KeyError("callback")
    try:
        scalay.advise(layout, "other", cost=fails)
        raise AssertionError("an exception of a callback was lost")
    except KeyError as error:
        assert "callback" in str(error)
    other = scalay.advise(layout, "other", cost=lambda layout, _: 1e9 if call("layout_owner", layout, 0, 0) else 1e8)
    assert other.candidates[0].kernel_seconds >= 1e8


def test_measure():
    runs = []
    alone = scalay.Comm(MPI.COMM_SELF)
    few = {"min_repetitions": 1, "max_repetitions": 3, "min_interval": 0}
    sample = call("measure", alone, lambda _: runs.append(1) or 0, None, None, few)
    summary = call("sample_get_summary", sample)
    assert summary.executions <= len(runs) and summary.time.mean > 0 and len(scalay.text("sample_describe", sample)) > 9


def test_meter():
    if me == 0:
        meter = call("meter_create", "model:flop=2,byte=0")
        call("meter_work", meter, 5.0, 0.0)
        before = call("meter_read", meter)
        call("meter_work", meter, 7.0, 0.0)
        assert abs(call("meter_read", meter) - before - 14) < 1e-9
        assert call("meter_is_modelled", meter) == 1
    raises(ValueError, lambda: call("meter_create", "none-such"))


def test_counters():
    try:
        counters = call("counters_create", "PAPI_TOT_INS")
    except scalay.UnsupportedError as error:
        assert "PAPI" in str(error)
        return
    call("counters_start", counters)
    summary = call("counters_get_summary", counters)
    count = np.full(max(summary.count, 1), -1, np.int64)
    call("counters_stop", counters, count)
    assert summary.count in (0, 1) and (count[:summary.count] > 0).all()


def test_profiler():
    repeat = {"min_repetitions": 1, "max_repetitions": 2, "min_interval": 0, "max_seconds": 0.02}
    options = {"sizes": 2, "list": [1, 2], "repeat": repeat}
    kernel = call("profile_kernel_create", "dgemv:n=64", 1.0)
    profile, record = call("profiler_run", comm, kernel, options)
    facts = call("profile_record_get", record)
    assert facts.processors == P and facts.sizes == 2 and call("profile_processors", profile) == P
    assert call("profile_record_point", record, 0, 1).size == 2


def test_stencil():
    items = 40
    layout = Layout.cyclic((1, items), (1, 3), (1, P))
    values = matrix(1, items)
    x = scalay.distribute(values, layout, comm)
    stencil = call("stencil_create", comm, layout, lib.SCALAY_DOUBLE, None)
    call("stencil_execute", stencil, [0.25, 0.5, 0.25], 3, x.local)
    call("stencil_destroy", stencil)
    for _ in range(3):
        values = 0.25 * np.roll(values, 1) + 0.5 * values + 0.25 * np.roll(values, -1)
    assert np.allclose(x.gather(), values)


def test_scalapack():
    library = ctypes.CDLL(sys.argv[2])
    m, n = 26, 22
    values = matrix(m, n)
    source, target = comm.cyclic((m, n), 4), comm.cyclic((m, n), 7)
    a, b = scalay.distribute(values, source, comm), scalay.zeros(target, comm)
    integer = lambda k: ctypes.byref(ctypes.c_int(k))
    with comm.descriptors(source, target) as (desc_a, desc_b):
        library.pdgemr2d_(integer(m), integer(n), a.local.ctypes, integer(1), integer(1), desc_a.ctypes, b.local.ctypes,
                          integer(1), integer(1), desc_b.ctypes, integer(int(desc_a[1])))
    assert np.array_equal(b.gather(), values)


def main():
    tests = {name[5:]: test for name, test in globals().items() if name.startswith("test_")}
    headers = {header.stem for header in HEADERS.glob("*.h")}
    assert set(tests) == headers, f"tests and headers differ: {set(tests) ^ headers}"
    for name, test in tests.items():
        try:
            began = MPI.Wtime()
            test()
            world.Barrier()
            if me == 0 and os.environ.get("TIMES"):
                print(f"{name}: {MPI.Wtime() - began:.3f} s")
        except Exception:
            print(f"rank {me} of {P}, seed {SEED}: {name}.h", flush=True)
            traceback.print_exc()
            sys.stderr.flush()
            world.Abort(1)
    if me == 0:
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()


main()
