"""The programs by others: what each is, what it needs, how it is made ready, and what it says of its own work."""

import os
import pathlib
import re
import shutil
import subprocess
from dataclasses import dataclass, field

from programs import ProgramFailed, last_words, output_of

HERE = pathlib.Path(__file__).resolve().parent
PETSC = pathlib.Path("/usr/share/petsc/3.18/share/petsc/examples/src/ksp/ksp/tutorials/ex2.c")
PETSC_LIBRARY = pathlib.Path("/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real")
SCALAPACK = pathlib.Path("/usr/lib/x86_64-linux-gnu/scalapack/mpich-tests/xdlu")


class Missing(Exception):
    """Something that a program needs is not here: what, and what brings it."""


@dataclass
class Ready:
    """A program that can be started in a folder. `reported`: the FLOPs that it says it did, of its output and that folder."""
    command: list
    environment: dict = field(default_factory=dict)
    reported: object = None


@dataclass
class Program:
    name: str
    what: str
    prepare: object  # of an empty folder and whether it shall be small
    objects: str = ""  # an expression that the files must fit whose FLOPs are held against the program's own report; empty: all
    beside: tuple = (0, 0)  # what counted FLOPs may have beside reported ones, as a part of them
    why: str = ""  # they differ
    in_ci: bool = False


def need(name, package):
    found = shutil.which(name)
    if not found:
        raise Missing(f"{name} is not installed (Debian: {package})")
    return found


def need_file(path, package):
    if not path.exists():
        raise Missing(f"{path} is not there (Debian: {package})")
    return path


