!> All of ScaLAY: who should hold which part of a matrix, and how it gets there.
!!
!! What a ScaLAPACK program adds, given the descriptor desca of the matrix and the communicator:
!!
!!     call comm%create(MPI_COMM_WORLD)
!!     call source%from_desc(comm, desca)
!!     call target%block_cyclic(m, n, 64, 64, nprow, npcol, 0, 0, SCALAY_ROW_MAJOR)
!!     call mapping%create(source, target, SCALAY_MIN_STEPS_THEN_VOLUME)
!!     call scalay_grid_create(comm, target, mapping, ctxt, descb)
!!     call plan%create(comm, source, target, mapping, SCALAY_DOUBLE)
!!     call scalay_execute(plan, a, b)
!!
!! Types and procedures have the names of the C library; modules are named as the C headers with "_mod" after
!! it, since a type has the name itself (type(scalay_layout) is of module scalay_layout_mod); traffic.h and
!! schedule.h are in scalay_mapping_mod, advice.h in scalay_model_mod, and multiply.h in scalay_summa_mod and
!! scalay_gemm_mod. Every procedure that takes an object is bound to its type as well.
module scalay
  use scalay_status_mod
  use scalay_types_mod
  use scalay_context_mod
  use scalay_partition_mod
  use scalay_pattern_mod
  use scalay_layout_mod
  use scalay_mapping_mod
  use scalay_redist_mod
  use scalay_model_mod
  use scalay_counters_mod
  use scalay_meter_mod
  use scalay_measure_mod
  use scalay_factor_mod
  use scalay_summa_mod
  use scalay_stencil_mod
  use scalay_gemm_mod
  use scalay_io_mod
  use scalay_profile_mod
  use scalay_profiler_mod
  use scalay_workload_mod
  use scalay_published_mod
  use scalay_scalapack_mod
  implicit none
  public
end module scalay
