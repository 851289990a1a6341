# Profiles on so many processes: what is measured, kept, resumed and refused. What the shell commands that are measured
# do is known; how long they take is not looked at. A command is run by /bin/sh, whose parent is scalay.
. "$SUPPORT"
p=$1
quick="--repetitions 1:2 --max-seconds 5"

# One process needs no mpirun (which takes seconds to say that a process has failed).
measured()
{
  if [ "$p" -eq 1 ]; then run timeout 60 "$SCALAY" profile "$@"; else under $p profile "$@"; fi
}

# rows FILE: the sizes that the profile has, in order, once.
rows() { grep -v '^#' "$1" | sed 1d | cut -d, -f2 | sort -n | uniq | tr '\n' ' '; }
expect_rows()
{
  expectations=$((expectations + 1))
  [ "$(rows "$1")" = "$2" ] || fail "the sizes of $1 are $(rows "$1"), not $2"
}
expect_equal()
{
  expectations=$((expectations + 1))
  [ "$1" = "$2" ] || fail "'$1' is not '$2'"
}

measured --kernel dgemm:n=16 --sizes 8:40:16 $quick --output dgemm.csv --plot dgemm.svg
expect_code 0
expect_out "Profile of dgemm n=16" "hardware threads" "Gflop/s" "median" "spread" "normality" "outliers" \
  "The profile is in dgemm.csv"
expect_file dgemm.csv dgemm.svg dgemm.svg.gp
expect_rows dgemm.csv "8 24 40 "
expect_in dgemm.csv "# kernel dgemm n=16" "# processors $p" "# state complete" "threads=1" "# meter none" \
  "# point p$((p - 1)) size=24 "
run "$SCALAY" workload --profile dgemm.csv --size $((24 * p))
expect_code 0
expect_out "minimum time" "of $p processors"

# From what was measured to the product.
if [ "$p" -gt 1 ]; then
  market 48 16 a.mtx
  market 16 16 b.mtx
  for file in a b; do
    under $p redistribute $file.mtx --to cyclic:mb=4,nb=4,p=$p,q=1 --repeat 1 --output $file.npy
    expect_code 0
  done
  under $p gemm a.npy b.npy --profile dgemm.csv --verify --repeat 1 --output c.npy
  expect_code 0
  expect_out "dgemm.csv, minimum time" "correct: below 1" "difference from the product of p?gemm" "C is in c.npy."
  expect_file c.npy
fi

# Another run has nothing left to do; more sizes are added; --restart measures again.
if [ "$p" -eq 1 ] || [ $full -eq 1 ]; then
  cp dgemm.csv before.csv
  measured --kernel dgemm:n=16 --sizes 40,24,8 $quick --output dgemm.csv --json
  expect_code 0
  expect_out '"kernel": "dgemm n=16"' '"state": "complete"' '"processors": [{"name": "p0"' '"groups": [{"name": "p0"' \
    '"median": ' '"spread": ' '"normality": ' '"outliers": ' '"precise": '
  expect_equal "$(grep -c . dgemm.csv)" "$(grep -c . before.csv)"
  expect_equal "$(grep '^# point' dgemm.csv)" "$(grep '^# point' before.csv)"
  measured --kernel dgemm:n=16 --sizes 16 $quick --output dgemm.csv
  expect_code 0
  expect_rows dgemm.csv "8 16 24 40 "
  measured --kernel dgemm:n=16 --sizes 16 $quick --output dgemm.csv --restart --no-group
  expect_code 0
  expect_rows dgemm.csv "16 "
  expect_equal "$(grep -vc '^#' dgemm.csv)" $((p + 1))
fi

# Without a file the profile itself is printed.
measured --kernel stencil:n=10 --sizes 5,7 $quick --meter model:base=5,flop=1e-9,byte=0 --static-power 5
expect_code 0
expect_out "# kernel stencil n=10" "# modelled" "processor,size,time,energy"
cp out piped.csv
run "$SCALAY" workload --profile piped.csv --size $((7 * p)) --objective energy
expect_code 0

# A meter that stands still is an error, before the work if the static power is to be measured.
if [ $full -eq 1 ]; then
  measured --kernel dgemm:n=16 --sizes 16 $quick --meter 'command:echo 5' --output still.csv
  rejected 2 'the meter "command" stayed at 5 J for 2' "Check the meter"
fi
measured --kernel dgemm:n=16 --sizes 16 $quick --meter 'command:echo 5' --static-power 0 --output still.csv --quiet
rejected 2 "--meter command:echo 5: the meter did not change at any size"

# A meter that counts the executions of all processes: each process' own energy is 1 joule, and together they take p.
# Where all read it at once somebody may have the others' in his.
: >used
measured --kernel 'command:printf x >>used; : %s' --sizes 1,2 --repetitions 5:5 --meter 'command:wc -c <used' \
  --static-power 0 --output joules.csv --shared-meter