def compiled(folder, compiler, source, *words, package="build-essential"):
    need(compiler, package)
    done = subprocess.run([compiler, "-O2", str(source), "-o", str(folder / "program"), *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Missing(f"{pathlib.Path(source).name} does not compile: {next(iter(done.stderr.splitlines()), 'no message')}")
    return folder / "program"


def number(said, _):
    return float(said.strip().splitlines()[-1])


def number_behind(pattern):
    def found(said, _):
        numbers = [float(word) for word in re.findall(pattern, said)]
        if not numbers:
            raise ProgramFailed(f"the program does not report its work: no {pattern!r}")
        return sum(numbers)
    return found


def fftw(folder, small):
    need_file(pathlib.Path("/usr/include/fftw3.h"), "libfftw3-dev")
    program = compiled(folder, "gcc", HERE / "fft.c", "-lfftw3")
    return Ready([program, "256" if small else "512", "60" if small else "150"], {}, number)


def superlu(folder, small):
    need_file(pathlib.Path("/usr/include/superlu/slu_ddefs.h"), "libsuperlu-dev")
    program = compiled(folder, "gcc", HERE / "superlu.c", "-I/usr/include/superlu", "-lsuperlu", "-lblas", "-lm")
    return Ready([program, "120" if small else "330"], {"OPENBLAS_NUM_THREADS": "1", "OPENBLAS_CORETYPE": "Haswell"}, number)


def mumps(folder, small):
    need_file(pathlib.Path("/usr/include/mumps_seq/mpif.h"), "libmumps-seq-dev")
    program = compiled(folder, "gfortran", HERE / "mumps.f90", "-I/usr/include", "-I/usr/include/mumps_seq", "-ldmumps_seq", "-lmpiseq_seq",
                       package="gfortran")
    return Ready([program, "14" if small else "26"], {"OPENBLAS_NUM_THREADS": "2", "OPENBLAS_CORETYPE": "Haswell", "OMP_NUM_THREADS": "2"}, number)


def petsc(folder, small):
    need_file(PETSC, "libpetsc3.18-dev-examples")
    need_file(PETSC_LIBRARY / "lib", "petsc-dev")
    program = compiled(folder, "mpicc.openmpi", PETSC, "-I/usr/share/petsc/3.18/include", f"-I{PETSC_LIBRARY}/include", f"-L{PETSC_LIBRARY}/lib",
                       "-lpetsc_real", package="libopenmpi-dev")
    side = "60" if small else "200"
    return Ready([program, "-m", side, "-n", side, "-log_view"], {"OPENBLAS_NUM_THREADS": "1", "OPENBLAS_CORETYPE": "Haswell"},
                 number_behind(r"\nFlops: +([0-9.e+]+)"))


def scalapack_report(said, _):
    """The tester has a fixed memory, and goes on past sizes that it cannot hold."""
    sizes = [int(size) for size in re.findall(r"^WALL +(\d+) .* PASSED$", said, re.MULTILINE)]
    if not sizes or " 0 tests skipped" not in said:
        raise ProgramFailed("xdlu did not factor all of its matrices: " + last_words(said))
    return sum(2 / 3 * size**3 - size**2 / 2 + 2 * size**2 for size in sizes)


def scalapack(folder, small):
    need_file(SCALAPACK, "scalapack-mpi-test")
    sizes = [200] if small else [440, 450, 460, 470, 480]
    line = " ".join(map(str, sizes))
    (folder / "LU.dat").write_text(f"'LU'\n'one process'\n'LU.out' output\n6 device\n{len(sizes)} sizes\n{line}\n{line}\n1 blocks\n32\n1 sides\n1\n"
                                   "1 widths\n1\n1 grids\n1\n1\n3.0 threshold\nF no refinement\n")
    return Ready([SCALAPACK], {"OPENBLAS_NUM_THREADS": "1", "OPENBLAS_CORETYPE": "Haswell"}, scalapack_report)


HPL = """HPL input
by profiled_programs.py
HPL.out
8
1
{n}
1
80
0
1
1
1
16.0
1
2
1
4
1
2
1
1
1
1
1
1
2
64
0
0
1
8
"""


def hpcc_report(_, folder):
    """FLOPs of the parts that tell theirs by formulas: HPL, and the parallel and two other transforms. The rest (DGEMM, STREAM, LU of other
    sizes) is what the summary's sizes say."""
    summary = dict(line.split("=") for line in (folder / "hpccoutf.txt").read_text().splitlines() if re.fullmatch(r"\w+=\S+", line))
    n, m = float(summary["HPL_N"]), float(summary["DGEMM_N"])
    return 2 / 3 * n**3 + 3 / 2 * n**2 + 2 * 2 * m**3


def hpcc(folder, small):
    need("hpcc", "hpcc")
    (folder / "hpccinf.txt").write_text(HPL.format(n=160 if small else 700))
    return Ready(["hpcc"], {"OPENBLAS_NUM_THREADS": "1", "OPENBLAS_CORETYPE": "Haswell"}, hpcc_report)


TOPOLOGY = '#include "oplsaa.ff/forcefield.itp"\n#include "oplsaa.ff/spce.itp"\n[ system ]\nwater\n[ molecules ]\n'
DYNAMICS = """integrator = {what}
nsteps = {steps}
dt = 0.001
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
nstlog = 0
nstenergy = 0
tcoupl = v-rescale
tc-grps = System
tau-t = 0.1
ref-t = 300
gen-vel = yes
gen-seed = 1
ld-seed = 1
"""


def gromacs_report(_, folder):
    found = re.search(r"^ Total +([0-9.]+) +100\.0$", (folder / "md.log").read_text(), re.MULTILINE)
    if not found:
        raise ProgramFailed("md.log has no MEGA-FLOPS ACCOUNTING")
    return float(found[1]) * 1e6


def gromacs(folder, small):
    """GROMACS reports the pairs of its list, also those that a long list is pruned of: so the list is made anew every ten steps."""
    gmx = need("gmx", "gromacs")
    need_file(pathlib.Path("/usr/share/gromacs/top/spc216.gro"), "gromacs-data")
    (folder / "topol.top").write_text(TOPOLOGY)
    (folder / "rest.mdp").write_text(DYNAMICS.format(what="steep", steps=50))
    (folder / "md.mdp").write_text(DYNAMICS.format(what="md", steps=10 if small else 100))
    one = ["-quiet", "mdrun", "-ntmpi", "1", "-ntomp", "2", "-pin", "off"]

    def run(*words):
        done = subprocess.run([gmx, *words], cwd=folder, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise ProgramFailed(f"gmx {' '.join(words[:2])}: exit code {done.returncode}")

    run("-quiet", "solvate", "-cs", "spc216.gro", "-box", *(["2.2"] if small else ["3"]) * 3, "-o", "water.gro", "-p", "topol.top")
    run("-quiet", "grompp", "-f", "rest.mdp", "-c", "water.gro", "-p", "topol.top", "-o", "rest.tpr", "-maxwarn", "9")
    run(*one, "-s", "rest.tpr", "-c", "rest.gro")
    run("-quiet", "grompp", "-f", "md.mdp", "-c", "rest.gro", "-p", "topol.top", "-o", "md.tpr", "-maxwarn", "9")
    (folder / "md.log").unlink()
    return Ready([gmx, *one, "-s", "md.tpr", "-notunepme", "-nstlist", "10"], {"GMX_MAXBACKUP": "-1"}, gromacs_report)


SCENE = """camera { location <0,2,-6> look_at 0 }
light_source { <5,10,-10> color rgb 1 }
sphere { 0, 1 pigment { color rgb <1,0,0> } finish { reflection 0.4 } }
plane { y, -1 pigment { checker rgb 0 rgb 1 } normal { bumps 0.3 } }
"""


def povray(folder, small):
    program = need("povray", "povray")
    (folder / "scene.pov").write_text(SCENE)
    width = 160 if small else 800
    return Ready([program, "+Iscene.pov", f"+W{width}", f"+H{width * 3 // 4}", "+A0.1", "+WT2", "-D", "+Oscene.png"])


def graphics(folder, small):
    program = need("gm", "graphicsmagick")
    size = "200x150" if small else "1000x750"
    return Ready([program, "convert", "-size", size, "gradient:red-blue", "-blur", "0x6", "-resize", "200%", folder / "picture.png"], {"OMP_NUM_THREADS": "2"})


def r(folder, small):
    program = need("R", "r-base-core")
    size = ("2000", "30") if small else ("20000", "100")
    return Ready([program, "--vanilla", "-s", "-f", HERE / "model.R", "--args", *size], {"OPENBLAS_NUM_THREADS": "1", "OPENBLAS_CORETYPE": "Haswell"})


def python_with(module, package):
    """The interpreter that a variable names, else the first that has the module."""
    for python in filter(None, (os.environ.get(f"PLUMBLINE_PYTHON_WITH_{module.upper()}"), shutil.which("python3"), "/usr/bin/python3")):
        if pathlib.Path(python).exists() and subprocess.run([python, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0:
            return python
    raise Missing(f"no python3 has {module} ({package}; PLUMBLINE_PYTHON_WITH_{module.upper()} names another one)")


def numpy(_, small):
    sizes = ("400", "128", "128", "20") if small else ("2000", "256", "256", "80")
    return Ready([python_with("numpy", "Debian: python3-numpy"), HERE / "numpy_step.py", *sizes],
                 {"OPENBLAS_NUM_THREADS": "2", "OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL"}, number)


def jax(_, small):
    sizes = ("128", "64", "64", "20") if small else ("512", "256", "256", "200")
    return Ready([python_with("jax", "PyPI: jax"), HERE / "jax_step.py", *sizes],
                 {"XLA_FLAGS": "--xla_cpu_max_isa=AVX2", "JAX_PLATFORMS": "cpu"}, number)


PROGRAMS = (
    Program("fftw", "FFTW, complex transforms in two dimensions by its scalar code; C, serial", fftw, r"libfftw3\.", (0, 0.001),
            "FFTW's own count is exact; the rest is planning", in_ci=True),
    Program("superlu", "SuperLU on OpenBLAS, a Poisson problem in a square; C, serial", superlu, r"libsuperlu|blas", (-0.02, 0.15),
            "SuperLU counts textbook operations of its blocks; OpenBLAS adds the sums of several columns to the vector apart", in_ci=True),
    Program("mumps", "MUMPS on OpenBLAS, a Poisson problem in a cube; Fortran, threads of OpenBLAS", mumps, r"mumps|blas|pord", (0, 0.3),
            "MUMPS counts the elimination alone; it scales the matrix and solves as well"),
    Program("petsc", "PETSc's ex2, GMRES with ILU on a square; C, Open MPI's library, one process", petsc, r"libpetsc|blas", (-0.02, 0.1),
            "PETSc's log has formulas"),
    Program("scalapack", "ScaLAPACK's tester xdlu; Fortran, MPICH's library, one process", scalapack, r"blas|lapack|xdlu", (0, 0.3),
            "the tester makes the matrix, and holds the solution against it, besides"),
    Program("hpcc", "HPCC: HPL, DGEMM, STREAM, FFT and more; C, Open MPI's library, one process", hpcc, r"blas", (0, 0.3),
            "its report has HPL's and DGEMM's own sizes; its transforms and STREAM have no report of their work"),
    Program("gromacs", "GROMACS, water with PME; C++, OpenMP, 2 threads", gromacs, r"", (-0.1, 0.1),
            "GROMACS counts formulas of pairs inside the cutoff and a root as one; it computes whole clusters, and roots by Newton's steps"),
    Program("povray", "POV-Ray, a reflecting ball; C++, 2 threads", povray),
    Program("graphicsmagick", "GraphicsMagick, a blurred and widened picture; C, OpenMP", graphics),
    Program("r", "R, a linear model and singular values; C and Fortran", r),
    Program("numpy", "NumPy on OpenBLAS, a training step; Python, 2 threads", numpy, r"blas", (-0.001, 0.01),
            "a sum of products begins with one that is no sum", in_ci=True),
    Program("jax", "JAX, a training step compiled by XLA; Python", jax, r"^\?\?\?$|xla|jax_common", (0, 0.2),
            "XLA leaves a tanh out, which is some 26 operations, and the library of its products fills up tiles of 6 rows"),
)
