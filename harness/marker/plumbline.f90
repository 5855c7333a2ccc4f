! SPDX-License-Identifier: BSD-3-Clause
!
! Mark the regions of a Fortran program that Plumbline shall count:
!
!     use plumbline
!     call plumbline_start("solver")
!     ...
!     call plumbline_stop("solver")
!
! Compile this file and plumbline_fortran.c beside your program:
!     gcc -c plumbline_fortran.c && gfortran plumbline.f90 your_program.f90 plumbline_fortran.o
! A mark counts the thread that executes it: in OpenMP code put the marks inside the parallel region.
module plumbline
  use, intrinsic :: iso_c_binding, only: c_char, c_int
  implicit none
  private
  public :: plumbline_start, plumbline_start_cold, plumbline_stop

  interface
    subroutine fortran_start(name, length, cold) bind(c, name="plumbline_fortran_start")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: length, cold
    end subroutine
    subroutine fortran_stop(name, length) bind(c, name="plumbline_fortran_stop")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: length
    end subroutine
  end interface

contains

  subroutine plumbline_start(name)
    character(len=*), intent(in) :: name
    call fortran_start(name, len(name, kind=c_int), 0_c_int)
  end subroutine

  ! From emptied simulated caches, those of all threads: what the region reads comes from memory.
  subroutine plumbline_start_cold(name)
    character(len=*), intent(in) :: name
    call fortran_start(name, len(name, kind=c_int), 1_c_int)
  end subroutine

  subroutine plumbline_stop(name)
    character(len=*), intent(in) :: name
    call fortran_stop(name, len(name, kind=c_int))
  end subroutine

end module plumbline
