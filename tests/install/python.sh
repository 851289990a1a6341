#!/bin/sh
# python.sh PYTHON FOLDER: imports the package that was installed in FOLDER, and multiplies.
# python.sh PYTHON FOLDER SOURCE: builds the package of SOURCE by pip against the installed library first; FOLDER is new.
python=$1
folder=$2
if [ -n "$3" ]; then
    "$python" -c 'import pip, setuptools, wheel' || { echo "skipped: python3-pip, -setuptools or -wheel is missing"; exit 77; }
    rm -rf "$folder" "$folder.source" && mkdir -p "$folder" && cp -r "$3" "$folder.source" || exit 1
    "$python" -m pip install --no-build-isolation --no-deps --no-index --quiet --target "$folder" "$folder.source" || exit 1
fi
cd / && PYTHONPATH=$folder "$python" - "$folder" <<'END'
import sys
import numpy as np
from mpi4py import MPI
import scalay
assert scalay.__file__.startswith(sys.argv[1]), scalay.__file__
comm = scalay.Comm(MPI.COMM_WORLD)
a = scalay.distribute(np.arange(12.0).reshape(3, 4), comm.cyclic((3, 4), 2), comm)
assert np.array_equal((a @ np.ones(4)).gather(), [[6], [22], [38]])
print("imported", scalay.__file__)
END
