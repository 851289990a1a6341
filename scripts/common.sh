# Sourced by the scripts beside it: what they share. Every step says what it does; a step that fails says what went
# wrong and where its log is. Exit codes: 0 done, 1 something failed, 2 wrong usage, 3 packages are missing.
# shellcheck shell=bash disable=SC2034

set -u -o pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
log_folder=$root/build/log

# Debian packages, each with a command that may come from elsewhere too; - where only the package counts.
build_packages='gcc:gcc libc6-dev:- gfortran:gfortran cmake:cmake ninja-build:ninja pkg-config:pkg-config
  openmpi-bin:mpirun.openmpi libopenmpi-dev:mpicc.openmpi libscalapack-openmpi-dev:- libopenblas-dev:- libjansson-dev:- libhwloc-dev:-
  gnuplot-nox:gnuplot libpapi-dev:-'
test_packages='libcmocka-dev:- liblapacke-dev:- man-db:man libgsl-dev:- g++:g++ doxygen:doxygen libfftw3-double3:- liblemon-dev:-
  clang:clang python3-dev:- python3-mpi4py:- python3-cffi:- python3-numpy:-'

say() { printf '== %s\n' "$*"; }
complain() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; }

# fail CODE SENTENCE...
fail() {
    local code=$1
    shift
    complain "$@"
    exit "$code"
}

# prepare PACKAGES: what has to be there before anything is built.
prepare() {
    mkdir -p "$log_folder" || fail 1 "cannot write to $root: the build needs a folder build/ there"
    install_missing "$1"
    # Open MPI refuses to run as root unless told that this is meant.
    if [ "$(id -u)" -eq 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
    # More processes than cores are fine here when those that wait give way; processes that are pinned, or that start
    # threads of their own, are not.
    export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
    export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
}

package_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# missing_packages "PACKAGE:COMMAND ...": those of which neither is there.
missing_packages() {
    local entry
    for entry in $1; do
        package_installed "${entry%%:*}" && continue
        [ "${entry#*:}" != - ] && command -v "${entry#*:}" >/dev/null && continue
        printf '%s ' "${entry%%:*}"
    done
}

# install_missing "PACKAGE:COMMAND ...": through apt when we may, otherwise tells what to type, and stops.
install_missing() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "This is no Debian: packages are not checked. On Debian they are called: $(tr -s ' \n' '  ' <<<"$1" | sed 's/:[^ ]*//g')"
        return
    fi
    local missing become=()
    missing=$(missing_packages "$1")
    if [ -z "$missing" ]; then
        say 'All packages are here'
        return
    fi
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
            complain 'packages are missing, and only root can install them. Type this, then start me again:'
            printf 'apt-get install --no-install-recommends %s\n' "${missing% }"
            exit 3
        fi
        become=(sudo -n)
    fi
    say "Installing with apt-get: ${missing% }"
    # shellcheck disable=SC2086  # packages are words
    apt_install "${become[@]}" -- $missing
}

# apt_install [SUDO...] -- PACKAGE...
apt_install() {
    local become=() log=$log_folder/apt.log
    while [ "$1" != -- ]; do
        become+=("$1")
        shift
    done
    shift
    : >"$log"
    local apt=("${become[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300
        -o Acquire::Retries=2)
    # A list that could not be renewed need not matter: installing decides.
    "${apt[@]}" update </dev/null >>"$log" 2>&1 || say 'apt-get update failed; trying with the package lists at hand'
    "${apt[@]}" install -y --no-install-recommends "$@" </dev/null >>"$log" 2>&1 && return
    tail -n 5 "$log" >&2
    if grep -qE 'Temporary failure|Could not (resolve|connect)|Network is unreachable|Failed to fetch' "$log"; then
        fail 3 "no network: the packages could not be fetched ($*). The whole output is in $log"
    fi
    fail 3 "apt-get could not install: $*. The whole output is in $log"
}

# run_logged NAME COMMAND...: runs quietly; when it fails, shows the end of its output and stops.
run_logged() {
    local name=$1 log=$log_folder/$1.log
    shift
    "$@" </dev/null >"$log" 2>&1 && return
    grep -nE 'error:|Error|FAILED' "$log" | head -n 20 >&2
    printf '%s\n' '...' >&2
    tail -n 20 "$log" >&2
    fail 1 "$name failed. The whole output is in $log"
}

# build FOLDER PRESET [CMAKE ARGUMENT...]: configures and builds in build/FOLDER: all, or the array targets.
targets=()
build() {
    local folder=$root/build/$1 preset=$2 name=$1 fresh=() mpi=()
    shift 2
    # A checkout that has been moved since would be refused.
    if [ -e "$folder/CMakeCache.txt" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
        fresh=(--fresh)
    fi
    # Open MPI, for which we ask above, even where another MPI is the default.
    if command -v mpicc.openmpi >/dev/null && command -v mpif90.openmpi >/dev/null; then
        mpi=(-DMPI_C_COMPILER=mpicc.openmpi -DMPI_Fortran_COMPILER=mpif90.openmpi -DMPIEXEC_EXECUTABLE=mpiexec.openmpi)
    fi
    say "Configuring build/$name"
    cd "$root" || fail 1 "cannot enter $root"
    run_logged "$name-configure" cmake --preset "$preset" -B "$folder" "${fresh[@]}" "${mpi[@]}" "$@"
    say "Building build/$name"
    run_logged "$name-build" cmake --build "$folder" ${targets:+--target "${targets[@]}"}
}
