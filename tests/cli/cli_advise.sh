# Advice: what is compared, from which numbers, and beside what it takes in truth.
. "$SUPPORT"
XDG_CACHE_HOME=$WORK/cache
export XDG_CACHE_HOME
slabs=cyclic:m=600,n=600,mb=150,nb=150,p=1,q=4


# Without a measurement the numbers are typical, and that is said.
large=cyclic:m=2400,n=2400,mb=600,nb=600,p=1,q=4
run "$SCALAY" advise --from $large --times 20
expect_code 0
expect_out "Advice for qr, 20 times, on 4 processes" "typical rates, not measured" "mpirun -n 4 scalay calibrate" \
  "owner" "Staying would take" "move it"
run "$SCALAY" advise --from $large --times 20 --json
expect_code 0
expect_out '"kernel": "qr"' '"move": true' '"measured": null' '"file": null' '"name": "owner"' '"predicted": {"move": '
# Few processes, primes, fewer than there are, several kernels; a single one has nowhere to go.
run "$SCALAY" advise --from $slabs --processes 13 --kernel gemm --back --top 3
expect_code 0
expect_out "on 13 processes" "of the move and back"
run "$SCALAY" advise --from cyclic:m=5,n=5,mb=2,nb=2,p=1,q=1 --nb 2 --json
expect_code 0
expect_out '"chosen": "owner"' '"move": false'
run "$SCALAY" advise --from skewed:m=90,n=70,mb=8,nb=8,p=2,q=3 --grid 2x2 --nb 16 --type z
expect_code 0
expect_out "owner" "engine" ":2x2:16"
# Factorisations: the engine beside ScaLAPACK, patterns for prime numbers, and what idle processes would cost.
for kernel in qr lu cholesky; do
  run "$SCALAY" advise --from cyclic:m=700,n=700,mb=32,nb=32,p=1,q=7 --kernel $kernel --times 5 --top 99
  expect_code 0
  expect_out "Advice for $kernel, 5 times, on 7 processes" ":1d1d:" ":pattern:" "engine" \
    "A pattern on all 7 processes" "the best grid with idle processes"
done
expect_out "p?potrf"
# A tile map of more processes than the engine is predicted for cannot stay.
run "$SCALAY" advise --from skewed:m=90,n=70,mb=8,nb=8,p=2,q=3 --processes 1025 --kernel lu
expect_code 0
expect_out "It cannot stay: the source is not block-cyclic"
# A profile: unequal shares, and more ranks on the faster processor where they are as good.
printf 'processor,size,time\nfast,100,1\nslow,100,2\nslower,100,2\n' >speeds.csv
for kernel in qr lu cholesky gemm; do
  run "$SCALAY" advise --from cyclic:m=3000,n=3000,mb=64,nb=64,p=1,q=3 --kernel $kernel --profile speeds.csv --times 5
  expect_code 0
  cp out unequal
  run "$SCALAY" advise --from cyclic:m=3000,n=3000,mb=64,nb=64,p=1,q=3 --kernel $kernel --times 5
  expect_code 0
  expectations=$((expectations + 1))
  if cmp -s out unequal; then fail "--profile changes nothing for $kernel"; fi
  [ $kernel != lu ] || tr '\n' ' ' <unequal >unequal.lu
done
cp unequal.lu out
expect_out "More ranks on the faster processors are as good: 4 ranks"
run "$SCALAY" advise --from $slabs --profile speeds.csv
rejected 2 "speeds.csv has 3 processors; it must have 4"
run "$SCALAY" advise --from cyclic:m=7,n=6,mb=2,nb=2,p=1,q=1 --kernel cholesky
rejected 2 "for a Cholesky factorisation it must be square"

run "$SCALAY" advise --from cyclic:m=1,n=3000,mb=1,nb=10,p=1,q=4 --kernel stencil --times 1000 --top 6
expect_code 0
expect_out "Advice for stencil, 1000 times" "owner" "search"

# Bad input.
run "$SCALAY" advise --from $slabs --kernel stencil
rejected 2 "for a stencil it must have one row or one column"
run "$SCALAY" advise
rejected 2 "--from is missing"
run "$SCALAY" advise --from nonsense
rejected 2 "--from"
run "$SCALAY" advise --from $slabs --kernel svd
rejected 2 "--kernel is 'svd'; it must be one of qr|lu|cholesky|gemm|stencil"
run "$SCALAY" advise --from $slabs --processes 3
rejected 2 "--processes is 3; it must be at least 4"
run "$SCALAY" advise --from cyclic:m=6,n=5,mb=2,nb=2,p=1,q=1 --kernel gemm
rejected 2 "square"
run "$SCALAY" advise --from $slabs --times 0
rejected 2 "--times is '0'"
run "$SCALAY" advise --from $slabs --grid 5x5
rejected 1 "the grid is 5 x 5; it must have at most 4 processes"
run "$SCALAY" advise --from $slabs --any-host
rejected 2 "--any-host goes with --machine"
run "$SCALAY" advise --from $slabs --repeat 2
rejected 2 "--repeat goes with --measure"

# What one run measures the next one finds; a file that is stale or none is refused with the reason.
if [ $full -eq 1 ]; then
  under 3 advise --calibrate --machine kept.txt
  expect_code 0
  expect_out "3 processes: " "stored in kept.txt"
