!> Finds mappings of the parts of a layout to processes, and schedules of the messages. A matrix on 2 x 3 processes is to be
!! redistributed to a 3 x 2 grid with other blocks. Planning needs no MPI.
program mapping_example
  use, intrinsic :: iso_c_binding
  use scalay
  implicit none
  type(scalay_layout) :: source, target
  type(scalay_traffic) :: traffic
  type(scalay_mapping) :: mapping
  type(scalay_mapping_summary) :: summary, previous
  type(scalay_mapping_front) :: front
  type(scalay_schedule) :: schedule
  type(scalay_schedule_summary) :: lengths
  type(scalay_machine) :: machine
  integer(c_int64_t) :: k, startup, exact

  call source%block_cyclic(600, 600, 50, 50, 2, 3, 0, 0, SCALAY_ROW_MAJOR)
  call target%block_cyclic(600, 600, 32, 48, 3, 2, 0, 0, SCALAY_ROW_MAJOR)
  call traffic%create(source, target)

  ! The Pareto front of one-port steps and volume, proven optimal. The fewest steps come first.
  call front%from_traffic(traffic)
  call front%check(traffic)
  do k = 1, front%count()
    previous = summary
    call front%get_summary(k, summary)
    print "(i0, a, i0, a, *(1x, i0))", summary%steps, " steps, ", summary%volume, " elements move; processes:", &
      front%process(k)
    if (k > 1) then
      if (summary%steps <= previous%steps .or. summary%volume >= previous%volume) error stop 1
    end if
  end do

  ! A one-port schedule of the mapping with the fewest steps, then the least volume: exact,
  call mapping%from_traffic(traffic, SCALAY_MIN_STEPS_THEN_VOLUME)
  call schedule%create(traffic, mapping%process())
  call describe("exact")
  call schedule%get_summary(lengths)
  exact = lengths%length
  call mapping%get_summary(summary)
  if (exact /= summary%steps) error stop 2
  ! with fewer, longer rounds, for a link with a startup time,
  machine = scalay_machine_typical()
  startup = scalay_model_startup(SCALAY_DOUBLE, machine)
  call schedule%create(traffic, mapping%process(), startup=startup)
  print "(a, i0, a)", "starting a message takes as long as ", startup, " elements:"
  call describe("for this startup time")
  call schedule%get_summary(lengths)
  if (lengths%length < exact) error stop 3
  ! with messages that are never cut,
  call schedule%create(traffic, mapping%process(), slice=huge(1_c_int64_t))
  call describe("whole messages")
  call print_rounds()
  ! and without rounds.
  call schedule%create(traffic, mapping%process(), preemptive=.true.)
  call describe("without rounds")
  call schedule%get_summary(lengths)
  if (lengths%length /= exact) error stop 4

  call schedule%destroy()
  call mapping%destroy()
  call front%destroy()
  call traffic%destroy()
  call target%destroy()
  call source%destroy()

contains

  subroutine describe(what)
    character(*), intent(in) :: what
    call schedule%check(traffic, mapping%process())
    call schedule%get_summary(lengths)
    print "(2a, i0, a, i0, a)", what, ": ", lengths%rounds, " rounds, ", lengths%length, " element times"
  end subroutine describe

  subroutine print_rounds()
    type(scalay_message), allocatable :: messages(:)
    integer(c_int64_t) :: round, length
    integer :: m
    call schedule%get_summary(lengths)
    do round = 1, lengths%rounds
      call schedule%round(round, length, messages)
      print "(a, i0, a, i0, a, *(1x, i0, '->', i0, :))", "  ", round, ". (", length, ")", &
        (messages(m)%from, messages(m)%to, m = 1, size(messages))
    end do
  end subroutine print_rounds
end program mapping_example
