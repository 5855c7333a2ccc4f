# SPDX-License-Identifier: BSD-3-Clause
"""Spack's recipe. There is no address to fetch the sources from: it builds a checkout, by `spack dev-build`.

    spack repo add jobs/packaging/spack
    spack dev-build plumbline@main          # in the root of the checkout

`spack install plumbline` fails, for want of an address: a site with a mirror of the sources adds git = "..." below.
"""

import os

from spack.package import *

try:  # Spack 1.0 and later have the build systems in the repository of packages
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:
    pass


class Plumbline(CMakePackage):
    """MPI-parallel characterization of supercomputer nodes with proven counters."""

    license("BSD-3-Clause AND GPL-2.0-or-later")
    version("main")
    generator("ninja")

    variant("mpi", default=True, description="More than one rank")
    variant("papi", default=True, description="Hardware counters through PAPI")
    # Elsewhere there is no such variant: the emulated counters know x86-64 only.
    variant("emulator", default=True, when="target=x86_64:", description="Emulated counters by a Valgrind tool")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hdf5~mpi")
    depends_on("hwloc")
    depends_on("openblas")
    depends_on("cli11")
    depends_on("tomlplusplus")
    depends_on("nlohmann-json@3.9:")
    depends_on("fmt")
    depends_on("benchmark")
    depends_on("mpi", when="+mpi")
    depends_on("papi+sde", when="+papi")
    depends_on("valgrind~mpi~boost", type=("build", "link", "run"), when="+emulator")
    depends_on("python@3.9:", type="run")
    depends_on("py-h5py", type="run")
    depends_on("py-pandas", type="run")
    depends_on("py-matplotlib", type="run")

    requires("target=x86_64:", "target=aarch64:", policy="one_of", msg="Plumbline's kernels are compiled for x86-64 and AArch64 only")
    # Spack compiles everything for the target. Kernels have flavors of their own for each ISA, AVX-512 among them.
    requires("target=:x86_64_v3", when="+emulator", msg="The emulated counters run the program under Valgrind, which knows no AVX-512")
    conflicts("%gcc@:10", msg="C++20 takes g++ 11")

    def setup_run_environment(self, env):
        env.set("PLUMBLINE_PYTHON", self.spec["python"].command.path)  # of `plumbline report`: the one that sees the py-* packages

    def cmake_args(self):
        args = [
            self.define("PLUMBLINE_TESTS", False),
            self.define("PLUMBLINE_WITH_MPI", "ON" if "+mpi" in self.spec else "OFF"),
            self.define("PLUMBLINE_WITH_PAPI", "ON" if "+papi" in self.spec else "OFF"),
            self.define("PLUMBLINE_WITH_EMULATOR", "ON" if "+emulator" in self.spec else "OFF"),
        ]
        if "+mpi" in self.spec:
            mpi = self.spec["mpi"]
            args.append(self.define("MPI_CXX_COMPILER", mpi.mpicxx))
            mpiexec = os.path.join(mpi.prefix.bin, "mpiexec")
            if os.path.exists(mpiexec):  # a site's MPI may be started by srun alone
                args.append(self.define("MPIEXEC_EXECUTABLE", mpiexec))
        return args
