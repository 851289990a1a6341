# Products of small files on so many processes: counted by the definition, on every shape, by every way.
. "$SUPPORT"
export XDG_CACHE_HOME="$WORK/cache"
known="--machine machine.txt"
p=$1
calibrated $p
market 37 20 a.mtx
market 20 29 b.mtx

# A fast processor and p - 1 slow ones; p = 1: the fast one alone.
slow=$((p - 1))
{
  echo "processor,size,time,energy,count"
  for size in 1 2 3 4 5 7 9 10 13 15 19 20 25 37; do echo "fast,$size,0.0$((100 + size)),$size,1"; done
  if [ "$slow" -gt 0 ]; then
    for size in 1 2 3 4 5 6 7 8 9 10 12; do echo "slow,$size,0.0$((100 + 3 * size)),$((2 * size)),$slow"; done
  fi
} >ranks.csv

under $p gemm a.mtx b.mtx $known --repeat 1 --output c.mtx
expect_code 0
expect_out "37 x 20 by 20 x 29, on $p process" "balance of the compute times" "check" "C is in c.mtx"
checked product a.mtx b.mtx c.mtx

under $p gemm a.mtx b.mtx --profile ranks.csv --compare --verify $known --repeat 2 --output c.mtx --to chunks:mb=3,nb=4,p=$p --json
expect_code 0
expect_out '"name": "p?gemm"' '"name": "stay"' '"interpolated": false' '"chosen":' '"check":' '"difference":' '"k": 20' "\"processes\": $p" '"predicted_compute_seconds"' \
  '"bytes_received"' '"workload_seconds"' '"multiply_volume"'
checked product a.mtx b.mtx c.mtx

[ $full -eq 0 ] || under $p gemm a.mtx b.mtx --profile ranks.csv --shape columns --from skewed:mb=4,nb=4,p=1,q=$p $known --repeat 1 --output c.mtx
expect_code 0
[ $full -eq 0 ] || expect_out "columns *" "minimum time"
checked product a.mtx b.mtx c.mtx

for choice in "energy" "front-point --within-time 10%" "front-point --within-energy 10%" "front-point --knee"; do
  [ $full -eq 1 ] || [ "$choice" = "front-point --knee" ] || continue
  under $p gemm a.mtx b.mtx --profile ranks.csv --objective $choice $known --repeat 1 --output c.mtx
  expect_code 0
  checked product a.mtx b.mtx c.mtx
done
expect_out "J predicted"
{ echo "# modelled: joules are computed, not measured"; cat ranks.csv; } >modelled.csv
if [ $full -eq 1 ]; then
  under $p gemm a.mtx b.mtx --profile modelled.csv --objective energy $known --repeat 1
  expect_code 0
  expect_out "J (modelled, not measured) predicted"
fi
for profile in "ranks.csv false" "modelled.csv true"; do
  [ $full -eq 1 ] || [ $p -eq 1 ] || continue
  under $p gemm a.mtx b.mtx --profile ${profile% *} $known --repeat 1 --json
  expect_code 0
  expect_out "\"modelled\": ${profile#* }"
done
types=z
[ $full -eq 0 ] || types="s c z"
for type in $types; do
  under $p gemm a.mtx b.mtx --type $type $known --repeat 1 --verify --json
  expect_code 0
  expect_out "\"type\": \"$type\""
done

# Sizes between the listed ones: 37 rows are no sum of multiples of 16.
printf 'processor,size,time,count\nx,16,1,%s\nx,48,4,%s\n' $p $p >steps.csv
under $p gemm a.mtx b.mtx --profile steps.csv $known --repeat 1 --output c.mtx --compare --json
expect_code 0
expect_out '"interpolated": true'
checked product a.mtx b.mtx c.mtx
[ "$(tr -d ' \n' <out | grep -o '"rows":[0-9]*' | cut -d: -f2 | awk '{ sum += $1 } END { print sum }')" = 37 ] || fail "the shares are not 37 rows"

