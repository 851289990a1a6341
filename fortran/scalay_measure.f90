!> Measuring the machine at hand: what the models of scalay_model_mod need to know (measure.h).
module scalay_measure_mod
  use, intrinsic :: iso_c_binding, only: c_int
  use scalay_c, only: c_machine_measure, scalay_machine
  use scalay_support, only: conclude
  use scalay_status_mod, only: SCALAY_SUCCESS
  use scalay_context_mod, only: scalay_comm
  implicit none
  private
  public :: scalay_machine_measure

contains

  !> Measures the machine. Collective over comm; all ranks work for about a second and get the same numbers.
  !! @param[in]  comm     the ranks to measure
  !! @param[out] machine  every entry is positive; all zero after a failure
  !! @param[out] status   SCALAY_SUCCESS, SCALAY_ERROR_ARGUMENT, SCALAY_ERROR_MEMORY, SCALAY_ERROR_MPI
  subroutine scalay_machine_measure(comm, machine, status)
    class(scalay_comm), intent(in) :: comm
    type(scalay_machine), intent(out) :: machine
    integer(c_int), intent(out), optional :: status
    type(scalay_machine) :: measured
    integer(c_int) :: code
    code = c_machine_measure(comm%c_object(), measured)
    if (code == SCALAY_SUCCESS) machine = measured
    call conclude(code, status)
  end subroutine scalay_machine_measure
end module scalay_measure_mod