expect_code 0
expect_out "joint energy - sum" "differs from their sum by at most +0.00% +- 0.00%"
expectations=$((expectations + 1))
! grep -q "contain the others'" out || fail "it warns of what was avoided"
expect_in joules.csv "# shared meter" "# additive size=1 difference=0 uncertainty=0" "# additive size=2 difference=0 "
expect_equal "$(grep -c '^# point.* energy=1 energy_half_width=0 ' joules.csv)" $((2 * p))
if [ "$p" -eq 1 ] || [ $full -eq 1 ]; then
  measured --kernel 'command:printf x >>used; : %s' --sizes 1,2,3 --repetitions 5:5 --meter 'command:wc -c <used' \
    --static-power 0 --output joules.csv --shared-meter --json
  expect_code 0
  expect_out '"shared_meter": true' '"additive": [{"size": 1, "difference": 0.0, "uncertainty": 0.0}, {"size": 2, ' \
    '{"size": 3, "difference": 0.0, '
  measured --kernel 'command:printf x >>used; : %s' --sizes 1,2 $quick --meter 'command:wc -c <used' --static-power 0 \
    --output joules.csv
  rejected 2 "joules of a meter that was 'shared, one rank after the other', but this run has 'read by all ranks at once'"
  measured --kernel 'command:printf x >>used; : %s' --sizes 1 $quick --meter 'command:wc -c <used' --static-power 0 \
    --output joules.csv --restart
  expect_code 0
  [ "$p" -eq 1 ] || expect_out "the energy of each process contains that of the others. Use --shared-meter"
fi

# Processes that are alike are one group, which the report names; a jump is closed in on.
measured --kernel dgemm:n=16 --sizes 8,16 $quick --precision 900% --output alike.csv
expect_code 0
[ "$p" -eq 1 ] || expect_out "p0 is the group of $p processes with the same function within 900%: p0 p1"
expect_equal "$(grep -vc '^#' alike.csv)" 3
if [ "$p" -eq 1 ]; then
  measured --kernel 'command:test %s -lt 30 || sleep 0.3' --sizes 8:40:16 --repetitions 3:3 --refine 50% --refine-step 4 \
    --output jump.csv
  expect_code 0
  expect_in jump.csv "# point p0 size=28 " "# point p0 size=32 "
fi

# Threads, hardware threads and cores, as lscpu counts them.
if [ "$p" -eq 1 ] && taskset -c 0,1 true 2>err && lscpu -p=CPU,CORE >cpus 2>err && grep -q '^0,' cpus; then
  for cpus in 0 1 0,1; do
    for threads in 1 2; do
      run taskset -c $cpus "$SCALAY" profile --kernel dgemm:n=16 --sizes 8 $quick --threads $threads --output bound.csv --restart
      expect_code 0
      expect_in bound.csv "# processor p0 group=p0 threads=$threads " " binding=$(echo $cpus | tr , -) "
      cores=$(grep "^[$cpus]," cpus | cut -d, -f2 | sort -u | grep -c .)
      grep -q ' cores=0 ' bound.csv || expect_in bound.csv " cores=$cores "
    done
  done
fi

# What is refused before anything is measured.
measured --kernel dgemm:n=17 --sizes 16 $quick --output dgemm.csv
rejected 2 "'dgemm.csv' has the kernel 'dgemm n=16'" "dgemm n=17"
under $((p + 1)) profile --kernel dgemm:n=16 --sizes 16 $quick --output dgemm.csv
rejected 2 "a number of processors of '$p', but this run has '$((p + 1))'"
if [ "$p" -eq 1 ] || [ $full -eq 1 ]; then
  sed 's/threads=1/threads=8/' dgemm.csv >other.csv
  measured --kernel dgemm:n=16 --sizes 16 $quick --output other.csv
  rejected 2 "for p0 a number of threads of '8'"
  sed 's/binding=/binding=99,/' dgemm.csv >other.csv
  measured --kernel dgemm:n=16 --sizes 16 $quick --output other.csv
  rejected 2 "for p0 the binding '99,"
  grep -v '^#' dgemm.csv >other.csv
  measured --kernel dgemm:n=16 --sizes 16 $quick --output other.csv
  rejected 2 "other.csv, line 1" "not a measured profile"