# Where reading and sending are slow, rows move until the product is faster by prediction. Elsewhere they stay.
numbers() { tr -d ' \n' <out | grep -o "\"$1\":[-+.0-9e]*" | cut -d: -f2 | tr '\n' ' '; }
if [ "$p" -eq 3 ]; then
  awk 'BEGIN {
    print "processor,size,time,count"
    for (size = 1; size <= 37; size++) print "fast," size "," 0.0005 * size ",1"
    for (size = 1; size <= 37; size++) print "slow," size "," 0.0015 * size ",2"
  }' >even.csv
  # Machines whose links and copies take so many seconds for a byte. Rates without spread are not measured again.
  for machine in "fast 1e-10" "slow 2e-5"; do
    bytes=${machine#* }
    sed -e "s/^\(seconds_per_byte\) .*/\1 $bytes/" -e "s/^\(seconds_per_byte_copied\) .*/\1 $bytes/" \
      -e "s/^\(copy_[0-9a-z]*\) .*/\1 $bytes/" -e 's/^\(solo_time_ratio\) .*/\1 1/' \
      -e 's/^\(spread_[a-z0-9_]*\) .*/\1 0/' -e 's/^busy .*/busy 0/' machine.txt >"${machine% *}.txt"
  done
  under $p gemm a.mtx b.mtx --profile even.csv --machine fast.txt --repeat 1 --json
  expect_code 0
  [ "$(numbers rows)" = "$(numbers rows_by_profile)" ] || fail "rows move though communication is fast: $(numbers rows)"
  under $p gemm a.mtx b.mtx --profile even.csv --machine slow.txt --repeat 1 --output c.mtx --json
  expect_code 0
  checked product a.mtx b.mtx c.mtx
  [ "$(numbers rows)" != "$(numbers rows_by_profile)" ] || fail "rows do not move though communication is slow"
  echo "$(numbers rows)" | awk '{ exit $1 + $2 + $3 != 37 }' || fail "the shares are not 37 rows"
  echo "$(numbers shares_seconds) $(numbers shares_by_profile_seconds)" | awk '{ exit !($1 < $2) }' ||
    fail "the product is not faster by prediction: $(numbers shares_seconds) and $(numbers shares_by_profile_seconds)"
  # A shape that does not exist for other shares keeps the shares of the profile.
  under $p gemm a.mtx b.mtx --profile even.csv --shape block-rectangle --machine slow.txt --repeat 1
  expect_code 0
  # Sizes that are listed stay exact: 37 rows in sizes of 16 and 5.
  printf 'processor,size,time,count\nfast,5,0.0025,1\nfast,16,0.008,1\nslow,5,0.0075,2\nslow,16,0.02,2\n' >few.csv
  under $p gemm a.mtx b.mtx --profile few.csv --machine slow.txt --repeat 1 --json
  expect_code 0
  expect_out '"interpolated": false'
  for rows in $(numbers rows); do case $rows in 5 | 16) ;; *) fail "a share of $rows rows is not listed" ;; esac; done
fi

# From nothing to the product: the profile is measured, and kept if it has a name.
if [ $full -eq 1 ] || [ $p -eq 1 ]; then
  under $p gemm a.mtx b.mtx --measure --profile measured.csv $known --repeat 1 --output c.mtx
  expect_code 0
  expect_out "profile measured.csv"
  checked product a.mtx b.mtx c.mtx
  under $p gemm a.mtx b.mtx --profile measured.csv $known --repeat 1 --json
  expect_code 0
  under 1 gemm a.mtx b.mtx --measure --objective energy
  rejected 2 "--measure measures times"
fi

# A product of one element has fewer parts than there are ranks, and so has its layout where it stays.
market 1 6 row.mtx
market 6 1 col.mtx
under $p gemm row.mtx col.mtx --profile ranks.csv --from cyclic:mb=1,nb=1,p=1,q=1 --to cyclic:mb=1,nb=1,p=1,q=1 $known --repeat 1 \
  --output c.mtx --json
expect_code 0
checked product row.mtx col.mtx c.mtx

# What cannot be: one message, nobody left waiting. Three processes show that as well as others.
if [ "$p" -ne 3 ]; then
  verdict
  exit
fi
under 1 gemm a.mtx
rejected 2 "B is missing"
under 1 gemm a.mtx a.mtx
rejected 2 "37 x 20" "columns of the first"
under $p gemm row.mtx col.mtx
rejected 2 "the product is 1 x 1, with fewer elements than the 3 processes; use mpirun -n 1"
under 1 gemm a.mtx missing.mtx
rejected 2 "missing.mtx"
under 1 gemm a.mtx b.mtx --profile missing.csv
rejected 2 "missing.csv"
under 1 gemm a.mtx b.mtx --shape triangle
rejected 2 "--shape is 'triangle'"
under 1 gemm a.mtx b.mtx --output c.txt
rejected 2 "--output" ".npy"
head -5 machine.txt >cut.txt
under $p gemm a.mtx b.mtx --machine cut.txt
rejected 2 "cut.txt, line 6" "not a calibration"
under 1 gemm a.mtx b.mtx --to cyclic:m=3,n=3,mb=1,nb=1,p=1,q=1
rejected 2 "--to" "37 x 29"
under $p gemm a.mtx b.mtx --from cyclic:mb=4,nb=4,p=$((p + 1)),q=1 --machine unmeasured.txt
rejected 2 "--from" "mpirun -n $((p + 1))"
[ ! -e unmeasured.txt ] || fail "the machine was measured before the layout was checked"
under 1 gemm a.mtx b.mtx --profile ranks.csv --knee
rejected 2 "front-point"
under 1 gemm a.mtx b.mtx --profile ranks.csv --objective front-point
rejected 2 "--knee" "0 are given"
under 1 gemm a.mtx b.mtx --objective energy
rejected 2 "--profile"
printf 'processor,size,time,count\nx,1,1,%s\n' $((p + 1)) >many.csv
under $p gemm a.mtx b.mtx --profile many.csv
rejected 2 "$((p + 1)) processors" "$p ranks"
printf 'processor,size,time,count\nx,8,1,%s\n' $p >holes.csv
under $p gemm a.mtx b.mtx --profile holes.csv
rejected 1 "37 rows" "holes.csv"
under $p gemm a.mtx b.mtx --profile holes.csv --objective energy
rejected 2 "energies"
printf '%%%%MatrixMarket matrix array real general\n20 1\n' >nan.mtx
for row in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do echo 1; done >>nan.mtx
echo nan >>nan.mtx
under $p gemm a.mtx nan.mtx $known --repeat 1 --json
expect_code 1
expect_out '"check": null'
expect_err "not a number"
verdict
