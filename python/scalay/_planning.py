"""Decisions without MPI: profiles, workloads, partitions, traffic, mappings, schedules, advice."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._core import Object, call, ffi, lib, numbers, shaped, struct
from ._layout import Layout, OwnerMap


class Profile(Object):
    """The time, and perhaps the energy, of each processor at each size."""

    def __init__(self, groups: dict[str, Any] | str) -> None:
        """Of {name: (sizes, times) or (sizes, times, energies)}, or of the path of a CSV file."""
        if isinstance(groups, dict):
            parts = [call("profile_table", name, 1, len(table[0]), *[shaped(row, len(table[0])) for row in table],
                          *[None] * (3 - len(table))) for name, table in groups.items()]
            self.handle = call("profile_join", len(groups), parts)
        else:
            self.handle = call("profile_read", groups)

    @classmethod
    def of_speeds(cls, speeds: Any) -> Profile:
        """One processor per speed: the option `profile` of a factorisation on unequal processes."""
        return cls({f"p{rank}": ([1], [1 / speed]) for rank, speed in enumerate(speeds)})

    def __str__(self) -> str:
        return f"{call('profile_processors', self)} processors"


def _distribution(handle: Any) -> Any:
    result = call("workload_get_summary", handle)
    result.distribution = np.zeros(result.processors, np.int64)
    call("workload_sizes", handle, 0, result.distribution.size, result.distribution)
    return result


def workload(profile: Profile, n: int, objective: str = "time", **options: Any) -> Any:
    """The optimal distribution of n units, for "time" or "energy", or for "front" the list of all that are not worse in
    both. Results are scalay_workload_summary with `distribution`, an array."""
    if objective != "front":
        return _distribution(call(f"workload_min_{objective}", profile, n, options))
    front = call("workload_front_create", profile, n, options)
    return [_distribution(call("workload_front_get_workload", front, k))
            for k in range(call("workload_front_count", front))]


class Partition(Object):
    """The best partition of a matrix into parts of given areas: `map`, its owner map; `summary`, as
    scalay_partition_summary; `candidates`. Options are the fields of scalay_partition_options."""

    def __init__(self, extents: Any, areas: Any, /, **options: Any) -> None:
        self.handle = call("partition_create", *extents, len(areas), areas, options)
        self.summary = call("partition_get_summary", self)
        self.candidates = [call("partition_get_candidate", self, k) for k in range(self.summary.candidates)]
        self.map = OwnerMap._of(call("partition_map", self), self.handle)


partition = Partition


def _traffic(source: Any, target: Any = None) -> Any:
    if target is not None:
        return call("traffic_create", source, target)
    q = np.asarray(source)
    process, part = np.nonzero(q)
    return call("traffic_from_entries", *q.shape, process.size, process, part, q[process, part])


def traffic(source: Layout, target: Layout) -> np.ndarray:
    """The traffic matrix: elements that process i has and part j needs."""
    handle = _traffic(source, target)
    summary = call("traffic_get_summary", handle)
    q = np.zeros((summary.processes, summary.parts), np.int64)
    for process in range(summary.processes):
        count, part, elements = call("traffic_row", handle, process)
        q[process, numbers(part, count)] = numbers(elements, count)
    return q


class Mapping(Object):
    """The best process for each part of a target layout, or of a traffic matrix that is passed alone: `process`, an
    array; costs and bounds as in scalay_mapping_summary. `link_cost`: a matrix of costs between processes, for
    objective="time". Other options are the fields of scalay_mapping_options."""

    def __init__(self, source: Any, target: Layout | None = None, objective: str = "steps-volume",
                 link_cost: Any = None, **options: Any) -> None:
        self._keep: list[Any] = []
        if link_cost is not None:
            nodes = {"nodes": len(link_cost), "ranks_per_node": 1, "distance": shaped(link_cost, *[len(link_cost)] * 2)}
            options["link_cost"] = ffi.addressof(lib, "scalay_node_link_cost")
            options["link_context"] = struct(ffi.typeof("scalay_node_links"), nodes, self._keep)
        self._traffic, self._options = _traffic(source, target), options
        self.handle = call("mapping_from_traffic", self._traffic, objective, options)
        self.__dict__.update(vars(call("mapping_get_summary", self)))
        self.process = numbers(call("mapping_process", self), self.__dict__["parts"])

    def __str__(self) -> str:
        fields = vars(self)
        return f"{fields['parts']} parts on {fields['processes']} processes, {fields['volume']} elements sent"

    def apply(self, target: Layout) -> Layout:
        """The target with its parts on the processes of the mapping."""
        return Layout(call("mapping_apply", self, target))

    def check(self) -> None:
        """Verifies the certificate without the solver; raises an exception if it does not hold."""
        call("mapping_check", self._traffic, self, self._options)


mapping = Mapping


def schedule(q: Any, process: Any = None, **options: Any) -> list[np.ndarray]:
    """The rounds of the moves of a traffic matrix: arrays with fields from, to and elements."""
    q = np.asarray(q)
    process = np.arange(q.shape[1]) if process is None else shaped(process, q.shape[1])
    handle = call("schedule_create", _traffic(q), process, options)
    rounds = [call("schedule_round", handle, k) for k in range(call("schedule_get_summary", handle).rounds)]
    return [numbers(messages, count) for _, count, messages in rounds]


class Advice(Object):
    """Whether to move a matrix before a kernel: `should_move`, and `candidates`, the best first. Options are the fields
    of scalay_advice_options."""

    def __init__(self, layout: Layout, kernel: str = "qr", **options: Any) -> None:
        self.handle = call("advice_create", layout, {"kernel": kernel, **options})
        self.candidates = [call("advice_get_candidate", self, k) for k in range(call("advice_count", self))]
        self.should_move = bool(call("advice_should_move", self))

    def layout(self, k: int = 0) -> Layout:
        """The layout of a candidate."""
        return Layout(call("advice_layout", self, k))


advise = Advice
