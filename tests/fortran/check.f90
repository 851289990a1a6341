!> Checks for Fortran tests, with and without MPI. A failed check is counted and printed and the test goes on;
!! check_verdict adds the failures of all ranks up, checks that nothing of the library is left, and stops.
module check_module
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi
  use scalay_status_mod, only: scalay_status_name, scalay_error_message
  implicit none
  private
  public :: check, check_status, check_verdict, element, memory_fail_at, memory_live, skewed, chunks

  integer :: failures = 0
  integer :: checks = 0

  interface
    integer(c_int64_t) function memory_live() bind(C, name="scalay_memory_live")
      import
    end function memory_live
    subroutine memory_fail_at(n) bind(C, name="scalay_memory_fail_at")
      import
      integer(c_int64_t), value :: n
    end subroutine memory_fail_at
    integer(c_int) function comms_live() bind(C, name="scalay_comms_live")
      import
    end function comms_live
    integer(c_int) function grids_live() bind(C, name="scalay_grids_live")
      import
    end function grids_live
  end interface

contains

  !> Counts a check; prints what does not hold.
  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    checks = checks + 1
    if (holds) return
    failures = failures + 1
    write (error_unit, "(2a)") "does not hold: ", what
  end subroutine check

  !> Checks for a status, and that a failure left a message with a given word in it.
  subroutine check_status(status, expected, what, word)
    integer(c_int), intent(in) :: status, expected
    character(*), intent(in) :: what
    character(*), intent(in), optional :: word
    call check(status == expected, what // ": " // scalay_status_name(status) // " instead of " &
      // scalay_status_name(expected) // ": " // scalay_error_message())
    if (status == expected .and. present(word)) &
      call check(index(scalay_error_message(), word) > 0, &
        what // ": no '" // word // "' in: " // scalay_error_message())
  end subroutine check_status

  !> The value that stands at row i, column j in all tests.
  elemental integer function element(i, j)
    integer, intent(in) :: i, j
    element = 1000 * i + j
  end function element

  !> Sums up over all ranks; error stop unless all is well.
  subroutine check_verdict()
    integer :: total(2), error, rank
    logical :: parallel
    call check(memory_live() == 0, "no memory is left")
    call check(comms_live() == 0, "no communicator is left")
    call check(grids_live() == 0, "no grid is left")
    total = [failures, checks]
    rank = 0
    call MPI_Initialized(parallel, error)
    if (parallel) then
      call MPI_Allreduce([failures, checks], total, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
      call MPI_Finalize(error)
    end if
    if (rank == 0) write (*, "(i0, a, i0, a)") total(2), " checks, ", total(1), " failed"
    if (total(1) /= 0 .or. total(2) == 0) error stop 1
  end subroutine check_verdict

  !> The text of the test layout SkewedSet.
  function skewed(m, n, mb, nb, p, q, seed) result(text)
    integer, intent(in) :: m, n, mb, nb, p, q, seed
    character(200) :: line
    character(:), allocatable :: text
    write (line, "(7(a, i0))") "skewed:m=", m, ",n=", n, ",mb=", mb, ",nb=", nb, ",p=", p, ",q=", q, ",seed=", seed
    text = trim(line)
  end function skewed

  !> The text of the test layout ChunkSet.
  function chunks(m, n, mb, nb, p, seed) result(text)
    integer, intent(in) :: m, n, mb, nb, p, seed
    character(200) :: line
    character(:), allocatable :: text
    write (line, "(6(a, i0))") "chunks:m=", m, ",n=", n, ",mb=", mb, ",nb=", nb, ",p=", p, ",seed=", seed
    text = trim(line)
  end function chunks
end module check_module
