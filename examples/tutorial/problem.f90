! The least squares problem of the tutorial: A has cosines, b = A x with x = 1.
module tutorial_problem
  implicit none
  integer :: m = 600, n = 300

contains

  ! m and n: arguments of the command
  subroutine read_sizes()
    character(16) :: text
    call get_command_argument(1, text)
    if (text /= "") read (text, *) m
    call get_command_argument(2, text)
    if (text /= "") read (text, *) n
    if (n > m) error stop 2
  end subroutine read_sizes

  ! rows of A and b that begin after the global row first
  subroutine fill(a, b, rows, first)
    integer, intent(in) :: rows, first
    double precision, intent(out) :: a(:, :), b(:)
    integer :: i, j
    do j = 1, n
      do i = 1, rows
        a(i, j) = cos(0.7d0 * (first + i) * j + 0.3d0 * j * j)
      end do
    end do
    do i = 1, rows
      b(i) = sum(a(i, :))
    end do
  end subroutine fill

  ! The first n elements of b are x. Each is 1.
  subroutine check(b, rows, first, ctxt, rank)
    integer, intent(in) :: rows, first, ctxt, rank
    double precision, intent(in) :: b(:)
    double precision :: error(1)
    integer :: i, unused(1)
    error = 0
    do i = 1, min(rows, n - first)
      error = max(error, abs(b(i) - 1))
    end do
    call dgamx2d(ctxt, "All", " ", 1, 1, error, 1, unused, unused, -1, -1, 0)
    if (rank == 0) print "(a, es8.2)", "largest error of x ", error
    if (error(1) > 1d-6) error stop 1
  end subroutine check
end module tutorial_problem