else
  under 3 calibrate --seconds 0.1 --machine kept.txt
  expect_code 0
fi
run "$SCALAY" advise --from cyclic:m=300,n=300,mb=100,nb=100,p=1,q=3 --machine kept.txt
expect_code 0
expect_out "from kept.txt"
run "$SCALAY" advise --from $slabs --machine kept.txt
rejected 2 "kept.txt is stale" "the number of processes was 3, now it is 4" "measure again"
# Latency times bandwidth of what was measured, with any number of processes, chooses the slices of a schedule.
types=d
[ $full -eq 0 ] || types="s d z"
for type in $types; do
  run "$SCALAY" map --from $slabs --to cyclic:mb=40,nb=40,p=2,q=2 --schedule --check --machine kept.txt --type $type --json
  expect_code 0
  case $type in s) size=4 ;; d) size=8 ;; z) size=16 ;; esac
  startup=$(awk -v size=$size '$1 == "seconds_per_message" { m = $2 } $1 == "seconds_per_byte" { b = $2 }
    END { printf "%d", m / (size * b) + 0.5 }' kept.txt)
  expect_out "\"startup\": $startup"
done
run "$SCALAY" map --from $slabs --to cyclic:mb=40,nb=40,p=2,q=2 --schedule --machine kept.txt
expect_out "with slices for a start-up cost of"
sed 's/^cpu .*/cpu Elbrus/' kept.txt >other.txt
run "$SCALAY" map --from $slabs --to cyclic:mb=40,nb=40,p=2,q=2 --schedule --machine other.txt
rejected 2 "other.txt is stale" "the processor was Elbrus"
run "$SCALAY" map --from $slabs --to cyclic:mb=40,nb=40,p=2,q=2 --schedule --machine other.txt --any-host
expect_code 0

# Where processes will be bound is told, when none run.
for cores in 0,0,1,1 0*2,1*2 left,left,right,right; do
  run "$SCALAY" advise --from $slabs --cores $cores --json
  expect_code 0
done
run "$SCALAY" advise --from $slabs --cores 0,1
rejected 2 "--cores has 2 processes" "4 processes that may be used"
run "$SCALAY" advise --from $slabs --cores 0,0,4,1
rejected 2 "on cores 0 to 4"
run "$SCALAY" advise --from $slabs --cores 0,0,1,1 --measure
rejected 2 "--cores is for planning"

run "$SCALAY" advise --from cyclic:m=300,n=300,mb=100,nb=100,p=1,q=3 --machine other.txt
rejected 2 "other.txt is stale" "the processor was Elbrus"
run "$SCALAY" advise --from cyclic:m=300,n=300,mb=100,nb=100,p=1,q=3 --machine other.txt --any-host
expect_code 0
head -5 kept.txt >cut.txt
run "$SCALAY" advise --from cyclic:m=300,n=300,mb=100,nb=100,p=1,q=3 --machine cut.txt
rejected 2 "cut.txt, line 6" "not a calibration"
run "$SCALAY" advise --from $slabs --machine nowhere.txt
rejected 2 "nowhere.txt" "No such file"
under 1 advise --calibrate --machine cut.txt
rejected 2 "cut.txt, line 6"

# Measured beside predicted, with the rates in the cache, which are used without mpirun then.
under 4 calibrate --seconds 0.1
expect_code 0
[ $full -eq 0 ] || under 3 calibrate --seconds 0.2
expect_code 0
under 4 advise --from $slabs --measure --repeat 2 --top 2 --json
expect_code 0
expect_out '"fastest": "' '"measured": {"move": '
expectations=$((expectations + 1))
ls "$XDG_CACHE_HOME"/scalay/machine-*-4.txt >/dev/null || fail "no file in the cache"
run "$SCALAY" advise --from $slabs --json
expect_code 0
expect_out "\"file\": \"$XDG_CACHE_HOME/scalay/machine-"
under 3 advise --from cyclic:m=60,n=60,mb=8,nb=8,p=1,q=3 --kernel cholesky --measure --repeat 1 --top 99
expect_code 0
expect_out "engine" "p?potrf" "Measured (medians of 1)"
if [ $full -eq 1 ]; then
  for type in s d c z; do
    for kernel in qr lu cholesky; do
      under 3 advise --from cyclic:m=60,n=60,mb=8,nb=8,p=1,q=3 --kernel $kernel --type $type --back --measure --repeat 1 \
        --top 99
      expect_code 0
      expect_out "engine" "Measured (medians of 1)"
    done
  done
  under 4 advise --from $slabs --kernel gemm --measure --back --repeat 1 --top 2 --type s
  expect_code 0
  expect_out "measured: move" "Measured (medians of 1)" "owner"
  under 4 advise --from skewed:m=64,n=64,mb=8,nb=8,p=2,q=2 --kernel gemm --measure --repeat 1 --top 2 --type z
  expect_code 0
  expect_out "owner" "SUMMA"
  under 3 advise --from cyclic:m=1,n=30000,mb=1,nb=10,p=1,q=3 --kernel stencil --times 100 --measure --top 3
  expect_code 0
  expect_out "measured: move" "owner"
fi
under 2 advise --from $slabs --measure
rejected 2 "the matrix has 4 processes, mpirun has 2"
verdict
