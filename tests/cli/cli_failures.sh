# What can go wrong under mpirun: one message, the right exit code, nobody left waiting.
. "$SUPPORT"
market 12 12 a.mtx
to=cyclic:mb=4,nb=4,p=2,q=1

# Wrong options are found before communication: one process shows that as well as two.
options()
{
  if [ $full -eq 1 ]; then under 2 "$@"; else under 1 "$@"; fi
}

# Started by the mpirun of another MPI, of which a process sees the variables only.
run env OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_RANK=0 timeout 60 "$SCALAY" redistribute a.mtx --to $to
rejected 2 "has started 3 processes, but each is alone" "another MPI"
options redistribute a.mtx
rejected 2 "--to LAYOUT is missing"
options redistribute --to $to
rejected 2 "FILE is missing"
options redistribute a.mtx --too $to
rejected 2 "did you mean --to?"
options redistribute missing.mtx --to $to
rejected 2 "missing.mtx" "No such file"
options redistribute . --to $to
rejected 2 "'.'"
under 2 redistribute a.mtx --to cyclic:mb=4,nb=4,p=2,q=2
rejected 2 "4 processes" "at most the 2 of mpirun" "mpirun -n 4"
under 2 redistribute a.mtx --to cyclic:m=5,n=5,mb=4,nb=4,p=2,q=1
rejected 2 "5 x 5" "12 x 12"
options redistribute a.mtx --to cyclic:mb=0,nb=4,p=2,q=1
rejected 2 "--to" "mb"
options redistribute a.mtx --to $to --output r.txt
rejected 2 "--output" "r.txt" ".npy"
under 2 redistribute a.mtx --to $to --output missing-folder/r.npy
rejected 3 "missing-folder/r.npy"
options redistribute a.mtx --to $to --repeat 0
rejected 2 "--repeat is '0'"
options redistribute a.mtx --to $to --type q
rejected 2 "--type is 'q'"
options redistribute a.mtx --to $to --memory 4095
rejected 2 "--memory is 4095" "4096"
for memory in 9G9 K -1 9999999999G 1.5M; do
  options redistribute a.mtx --to $to --memory $memory
  rejected 2 "--memory is '$memory'" "64K"
done
options redistribute a.mtx --to $to --op t
rejected 2 "--op is 't'" "N|T|C"
options redistribute a.mtx --to $to --transport pigeon
rejected 2 "--transport is 'pigeon'" "shared"
options redistribute a.mtx --to $to --plot x.gif
rejected 2 "x.gif"
options qr a.mtx --grid 2
rejected 2 "--grid is '2'" "2x2"
options qr a.mtx --grid 2x
rejected 2 "--grid is '2x'"
under 2 qr a.mtx --grid 2x2
rejected 1 "2"
options qr a.mtx --nb 99999999999
rejected 2 "--nb"
options qr a.mtx --plot x.gif
rejected 2 "x.gif"

# A file that is damaged, one that is complex, one with a NaN.
printf '%%%%MatrixMarket matrix array real general\n2 2\n1\n2\nx\n4\n' >bad.mtx
under 2 qr bad.mtx
rejected 2 "bad.mtx"
printf '%%%%MatrixMarket matrix array complex general\n1 1\n1 2\n' >complex.mtx
under 2 redistribute complex.mtx --to $to --type d
rejected 2 "complex"
printf '%%%%MatrixMarket matrix array real general\n2 1\n1\nnan\n' >nan.mtx
under 2 qr nan.mtx --repeat 1
expect_code 1
expect_err "not a number"
printf '\223NUMPY\001\000' >short.npy
options qr short.npy
rejected 2 "short.npy"

# One rank alone is told something wrong: all end, with its message.
run timeout 60 $MPIEXEC 1 "$SCALAY" redistribute a.mtx --to $to : -n 1 "$SCALAY" redistribute a.mtx --to tiles:missing.txt
rejected 2 "the ranks disagree about the command line"
run timeout 60 $MPIEXEC 1 "$SCALAY" redistribute a.mtx --to $to : -n 1 "$SCALAY" redistribute a.mtx --too $to
rejected 2 "rank 1: " "--too"
run timeout 60 $MPIEXEC 1 "$SCALAY" redistribute a.mtx --help : -n 1 "$SCALAY" redistribute a.mtx --to $to
rejected 2 "disagree"

# Without mpirun there is one process.
run timeout 60 "$SCALAY" redistribute a.mtx --to cyclic:mb=4,nb=4,p=1,q=1 --repeat 1
expect_code 0
if [ -w /dev/full ]; then
  command_line="redistribute > /dev/full"
  timeout 60 "$SCALAY" redistribute a.mtx --to cyclic:mb=4,nb=4,p=1,q=1 --repeat 1 >/dev/full 2>err
  code=$?
  : >out
  rejected 3 "cannot write to the standard output"
fi
# An older file stays when the new one cannot be made.
printf 'old' >keep.npy
chmod 444 keep.npy
under 2 redistribute bad.mtx --to cyclic:mb=1,nb=1,p=2,q=1 --output keep.npy
expect_code 2
expectations=$((expectations + 1))
[ "$(cat keep.npy)" = old ] || fail "keep.npy has changed"
verdict
