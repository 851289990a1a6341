# The main job on small files on so many processes: recounted volumes, R checked against the matrix.
. "$SUPPORT"
known="--machine machine.txt"
p=$1
calibrated $p
first=
[ "$p" -eq 1 ] || first=$known
market 60 40 tall.mtx
market 25 45 wide.mtx

under $p qr tall.mtx --from skewed:mb=8,nb=8,p=1,q=$p $first --repeat 1 --output-r r.mtx --json
expect_code 0
checked job qr $p skewed:m=60,n=40,mb=8,nb=8,p=1,q=$p out
checked gram tall.mtx r.mtx
expect_out '"skipped": [{"name": "owner"'

under $p qr wide.mtx --from chunks:mb=5,nb=5,p=$p --nb 4 --grid 1x1 $known --repeat 1 --output-r r.mtx --json
expect_code 0
expect_out '"grid": [1, 1], "mb": 4, "nb": 4'
checked job qr $p chunks:m=25,n=45,mb=5,nb=5,p=$p out
checked gram wide.mtx r.mtx

# Where the matrix is block-cyclic the owner strategy runs, and nothing moves.
under $p qr tall.mtx --from cyclic:mb=8,nb=8,p=$p,q=1 $known --repeat 1 --json
expect_code 0
expect_out '"name": "owner"'
checked job qr $p cyclic:m=60,n=40,mb=8,nb=8,p=$p,q=1 out

under $p qr tall.mtx $known --repeat 2 --objective volume --plot job
expect_code 0
expect_out "QR factorisation of tall.mtx on $p process" "owner cannot run" "volume *" "of the elements" \
  "residual" "orthogonality" "medians of 2"
expect_file job-before.svg job-after.svg job-traffic.svg job-times.svg
if [ $full -eq 1 ]; then
  under $p qr tall.mtx $known --repeat 1 --plot job.png
  expect_code 0
  expect_file job.png job.png.gp
fi

# A profile: the engine works on a map for its speeds.
awk -v p="$p" 'BEGIN { print "processor,size,time"; for (k = 1; k <= p; k++) print "p" k ",16," k }' >ranks.csv
under $p qr tall.mtx --profile ranks.csv --map 1d1d --nb 4 $known --repeat 1 --json
expect_code 0
expect_out '"name": "own"' '"map": "1d1d"'
checked job qr $p - out

types=z
[ $full -eq 0 ] || types="s z"
for type in $types; do
  under $p qr tall.mtx --type $type $known --repeat 1 --json
  expect_code 0
  expect_out "\"type\": \"$type\""
done
# The default source has the grid and blocks of p?geqrf on the machine: slow processes with fast messages are all used,
# unless they have one core together.
sed -e 's/^\(seconds_per_message[a-z_]*\) .*/\1 1e-09/' -e 's/^\(seconds_per_flop[a-z_]*\|gemm_.*\|vector_.*\) .*/\1 1e-08/' \
  machine.txt >slow.txt
under $p qr tall.mtx --machine slow.txt --repeat 1 --json
expect_code 0
digits='\([0-9]*\)'
canonical=$(sed "s/.*\"canonical\", \"grid\": \[$digits, $digits\], \"mb\": $digits, \"nb\": $digits,.*/mb=\3,nb=\4,p=\1,q=\2/" out)
expect_out "\"source\": \"skewed:$canonical,"
[ "$p" -eq 1 ] || [ "$(nproc)" -eq 1 ] || [ "${canonical#*,p=}" != 1,q=1 ] || fail "one process of $p is used"
under $p qr tall.mtx --grid 1x$((p + 1)) --machine unmeasured.txt
rejected 1 "the grid is 1 x $((p + 1))"
[ ! -e unmeasured.txt ] || fail "the machine was measured before the grid was checked"
verdict
