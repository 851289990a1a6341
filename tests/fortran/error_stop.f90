!> Without a status an error stops the program with the message.
program error_stop
  use scalay
  implicit none
  type(scalay_layout) :: layout
  call layout%block_cyclic(4, 4, 0, 2, 1, 1, 0, 0, SCALAY_ROW_MAJOR)
  print "(a)", "went on"
end program error_stop
