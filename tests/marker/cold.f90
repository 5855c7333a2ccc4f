! SPDX-License-Identifier: BSD-3-Clause
! cold.c in Fortran.
program cold
  use plumbline
  implicit none
  double precision, volatile :: array(4096) = 1d0, sink
  call read_all()
  call plumbline_start("warm")
  call read_all()
  call plumbline_stop("warm")
  call plumbline_start_cold("cold")
  call read_all()
  call plumbline_stop("cold")
contains
  subroutine read_all()
    integer :: i
    do i = 1, size(array), 8
      sink = array(i)
    end do
  end subroutine
end program
