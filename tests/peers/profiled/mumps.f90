! A Poisson problem in a cube, factored by MUMPS, in Fortran. It prints what MUMPS itself says of its work.
program cube
  implicit none
  include 'mpif.h'
  include 'dmumps_struc.h'
  type(dmumps_struc) :: solver
  integer :: side, n, x, y, z, point, entries, failed
  character(len=16) :: word
  call get_command_argument(1, word)
  read (word, *) side
  n = side**3
  call mpi_init(failed)
  solver%comm = mpi_comm_world
  solver%job = -1
  solver%sym = 0
  solver%par = 1
  call dmumps(solver)
  solver%icntl(1:4) = 0
  solver%icntl(7) = 0  ! order by approximate minimum degree: SCOTCH's ordering, which MUMPS would take, is another in each run
  solver%n = n
  allocate (solver%irn(4*n), solver%jcn(4*n), solver%a(4*n), solver%rhs(n))
  entries = 0
  do z = 0, side - 1
    do y = 0, side - 1
      do x = 0, side - 1
        point = 1 + x + side*(y + side*z)
        call add(point, point, 6d0)
        if (x > 0) call add(point, point - 1, -1d0)
        if (y > 0) call add(point, point - side, -1d0)
        if (z > 0) call add(point, point - side*side, -1d0)
      end do
    end do
  end do
  solver%nnz = entries
  solver%rhs = 1
  solver%job = 6
  call dmumps(solver)
  print '(f0.0)', solver%rinfog(3)
  failed = solver%infog(1)
  call mpi_finalize(x)
  if (failed < 0) error stop
contains
  subroutine add(row, column, value)
    integer, intent(in) :: row, column
    double precision, intent(in) :: value
    entries = entries + 1
    solver%irn(entries) = row
    solver%jcn(entries) = column
    solver%a(entries) = value
  end subroutine
end program
