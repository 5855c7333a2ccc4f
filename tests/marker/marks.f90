! SPDX-License-Identifier: BSD-3-Clause
! marks.c in Fortran; a name in a longer variable ends before its trailing blanks.
program marks
  use plumbline
  implicit none
  double precision, volatile :: sink = 1d0
  character(len=32) :: name
  integer :: entry
  name = "inner"
  do entry = 1, 2
    call plumbline_start("outer")
    call add(10)
    call plumbline_start(name)
    call add(100)
    call plumbline_stop(name)
    call plumbline_stop("outer")
    call add(1000)
  end do
contains
  subroutine add(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      sink = sink + 1.5d0
    end do
  end subroutine
end program
