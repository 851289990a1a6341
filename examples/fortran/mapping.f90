!> Who should take which part, and when does each message travel? A matrix on 2 x 3 processes is wanted on a 3 x 2 grid in
!! other blocks. Planning needs no MPI: this program never calls it.
program mapping_example
  use, intrinsic :: iso_c_binding
  use scalay
  implicit none
  type(scalay_layout) :: source, target
  type(scalay_traffic) :: traffic
  type(scalay_mapping) :: mapping
  type(scalay_mapping_front) :: front
  type(scalay_schedule) :: schedule
  type(scalay_machine) :: machine
  integer(c_int64_t) :: k, startup, exact

  call source%block_cyclic(600, 600, 50, 50, 2, 3, 0, 0, SCALAY_ROW_MAJOR)
  call target%block_cyclic(600, 600, 32, 48, 3, 2, 0, 0, SCALAY_ROW_MAJOR)
  call traffic%create(source, target)

  ! All trade-offs of one-port steps and volume, proven; the fewest steps come first.
  call front%from_traffic(traffic)
  call front%check(traffic)
  do k = 1, front%count()
    print "(i0, a, i0, a, *(1x, i0))", front%steps(k), " steps, ", front%volume(k), " elements move; parts go to", &
      front%process(k)
    if (k > 1) then
      if (front%steps(k) <= front%steps(k - 1) .or. front%volume(k) >= front%volume(k - 1)) error stop 1
    end if
  end do

  ! A schedule of the mapping with the fewest steps, then the least volume: everybody sends to one process, and receives
  ! from one, at a time. In as many item steps as there have to be,
  call mapping%from_traffic(traffic, SCALAY_MIN_STEPS_THEN_VOLUME)
  call schedule%create(traffic, mapping%process())
  call tell("no message waits")
  exact = schedule%length()
  if (exact /= mapping%steps()) error stop 2
  ! with fewer, longer rounds, for a link on which starting a message takes as long as so many elements,
  machine = scalay_machine_typical()
  startup = scalay_model_startup(SCALAY_DOUBLE, machine)
  call schedule%create(traffic, mapping%process(), startup=startup)
  print "(a, i0, a)", "starting a message takes as long as ", startup, " elements:"
  call tell("slices that suit")
  if (schedule%length() < exact) error stop 3
  ! with messages that are never cut,
  call schedule%create(traffic, mapping%process(), slice=huge(1_c_int64_t))
  call tell("whole messages")
  call print_rounds()
  ! and without rounds.
  call schedule%create(traffic, mapping%process(), preemptive=.true.)
  call tell("without rounds")
  if (schedule%length() /= exact) error stop 4

  call schedule%destroy()
  call mapping%destroy()
  call front%destroy()
  call traffic%destroy()
  call target%destroy()
  call source%destroy()

contains

  subroutine tell(what)
    character(*), intent(in) :: what
    call schedule%check(traffic, mapping%process())
    print "(2a, i0, a, i0, a)", what, ": ", schedule%rounds(), " steps, over after ", schedule%length(), " item steps"
  end subroutine tell

  subroutine print_rounds()
    type(scalay_message), allocatable :: messages(:)
    integer(c_int64_t) :: step, length
    integer :: m
    do step = 1, schedule%rounds()
      call schedule%round(step, length, messages)
      print "(a, i0, a, i0, a, *(1x, i0, '->', i0, :))", "  ", step, ". (", length, ")", &
        (messages(m)%from, messages(m)%to, m = 1, size(messages))
    end do
  end subroutine print_rounds
end program mapping_example
