!> Patterns: owners, cost, maps and layouts, in Fortran's index base.
program patterns
  use, intrinsic :: iso_c_binding
  use check_module
  use scalay
  implicit none

  call a_pattern_repeats()
  call a_plane_has_seven_processes()
  call json_is_a_layout()
  call failures_leave_nothing()
  call check_verdict()

contains

  subroutine a_pattern_repeats()
    type(scalay_pattern_table) :: table, copy
    type(scalay_pattern) :: pattern
    type(scalay_owner_map) :: map
    type(scalay_layout) :: layout
    type(scalay_tile_traffic) :: traffic
    integer :: i, j
    table%parts = 3
    table%owner = reshape([0, 1, 1, 2, 2, 0], [2, 3])
    call pattern%create(table)
    call pattern%get_table(copy)
    call check(all(copy%owner == table%owner) .and. copy%parts == 3, "table")
    call scalay_owner_map_from_pattern(pattern, 12, 18, 2, 2, map)
    call scalay_layout_from_pattern(pattern, 12_c_int64_t, 18_c_int64_t, 2_c_int64_t, 2_c_int64_t, layout)
    do j = 1, 9
      do i = 1, 6
        call check(pattern%owner(i, j) == table%owner(mod(i - 1, 2) + 1, mod(j - 1, 3) + 1), "owner")
        call check(map%owner(2 * i, 2 * j) == pattern%owner(i, j), "map")
        call check(layout%owner(2 * i, 2 * j) == pattern%owner(i, j), "layout")
      end do
    end do
    call scalay_owner_map_tile_traffic(map, 2, SCALAY_PATTERN_GEMM, traffic)
    call check(traffic%tiles == 6 * 9 * (2 + 1) .and. traffic%along_columns == 54, "tiles of a product")
    call map%destroy()
    call layout%destroy()
    call pattern%destroy()
  end subroutine a_pattern_repeats

  subroutine a_plane_has_seven_processes()
    type(scalay_pattern) :: pattern
    type(scalay_pattern_table) :: table
    type(scalay_pattern_summary) :: summary
    call pattern%find(SCALAY_PATTERN_CHOLESKY, 7)
    call pattern%get_summary(SCALAY_PATTERN_CHOLESKY, summary)
    call check(abs(summary%cost - 3) < 1d-12 .and. summary%method == "projective plane", "cost " // summary%method)
    call pattern%get_table(table)
    call check(all(shape(table%owner) == [7, 7]) .and. all(shape(table%diagonal) == [8, 7]), "shapes")
    call pattern%destroy()
  end subroutine a_plane_has_seven_processes

  subroutine json_is_a_layout()
    character(*), parameter :: path = "fortran_patterns.json"
    type(scalay_layout) :: layout
    integer :: unit, i, j, status
    open (newunit=unit, file=path, status="replace", action="write")
    write (unit, "(a)") '{"version": 1, "rows": 2, "cols": 3, "owners": [[0, 1, 2], [2, 0, 1]],', '"cost": 5.0, "mb": 2}'
    close (unit)
    call layout%parse("pattern:m=11,n=17," // path)
    call check(layout%rows() == 11 .and. layout%cols() == 17, "extents")
    do j = 1, 17
      do i = 1, 11
        call check(layout%owner(i, j) == mod((j - 1) / 2 + 2 * mod((i - 1) / 2, 2), 3), "owner from JSON")
      end do
    end do
    call layout%destroy()
    call layout%parse("pattern:" // path, status)
    call check_status(status, SCALAY_ERROR_FORMAT, "no extent", 'key "m"')
    open (newunit=unit, file=path, status="old")
    close (unit, status="delete")
  end subroutine json_is_a_layout

  subroutine failures_leave_nothing()
    type(scalay_pattern) :: pattern
    type(scalay_pattern_table) :: table
    integer :: status
    call pattern%create(table, status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no table", "owner")
    call pattern%find(SCALAY_PATTERN_LU, 0, status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "no process", "parts")
    call pattern%find(SCALAY_PATTERN_LU, 3, [1d0], status=status)
    call check_status(status, SCALAY_ERROR_ARGUMENT, "a speed too few", "speed")
    call check(.not. pattern%exists() .and. pattern%owner(1, 1) == -1, "no pattern")
  end subroutine failures_leave_nothing
end program patterns