fi
if [ "$p" -eq 1 ]; then
  measured --kernel dgemm:n=16 --sizes 16 $quick --output missing-folder/x.csv
  rejected 3 "missing-folder/x.csv"
  measured --kernel dgemm:n=16 --sizes 16 $quick --output .
  rejected 3 "'.'"
  measured --sizes 16
  rejected 2 "--kernel is missing"
  measured --kernel dgemm:n=16
  rejected 2 "--sizes is missing"
  for sizes in 0 -1 1,,2 1,x 8:4:1 1:2 1:2:0 1:2:3:4 1:x:1 9999999999999999999; do
    measured --kernel dgemm:n=16 --sizes "$sizes"
    expect_code 2
  done
  measured --kernel dgemm:n=16 --sizes 1:2
  rejected 2 "--sizes is '1:2'" "FIRST:LAST:STEP"
  measured --kernel dgemm --sizes 16
  rejected 2 "kernel is 'dgemm'" "dgemm:n=N"
  measured --kernel fft:n=16 --sizes 16
  rejected 2 "library=libfftw3.so.3"
  measured --kernel dgemm:n=16 --sizes 16 --repetitions 5:4
  rejected 2 "--repetitions is '5:4'"
  measured --kernel dgemm:n=16 --sizes 16 --confidence 100%
  rejected 2 "confidence"
  measured --kernel dgemm:n=16 --sizes 16 --refine-step 4
  rejected 2 "--refine-step goes with --refine"
  measured --kernel dgemm:n=16 --sizes 16 --timeout 4
  rejected 2 "--timeout goes with --kernel command:"
  measured --kernel dgemm:n=16 --sizes 16 --static-power 4
  rejected 2 "--static-power goes with --meter"
  measured --kernel dgemm:n=16 --sizes 16 --shared-meter
  rejected 2 "--shared-meter goes with --meter"
  measured --kernel dgemm:n=16 --sizes 16 --restart
  rejected 2 "--restart goes with --output"
  measured --kernel dgemm:n=16 --sizes 16 --meter sundial
  expect_code 2
  expect_err "sundial"
  measured --kernel dgemm:n=16 --sizes 16 --plot x.gif
  rejected 2 "x.gif"
fi

# A kernel that fails at a size, everywhere, on one rank only, or takes too long.
measured --kernel 'command:test %s -ne 2' --sizes 1:3:1 $quick --output holes.csv
expect_code 0
expect_out "hole" "First: size 2 on p0: exit code 1: test 2 -ne 2"
expect_rows holes.csv "1 3 "
expect_in holes.csv "# hole p0 size=2 exit code 1: test 2 -ne 2"
if [ "$p" -eq 1 ] || [ $full -eq 1 ]; then
  measured --kernel 'command:exit %s' --sizes 1:3:1 $quick --output nothing.csv
  rejected 1 "failed at every size on every processor, at size 1 on p0: exit code 1"
  expect_equal "$(ls nothing.csv 2>&1 | grep -c 'No such')" 1
  measured --kernel 'command:sleep 60; : %s' --sizes 1 $quick --timeout 0.1
  rejected 1 "ended after 0.1 seconds"
  measured --kernel 'command:kill -SEGV $$; : %s' --sizes 1 $quick
  rejected 1 "ended by signal 11"
fi
if [ "$p" -gt 1 ]; then
  measured --kernel 'command:test ${OMPI_COMM_WORLD_RANK-$PMI_RANK} -ne 1 || test %s -ne 2' --sizes 1:3:1 \
    $quick --output one.csv
  expect_code 0
  expect_in one.csv "# hole p1 size=2" "# point p0 size=2"
  expect_rows one.csv "1 2 3 "
fi

# Killed at each size in turn, or interrupted, the same command goes on, and measures nothing twice.
kill_at=3
[ "$p" -gt 1 ] || kill_at="1 3"
signals="KILL INT"
[ "$p" -eq 1 ] || [ $full -eq 1 ] || signals=INT
for signal in $signals; do
  for size in $kill_at; do
    rm -f kept.csv log
    touch armed
    command="command:echo %s >>log; if test %s -eq $size && rm armed 2>/dev/null; then kill -$signal \$PPID; sleep 1; fi"
    measured --kernel "$command" --sizes 1:4:1 $quick --output kept.csv
    expectations=$((expectations + 1))
    [ "$code" -ne 0 ] || fail "it was not ended"
    [ $size -eq 1 ] || expect_rows kept.csv "$(seq -s ' ' 1 $((size - 1))) "
    if [ $signal = INT ]; then
      expect_code 1
      [ $size -eq 1 ] || expect_err "interrupted after $((size - 1)) sizes; the same command continues with kept.csv"
      [ $size -eq 1 ] || expect_in kept.csv "# state interrupted"
    fi
    rm -f log
    measured --kernel "$command" --sizes 1:4:1 $quick --output kept.csv
    expect_code 0
    expect_rows kept.csv "1 2 3 4 "
    expect_equal "$(sort -n log | uniq | tr '\n' ' ')" "$(seq -s ' ' $size 4) "
    expect_equal "$(ls | grep -c '\.tmp$')" 0
  done
