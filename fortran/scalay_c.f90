!> The C interface of ScaLAY as it is: every exported function, structure by structure and argument by argument.
!!
!! Private to the binding: programs use the modules built on it (module scalay). The names are the C names with
!! `scalay_` turned into `c_`, so that a wrapper may have the C name. One file in c/ per public header; a test
!! compares them with the headers. Null pointers: absent optional arguments are passed as NULL.
module scalay_c
  use, intrinsic :: iso_c_binding
  implicit none
  public

  include "c/status.inc"
  include "c/types.inc"
  include "c/context.inc"
  include "c/partition.inc"
  include "c/pattern.inc"
  include "c/layout.inc"
  include "c/traffic.inc"
  include "c/mapping.inc"
  include "c/schedule.inc"
  include "c/redist.inc"
  include "c/model.inc"
  include "c/advice.inc"
  include "c/counters.inc"
  include "c/meter.inc"
  include "c/measure.inc"
  include "c/factor.inc"
  include "c/multiply.inc"
  include "c/stencil.inc"
  include "c/io.inc"
  include "c/profile.inc"
  include "c/profiler.inc"
  include "c/workload.inc"
  include "c/published.inc"
end module scalay_c
