# Datasets that h5py writes are read, and what is written is what h5py reads: each element type on so many processes.
. "$SUPPORT"
p=$1
python=
for one in "$PYTHON" /usr/bin/python3; do
  [ -n "$python" ] || ! "$one" -c 'import h5py, numpy' 2>/dev/null || python=$one
done
[ -n "$python" ] || { echo "there is no h5py"; exit 77; }

# types.h5 has a dataset of each type; `compare NAME` finds the numbers of a dataset in back.h5, with its type in memory.
cat >datasets.py <<'PY'
import sys, h5py, numpy
values = (numpy.arange(7 * 5).reshape(7, 5) * 3) % 11
kinds = {"f2": "<f2", "f4be": ">f4", "f8": "<f8", "c8": "<c8", "c16be": ">c16", "i1": "i1", "i2be": ">i2", "i4": "<i4",
         "i8": "<i8", "u1": "u1", "u2": "<u2", "u4be": ">u4", "u8": "<u8", "bool": "?"}
written = {"c8": "c8", "c16be": "c16", "f8": "f8", "f2": "f4", "f4be": "f4"}
def dataset(name):
    return (values + 1j * values.T.reshape(7, 5) if name[0] == "c" else values).astype(kinds[name])
if sys.argv[1] == "make":
    with h5py.File("types.h5", "w") as file:
        for name in kinds:
            more = {} if name != "c16be" else {"chunks": (3, 2), "compression": "gzip"}
            file.create_dataset("group/" + name, data=dataset(name), **more)
        file["column"] = dataset("f8")[:, 0]
else:
    found = h5py.File("back.h5", "r")[sys.argv[1]][...]
    wanted = dataset("f8")[:, :1] if sys.argv[1] == "column" else dataset(sys.argv[1])
    assert found.dtype == written.get(sys.argv[1], "f8" if sys.argv[1] == "column" else "i4"), found.dtype
    assert numpy.array_equal(found, wanted), (found, wanted)
PY
"$python" datasets.py make || fail "h5py cannot write"
names="bool c16be"
[ $full -eq 0 ] || names="$names f2 f4be f8 c8 i1 i2be i4 i8 u1 u2 u4be u8 column"
for name in $names; do
  dataset=types.h5:/group/$name
  [ $name != column ] || dataset=types.h5:/column
  under $p redistribute $dataset --from skewed:mb=2,nb=2,p=1,q=$p --to cyclic:mb=3,nb=2,p=$p,q=1 --machine none \
    --repeat 1 --output back.h5:/$name
  expect_code 0
  expect_out "All elements are equal" "Written to back.h5:/$name"
  "$python" datasets.py $name || fail "h5py reads something else from $name"
done

under $p redistribute types.h5:/none --to cyclic:mb=3,nb=2,p=$p,q=1
expect_code 2
expect_err "types.h5:/none" "does not exist; the file has /column, /group/bool"
[ $full -eq 1 ] || { verdict; exit; }
under $p redistribute types.h5 --to cyclic:mb=3,nb=2,p=$p,q=1
expect_code 2
expect_err "name a dataset"
under $p redistribute types.h5:/column --to cyclic:mb=3,nb=2,p=$p,q=1 --output here.h5
expect_code 2
expect_err "FILE.h5:/NAME"
verdict
