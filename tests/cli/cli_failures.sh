# What can go wrong under mpirun: one message, the right exit code, nobody left waiting.
. "$SUPPORT"
market 12 12 a.mtx
to=cyclic:mb=4,nb=4,p=2,q=1

under 2 redistribute a.mtx
rejected 2 "--to LAYOUT is missing"
under 2 redistribute --to $to
rejected 2 "FILE is missing"
under 2 redistribute a.mtx --too $to
rejected 2 "did you mean --to?"
under 2 redistribute missing.mtx --to $to
rejected 2 "missing.mtx" "No such file"
under 2 redistribute . --to $to
rejected 2 "'.'"
under 2 redistribute a.mtx --to cyclic:mb=4,nb=4,p=2,q=2
rejected 2 "4 processes" "at most the 2 of mpirun" "mpirun -n 4"
under 2 redistribute a.mtx --to cyclic:m=5,n=5,mb=4,nb=4,p=2,q=1
rejected 2 "5 x 5" "12 x 12"
under 2 redistribute a.mtx --to cyclic:mb=0,nb=4,p=2,q=1
rejected 2 "--to" "mb"
under 2 redistribute a.mtx --to $to --output r.txt
rejected 2 "--output" "r.txt" ".npy"
under 2 redistribute a.mtx --to $to --output missing-folder/r.npy
rejected 3 "missing-folder/r.npy"
under 2 redistribute a.mtx --to $to --repeat 0
rejected 2 "--repeat is '0'"
under 2 redistribute a.mtx --to $to --type q
rejected 2 "--type is 'q'"
under 2 redistribute a.mtx --to $to --memory 4095
rejected 2 "--memory is 4095" "4096"
for memory in 9G9 K -1 9999999999G 1.5M; do
  under 2 redistribute a.mtx --to $to --memory $memory
  rejected 2 "--memory is '$memory'" "64K"
done
under 2 redistribute a.mtx --to $to --op t
rejected 2 "--op is 't'" "N|T|C"
under 2 redistribute a.mtx --to $to --transport pigeon
rejected 2 "--transport is 'pigeon'" "shared"
under 2 redistribute a.mtx --to $to --plot x.gif
rejected 2 "x.gif"
under 2 qr a.mtx --grid 2
rejected 2 "--grid is '2'" "2x2"
under 2 qr a.mtx --grid 2x
rejected 2 "--grid is '2x'"
under 2 qr a.mtx --grid 2x2
rejected 1 "2"
under 2 qr a.mtx --nb 99999999999
rejected 2 "--nb"
under 2 qr a.mtx --plot x.gif
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
under 2 qr short.npy
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
