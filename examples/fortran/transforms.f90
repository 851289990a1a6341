! Redistribution with arithmetic: C := 2 A' - C in another layout; two matrices that move together while the program
! computes; and the upper triangle of a symmetric matrix from its lower triangle, in place.
program transforms
  use, intrinsic :: iso_c_binding
  use mpi
  use scalay
  implicit none

  integer, parameter :: n = 60
  type(scalay_comm) :: comm
  type(scalay_layout) :: strips, blocks
  integer :: error

  call MPI_Init(error)
  call comm%create(MPI_COMM_WORLD)
  call strips%block_cyclic(n, n, 4, 4, 1, comm%size(), 0, 0, SCALAY_ROW_MAJOR)
  call blocks%block_cyclic(n, n, 16, 16, comm%size(), 1, 0, 0, SCALAY_ROW_MAJOR)
  call transpose_and_add()
  call move_two_in_one_round()
  call make_symmetric()
  call strips%destroy()
  call blocks%destroy()
  call comm%destroy()
  call MPI_Finalize(error)

contains

  elemental double precision function number(i, j)
    integer(c_int64_t), intent(in) :: i, j
    number = 1000 * i + j
  end function number

  ! Element (i, j) of a matrix in some layout becomes factor * number(i, j) + turned * number(j, i).
  subroutine fill(layout, local, factor, turned)
    type(scalay_layout), intent(in) :: layout
    double precision, intent(out) :: local(:)
    double precision, intent(in) :: factor, turned
    type(scalay_rectangle) :: r
    integer(c_int64_t) :: k, i, j
    do k = 1, layout%rectangle_count(comm%rank())
      call layout%rectangle(comm%rank(), k, r)
      do j = 0, r%cols - 1
        do i = 0, r%rows - 1
          local(r%offset + i + j * r%ld) = factor * number(r%row + i, r%col + j) + turned * number(r%col + j, r%row + i)
        end do
      end do
    end do
  end subroutine fill

  subroutine expect(layout, local, factor, turned, what)
    type(scalay_layout), intent(in) :: layout
    double precision, intent(in) :: local(:), factor, turned
    character(*), intent(in) :: what
    double precision :: expected(size(local))
    call fill(layout, expected, factor, turned)
    if (any(abs(local - expected) > 0)) error stop what
  end subroutine expect

  subroutine transpose_and_add()
    type(scalay_plan) :: plan
    double precision, allocatable :: a(:), c(:)
    allocate (a(strips%local_size(comm%rank())), c(blocks%local_size(comm%rank())))
    call fill(strips, a, 1d0, 0d0)
    call fill(blocks, c, 1d0, 0d0)
    call plan%create(comm, strips, blocks, scalay_no_mapping, SCALAY_DOUBLE, op=SCALAY_TRANSPOSE)
    call scalay_execute(plan, a, c, alpha=2d0, beta=-1d0)
    call expect(blocks, c, -1d0, 2d0, "C := 2 A' - C")
    if (comm%rank() == 0) print "(a)", plan%describe()
    call plan%destroy()
  end subroutine transpose_and_add

  ! Operands hold the addresses of arrays. The arrays need the attributes TARGET and ASYNCHRONOUS.
  subroutine move_two_in_one_round()
    type(scalay_plan) :: plan
    type(scalay_operands) :: operands(2)
    double precision, allocatable, target, asynchronous :: a(:), new_a(:), b(:), new_b(:)
    double precision :: work
    logical :: done
    integer :: k
    allocate (a(strips%local_size(comm%rank())), b(strips%local_size(comm%rank())))
    allocate (new_a(blocks%local_size(comm%rank())), new_b(blocks%local_size(comm%rank())))
    call fill(strips, a, 1d0, 0d0)
    call fill(strips, b, 3d0, 0d0)
    call plan%create(comm, [scalay_plan_matrix(strips, blocks, scalay_no_mapping, SCALAY_DOUBLE), &
      scalay_plan_matrix(strips, blocks, scalay_no_mapping, SCALAY_DOUBLE, op=SCALAY_TRANSPOSE)], &
      memory_bytes=65536_c_int64_t)
    operands = [scalay_operands(a, new_a), scalay_operands(b, new_b)]
    call scalay_begin(plan, operands)
    work = 0
    done = .false.
    do k = 1, 1000
      work = work + 1d0 / k**2
      if (.not. done .and. modulo(k, 100) == 0) call scalay_test(plan, done)  ! advances the move without waiting
    end do
    call scalay_end(plan, operands)
    if (abs(work - 1.6439345666d0) > 1d-9) error stop "the work meanwhile"
    call expect(blocks, new_a, 1d0, 0d0, "the first of two")
    call expect(blocks, new_b, 0d0, 3d0, "the second of two")
    call plan%destroy()
  end subroutine move_two_in_one_round

  ! Copies the lower triangle, transposed, to the upper triangle. Source and target are one array.
  subroutine make_symmetric()
    type(scalay_plan) :: plan
    type(scalay_rectangle) :: r
    double precision, allocatable :: a(:)
    integer(c_int64_t) :: k, i, j
    allocate (a(blocks%local_size(comm%rank())))
    call fill(blocks, a, 1d0, 0d0)
    call plan%create(comm, blocks, blocks, scalay_no_mapping, SCALAY_DOUBLE, op=SCALAY_TRANSPOSE, uplo=SCALAY_UPPER, &
      diag=SCALAY_UNIT, in_place=.true.)
    call scalay_execute_in_place(plan, a)
    do k = 1, blocks%rectangle_count(comm%rank())
      call blocks%rectangle(comm%rank(), k, r)
      do j = r%col, r%col + r%cols - 1
        do i = r%row, r%row + r%rows - 1
          if (abs(a(r%offset + i - r%row + (j - r%col) * r%ld) - number(max(i, j), min(i, j))) > 0) &
            error stop "made symmetric"
        end do
      end do
    end do
    call plan%destroy()
  end subroutine make_symmetric
end program transforms