done

# A product gives each rank what its own group gets, also when the members of a group are no neighbours.
if [ "$p" -eq 3 ]; then
  awk 'BEGIN {
    print "# scalay profile 1"; print "# kernel dgemm n=12"; print "# meter none"; print "# processors 3"
    for (p = 0; p < 3; p++)
      print "# processor p" p " group=p" p % 2 " threads=1 cores=1 binding=0 static_power=0 host=h"
    for (s = 1; s <= 20; s++) for (p = 0; p < 3; p++)
      print "# point p" p " size=" s " time=" s * (1 + p % 2) " time_half_width=0 median=1 deviation=0 normality=nan " \
        "energy=nan energy_half_width=nan repetitions=5 outliers=0 precise=1"
    print "processor,size,time,count"
    for (s = 1; s <= 20; s++) print "p0," s "," s ",2"
    for (s = 1; s <= 20; s++) print "p1," s "," 2 * s ",1" }' >ranks.csv
  market 20 20 a.mtx
  under 3 gemm a.mtx a.mtx --profile ranks.csv --repeat 1 --json
  expect_code 0
  expect_out '"process": 0, "group": 0, "rows": 8' '"process": 1, "group": 1, "rows": 4' \
    '"process": 2, "group": 0, "rows": 8'
  # 8 seconds for 8 rows of 12 x 12; here rows take 20 x 20.
  expect_out '"workload_seconds": 22.2'
  sed 's/kernel dgemm/kernel stencil/' ranks.csv >stencil.csv
  under 3 gemm a.mtx a.mtx --profile stencil.csv --repeat 1
  rejected 2 "stencil.csv has kernel 'stencil n=12'" "scalay profile --kernel dgemm:n=20"
fi

# What disappears on the way: the folder of the file.
if [ "$p" -eq 1 ] || [ $full -eq 1 ]; then
  mkdir gone
  measured --kernel 'command:test %s -lt 2 || rm -rf gone' --sizes 1:3:1 $quick --output gone/x.csv
  rejected 3 "gone/x.csv"
fi

# A disk that is full from the fourth size on: the file keeps the first three.
if [ "$p" -eq 1 ] && command -v prlimit >/dev/null; then
  rm -f full.csv
  run sh -c "trap '' XFSZ; exec '$SCALAY' profile --kernel 'command:test %s -lt 4 || prlimit --pid \$PPID --fsize=100' \
    --sizes 1:6:1 $quick --output full.csv"
  rejected 3 "full.csv" "free space"
  expect_rows full.csv "1 2 3 "
  expect_equal "$(grep -c '^# point' full.csv)" 3
  expect_equal "$(ls | grep -c '\.tmp')" 0
  run "$SCALAY" workload --profile full.csv --size 3
  expect_code 0
fi

# A meter that disappears, at once or hanging: times go on, the reason is said once, and the next run measures the rest.
if [ "$p" -eq 1 ] || [ $full -eq 1 ]; then
  for way in 'exit 7' 'sleep 100'; do
    [ "$full $way" != '0 sleep 100' ] || continue # it takes seconds
    rm -f gone joules.csv
    set -- --kernel 'command:test %s -lt 2 -o -e back || >gone' --repetitions 2:2 --meter \
      "command:test ! -e gone -o -e back || $way; date +%s%N" --static-power 0 --output joules.csv
    SECONDS_BEFORE=$(date +%s)
    measured --sizes 1:6:1 "$@"
    expect_code 0
    expect_out "The meter failed at $((5 * p)) points, so the profile has times only. First: size 2 on p0: "
    expect_equal "$(grep -c 'The meter failed' out)" 1
    expect_in joules.csv "# no energy p0 size=2 " "# no energy p$((p - 1)) size=6 "
    expect_equal "$(grep -v '^#' joules.csv | head -1 | grep -c energy)" 0
    expectations=$((expectations + 1))
    [ $(($(date +%s) - SECONDS_BEFORE)) -lt 40 ] || fail "a meter that has hung was asked again and again"
    touch back
    measured --sizes 1:6:1 "$@"
    expect_code 0
    expect_equal "$(grep -c 'no energy' joules.csv)" 0
    rm back
  done
fi

# On a terminal it says how far it is.
if [ $full -eq 1 ] && script -qec true /dev/null >out 2>&1; then
  run script -qec "'$SCALAY' profile --kernel 'command:sleep 1.05; : %s' --sizes 1,2 --repetitions 1:1 --output t.csv" \
    /dev/null </dev/null
  expect_code 0
  expect_out "scalay profile: size 2, 1 of 2 done" "50%, about" "s left"
fi
verdict
