! SPDX-License-Identifier: BSD-3-Clause
!
! LIKWID's Fortran module as Plumbline's marks: a program that says "use likwid" is counted without a change. Compile it after
! plumbline.f90, with plumbline_fortran.c beside, in place of linking LIKWID.
module likwid
  use plumbline, only: plumbline_start, plumbline_stop
  implicit none
  private
  public :: likwid_markerInit, likwid_markerThreadInit, likwid_markerRegisterRegion, likwid_markerStartRegion, &
            likwid_markerStopRegion, likwid_markerResetRegion, likwid_markerGetRegion, likwid_markerNextGroup, likwid_markerClose

contains

  subroutine likwid_markerInit()
  end subroutine

  subroutine likwid_markerThreadInit()
  end subroutine

  subroutine likwid_markerRegisterRegion(regionTag)
    character(len=*), intent(in) :: regionTag
  end subroutine

  subroutine likwid_markerStartRegion(regionTag)
    character(len=*), intent(in) :: regionTag
    call plumbline_start(regionTag)
  end subroutine

  subroutine likwid_markerStopRegion(regionTag)
    character(len=*), intent(in) :: regionTag
    call plumbline_stop(regionTag)
  end subroutine

  ! Sums are never reset: what was counted before stays in the region.
  subroutine likwid_markerResetRegion(regionTag)
    character(len=*), intent(in) :: regionTag
  end subroutine

  ! Counts are read from the profile, never inside the program: it sees no events, as without likwid-perfctr.
  subroutine likwid_markerGetRegion(regionTag, nr_events, events, time, count)
    character(len=*), intent(in) :: regionTag
    integer, intent(inout) :: nr_events
    double precision, dimension(*), intent(inout) :: events
    double precision, intent(inout) :: time
    integer, intent(inout) :: count
    nr_events = 0
    time = 0
    count = 0
  end subroutine

  subroutine likwid_markerNextGroup()
  end subroutine

  subroutine likwid_markerClose()
  end subroutine

end module likwid
