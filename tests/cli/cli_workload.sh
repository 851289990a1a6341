# Distributions: every printed solution is recounted from the profile, and compared with plain dynamic programming.
. "$SUPPORT"

# generate SEED GROUPS SIZES DENSITY COUNTS: a profile with drops and holes; DENSITY is in percent.
generate()
{
  awk -v seed="$1" -v groups="$2" -v sizes="$3" -v density="$4" -v counts="$5" '
    function random() { state = (state * 1103515245 + 12345) % 2147483648; return int(state / 65536) }
    BEGIN {
      state = seed
      for (k = 0; k < 20; k++) random()
      print "# seed " seed; print "size,energy,processor,time" (counts ? ",count" : "")
      for (g = 0; g < groups; g++) {
        count = counts ? 1 + random() % counts : 1; slow = 1 + random() % 5; hungry = 1 + random() % 5; rows = 0
        for (x = 1; x <= sizes; x++)
          if (random() % 100 < density || (x == sizes && rows == 0)) {
            rows++
            printf "%d,%d.%02d,p%d,%.3f%s\n", x, hungry * x + random() % 7, 25 * (random() % 4), g,
              (slow * x + random() % 9) / 8, counts ? "," count : ""
          }
      }
    }'
}

# solved CHECK-ARGUMENTS: scalay's answer in `out` has exit code 0 or 1 and is right.
solved()
{
  expectations=$((expectations + 1))
  [ "$code" -le 1 ] || fail "exit code $code"
  grep -q "\"feasible\": $([ "$code" -eq 0 ] && echo true || echo false)" out || fail "\"feasible\" and the exit code differ"
  [ "$code" -eq 0 ] || expect_err "p.csv"
  checked workload p.csv "$@"
}

seeds="3 5"
[ $full -eq 0 ] || seeds="1 2 3 4 5 6 7 8 9 10 11 12"
for seed in $seeds; do
  generate $seed $((seed % 4 + 1)) $((seed % 7 + 4)) $((seed * 37 % 80 + 20)) $((seed % 3 * 2)) >p.csv
  for n in 0 1 $((seed + 3)) $((seed * 7 % 31)) 400; do
    for objective in time energy front; do
      run "$SCALAY" workload --profile p.csv --size $n --objective $objective --json
      solved $objective $n out
    done
    run "$SCALAY" workload --profile p.csv --size $n --objective total-front --base-power 2.5 --json
    solved total-front $n out power 2.5
  done
done

# ask_method N OBJECTIVE METHOD [OPTIONS]: a method's answer is right, and it says which method it is of.
ask_method()
{
  n=$1 objective=$2 method=$3
  shift 3
  case $objective in total-front) power="--base-power 3" facts="power 3" ;; *) power='' facts='' ;; esac
  run "$SCALAY" workload --profile p.csv --size $n --objective $objective $power --method $method "$@" --json
  case "$*" in
  *--knee*) facts="$facts by knee" ;;
  *--within-time*) facts="$facts by within-time share 0.05" ;;
  *--within-energy*) facts="$facts by within-energy share 0.05" ;;
  *--comm*) facts="$facts comm ${2} variant ${4}" ;;
  esac
  case "$method $*" in eopta*--published*) facts="$facts exact no" ;; esac
  solved $objective $n out $facts
  expect_out "\"method\": \"$method\""
}

# Every method answers, and the exact ones are right, whether there is a distribution or not; some are for identical
# processors only. p.csv has sizes 3 and 6 to 9 of three groups, then of one.
for groups in 3 1; do
  generate 5 $groups 9 100 2 | awk -F, 'NR < 3 || $1 == 3 || $1 > 5' >p.csv
  totals="17 5"
  [ $full -eq 0 ] || totals="17 5 0 1000"
  for n in $totals; do
    for method in auto hpopta; do ask_method $n time $method; done
    ask_method $n energy auto
    ask_method $n front auto
    for published in "" --published; do
      ask_method $n front hepopta $published
      ask_method $n total-front htpopta $published
    done
    [ $groups = 1 ] || continue
    for method in popta hipopta; do ask_method $n time $method; done
    for published in "" --published; do ask_method $n energy eopta $published; done
    ask_method $n front aleph
  done
  for chosen in --knee "--within-time 5%" "--within-energy 5%"; do
    ask_method 17 front hepopta $chosen
    ask_method 17 total-front htpopta $chosen
    [ $groups = 3 ] || ask_method 17 front aleph $chosen
  done
  run "$SCALAY" workload --profile p.csv --size 5
  rejected 1 "5 units cannot be distributed" "p.csv"
  for objective in energy front; do
    run "$SCALAY" workload --profile p.csv --size 5 --objective $objective
    rejected 1 "5 units cannot be distributed" "p.csv"
  done
  run "$SCALAY" workload --profile p.csv --size 5 --objective total-front --base-power 3 --knee
  rejected 1 "5 units cannot be distributed" "p.csv"
done
printf 'processors,cost\n1,0.5\n2,0.25\n3,1\n' >c.csv
for n in 5 17; do
  for objective in time energy; do
    for variant in exact atmost; do ask_method $n $objective auto --comm c.csv --comm-variant $variant; done
  done
done
for method in even cpm fpm; do
  generate 5 3 9 100 2 >p.csv
  for n in 0 17 1000; do ask_method $n time $method; done
done
printf 'processor,size,time\na,3,1\na,5,2\nb,5,2\n' >p.csv
run "$SCALAY" workload --profile p.csv --size 8 --method even
rejected 2 "even" "auto"
generate 5 1 9 70 6 >p.csv
for method in auto popta hpopta hipopta; do ask_method 17 time $method; done
ask_method 17 energy eopta
# As published, EOPTA tries convex points only: 18 where 13 is possible (docs/workload.md).
printf 'processor,size,time,energy,count\n' >convex.csv
size=0
for energy in 10 12 3 18 23 4; do
  size=$((size + 1))
  echo "p,$size,1,$energy,2" >>convex.csv
done
run "$SCALAY" workload --profile convex.csv --size 4 --objective energy --method eopta --json
checked workload convex.csv energy 4 out
expect_out '"energy": 13.0'
run "$SCALAY" workload --profile convex.csv --size 4 --objective energy --method eopta --published --json
checked workload convex.csv energy 4 out exact no
expect_out '"energy": 18.0'
run "$SCALAY" workload --profile convex.csv --size 4 --objective front --method hepopta --published --json
checked workload convex.csv front 4 out
run "$SCALAY" workload --profile convex.csv --size 4 --published
rejected 2 "--published goes with --method eopta"
for method in hepopta aleph; do ask_method 17 front $method; done
ask_method 17 total-front htpopta

# The worked example of the paper of HEPOPTA.
cat >p.csv <<PROFILE
processor,size,time,energy
0,2,2,1
0,1,5,3
0,3,6,5
0,4,5,6
1,2,6,1
1,1,3,2
1,3,2,6
1,4,4,9
2,2,2,4
2,1,1,5
2,4,5,7
2,3,3,8
3,1,1,1
3,3,2,6
3,2,3,7
3,4,6,8
PROFILE
run "$SCALAY" workload --profile p.csv --size 4 --objective front --json
solved front 4 out
expect_out '"front": [{"time": 2.0, "energy": 5.0,' '{"time": 3.0, "energy": 4.0,' '{"time": 6.0, "energy": 2.0,'
run "$SCALAY" workload --profile p.csv --size 4 --objective front --knee
expect_code 0
expect_out "4 units on 4 processors: front of time and dynamic energy" "point" "1 *" "Point 1, selected by --knee" \
  "Load balancing (fpm) takes" "processor without units"

# A point of a front is chosen.
generate 77 3 12 80 2 >p.csv
shares=5
[ $full -eq 0 ] || shares="0 5 20 1000"
for share in $shares; do
  for choice in within-time within-energy; do
    run "$SCALAY" workload --profile p.csv --size 24 --objective front --$choice $share% --json
    solved front 24 out by $choice share "$(awk -v s=$share 'BEGIN { printf "%.17g", s / 100 }')"
    run "$SCALAY" workload --profile p.csv --size 24 --objective total-front --base-power 1 --$choice $share% --json
    solved total-front 24 out power 1 by $choice share "$(awk -v s=$share 'BEGIN { printf "%.17g", s / 100 }')"
  done
done
run "$SCALAY" workload --profile p.csv --size 24 --objective front --within-time 0.5 --json
solved front 24 out by within-time share 0.5
for n in 1 5 24; do
  run "$SCALAY" workload --profile p.csv --size $n --objective front --knee --json
  solved front $n out by knee
done

# With communications.
printf 'processors,cost\n1,0.5\n2,0.25\n3,1\n4,0.125\n6,2\n' >c.csv
seeds=2
totals=13
[ $full -eq 0 ] || seeds="1 2 3 4" totals="1 5 13"
for seed in $seeds; do
  generate $seed 3 8 80 3 >p.csv
  for n in $totals; do
    for objective in time energy; do
      for variant in exact atmost; do
        for cost in c.csv hockney:alpha=1e-5,beta=1e-9,block=64; do
          run "$SCALAY" workload --profile p.csv --size $n --objective $objective --comm $cost --comm-variant $variant --json
          solved $objective $n out comm $cost variant $variant
        done
      done
    done
  done
done
run "$SCALAY" workload --profile p.csv --size 13 --comm hockney:block=64,beta=1e-9,alpha=1e-5
expect_code 0
expect_out "communication" "total  "
run "$SCALAY" workload --profile p.csv --size 0 --comm c.csv --json
solved time 0 out comm c.csv

# Times alone; one processor; many: a histogram beyond 100,000.
printf 'processor,size,time\na,1,1\na,3,2\nb,2,5\n' >p.csv
run "$SCALAY" workload --profile p.csv --size 5 --json
solved time 5 out
run "$SCALAY" workload --profile p.csv --size 5
expect_out "5 units on 2 processors: minimum time" "time    5 s" "active  2 of 2 processors"
for size in 4 7; do
  run "$SCALAY" workload --profile p.csv --size $size
  rejected 1 "$size units cannot be distributed" "p.csv"
done
expect_err "largest feasible total is 5"
counts="100001 1000000000000"
[ $full -eq 0 ] || counts="100000 $counts"
for count in $counts; do
  printf "processor,size,time,energy,count\nx,3,1,2,$count\nx,5,2,2.5,$count\ny,4,1.5,1,7\n" >p.csv
  for objective in time energy front; do
    run "$SCALAY" workload --profile p.csv --size 3000 --objective $objective --json
    solved $objective 3000 out
  done
done
run "$SCALAY" workload --profile p.csv --size 3000000000000
expect_code 0
expect_out "on 1000000000007 processors in 2 groups"
run "$SCALAY" workload --profile p.csv --size 1000000000000000000 --json
expect_code 1
expect_out '"nearest": {"below": 5000000000028, "above": null}'
run "$SCALAY" workload --profile p.csv --size 9223372036854775807
rejected 2 "9223372036854775807" "2^60"

# Names of any bytes: what is printed and drawn is UTF-8.
printf 'processor,size,time,energy,count\nx\377y,3,1,2,100001\n\303\244|b,4,1.5,1,7\n' >p.csv
run "$SCALAY" workload --profile p.csv --size 34 --json
expect_code 0
expect_out '"processor": "x?y"' "\"processor\": \"$(printf '\303\244')|b\""
run "$SCALAY" workload --profile p.csv --size 34 --plot names.svg
expect_code 0
expect_out "x?y" "$(printf '\303\244/b')"
expect_in names.svg "x?y" "$(printf '\303\244|b')"

# A front of many points on many processors is printed point by point.
generate 9 60 40 90 0 >p.csv
run "$SCALAY" workload --profile p.csv --size 500 --objective front --json
solved front 500 out
run "$SCALAY" workload --profile p.csv --size 500 --objective front --within-energy 5%
expect_code 0
expect_out "points; --json has all of them" "by --within-energy"

# Balancing the load, which is only there to compare, does not hold up an answer.
printf 'processor,size,time,energy,count\n' >p.csv
awk 'BEGIN { for (g = 0; g < 3; g++) for (x = 1; x <= 100; x++)
  print "g" g "," x "," x * (g + 1) + x * 37 % 11 "," x * (3 - g) + x * 41 % 7 ",20000" }' >>p.csv
run timeout 60 "$SCALAY" workload --profile p.csv --size 3000000 --objective front --knee
expect_code 0
expect_out "Point" "selected by --knee"

# Pictures.
generate 12 30 20 80 2 >p.csv
run "$SCALAY" workload --profile p.csv --size 100 --plot time.svg
expect_code 0
run "$SCALAY" workload --profile p.csv --size 100 --objective total-front --base-power 5 --knee --json --plot front.png
expect_code 0
expect_file time.svg time.svg.gp front.png front.png.gp
expectations=$((expectations + 1))
grep -q "load balanced" front.png.gp && grep -q "12 of 30 groups" front.png.gp || fail "front.png.gp lacks something"

# Joules that were computed are said to be wherever they are printed or drawn.
{ echo "# modelled: joules are computed, not measured"; cat p.csv; } >modelled.csv
for objective in time front; do
  run "$SCALAY" workload --profile modelled.csv --size 100 --objective $objective --plot modelled.svg
  expect_code 0
  expect_out "The energies come from a model; they are not measured."
  expectations=$((expectations + 1))
  grep -q "energies by a model" modelled.svg.gp && grep -q "dynamic energy, modelled" modelled.svg.gp || fail "modelled.svg.gp"
  run "$SCALAY" workload --profile modelled.csv --size 100 --objective $objective --json
  expect_out '"modelled": true'
  run "$SCALAY" workload --profile p.csv --size 100 --objective $objective --json
  expect_out '"modelled": false'
done
run "$SCALAY" workload --profile p.csv --size 100
expectations=$((expectations + 1))
grep -q "model" out && fail "measured joules are called modelled"

# Wrong questions.
w="workload --profile p.csv --size 9"
run "$SCALAY" workload --size 9
rejected 2 "--profile is missing"
run "$SCALAY" workload --profile p.csv
rejected 2 "--size is missing"
for size in -1 1.5 x 9223372036854775808 '' 1e3; do
  run "$SCALAY" workload --profile p.csv --size "$size"
  rejected 2 "--size is '$size'" "integer from 0"
done
run "$SCALAY" $w --size 9
rejected 2 "--size is given twice"
run "$SCALAY" $w --objective fastest
rejected 2 "--objective is 'fastest'" "time|energy|front|total-front"
run "$SCALAY" $w --objective total-front
rejected 2 "--base-power"
run "$SCALAY" $w --base-power 5
rejected 2 "--base-power goes with --objective total-front"
for power in -1 nan inf 1e999 0x10 5W ''; do
  run "$SCALAY" $w --objective total-front --base-power "$power"
  rejected 2 "--base-power is '$power'"
done
for share in -1 x % 5%% 5percent inf nan% ''; do
  run "$SCALAY" $w --objective front --within-time "$share"
  rejected 2 "--within-time is '$share'" "5%"
done
for share in 5 1; do
  run "$SCALAY" $w --objective front --within-time $share
  rejected 2 "--within-time is '$share'; it must be a fraction below 1 or a percentage. Write $share%"
done
run "$SCALAY" $w --objective front --within-time 5% --knee
rejected 2 "give one of them"
run "$SCALAY" $w --within-energy 5%
rejected 2 "--within-energy selects a point of a front"
run "$SCALAY" $w --method poptaa
rejected 2 "'poptaa'" "did you mean popta?"
run "$SCALAY" $w --method zzzzzzzzzz
rejected 2 "--help"
run "$SCALAY" $w --method paraleph
rejected 2 "scalay_published_paraleph()"
run "$SCALAY" $w --method eopta
rejected 2 "eopta"
run "$SCALAY" $w --objective energy --method hpopta
rejected 2 "hpopta"
run "$SCALAY" $w --method popta
rejected 2 "popta"
run "$SCALAY" $w --comm-variant exact
rejected 2 "add --comm"
run "$SCALAY" $w --objective front --comm c.csv
rejected 2 "--comm goes with"
for comm in hockney: hockney:alpha=1 hockney:alpha=1,beta=2 hockney:alpha=1,beta=2,block=0 hockney:alpha=1,beta=2,block=1.5 \
  hockney:alpha=-1,beta=2,block=1 hockney:alpha=1,alpha=1,beta=2,block=1 hockney:alpha=1,beta=x,block=1 \
  hockney:alpha=1,beta=2,block=1, hockney:gamma=1; do
  run "$SCALAY" $w --comm $comm
  rejected 2 "--comm has"
done
run "$SCALAY" $w --comm missing.csv
rejected 2 "--comm" "missing.csv" "No such file"
printf 'processors,cost\n1,-1\n' >bad.csv
run "$SCALAY" $w --comm bad.csv
rejected 2 "bad.csv, line 2" "-1"
printf 'processors,cost\n999,1\n' >bad.csv
run "$SCALAY" $w --comm bad.csv
rejected 1 "9 units cannot be distributed over any number of processors in --comm"
run "$SCALAY" $w --plot x.gif
rejected 2 "x.gif"
run "$SCALAY" $w --plot missing-folder/x.svg
rejected 3 "missing-folder"
run "$SCALAY" $w surplus
rejected 2 "surplus"

# Wrong profiles: exit code 2, and a message with file, line and field. The reader's own tests have many more.
refused()
{
  printf "$1" >bad.csv
  shift
  run "$SCALAY" workload --profile bad.csv --size 3
  rejected 2 "bad.csv" "$@"
}
refused '' "the file is empty"
refused 'processor,size\na,1\n' "time"
refused 'processor,size,time\n' "no rows"
refused 'processor,size,time\na,1,2\na,1,3\n' "line 3"
refused 'processor,size,time\na,0,2\n' "line 2" "size"
refused 'processor,size,time\na,1,-2\n' "line 2" "time" "-2"
refused 'processor,size,time\na,1,nan\n' "line 2" "time" "nan"
refused 'processor,size,time,energy\na,1,2,inf\n' "line 2" "energy" "inf"
refused 'processor,size,time\na,1\n' "line 2"
refused 'processor,size,time,count\na,1,2,0\n' "line 2" "count"
run "$SCALAY" workload --profile missing.csv --size 3
rejected 2 "missing.csv" "No such file"
printf 'processor,size,time\na,1,1\n' >t.csv
for objective in energy front; do
  run "$SCALAY" workload --profile t.csv --size 1 --objective $objective
  rejected 2 "needs energies" "t.csv" "energy"
done

# A full disk and a reader that has gone.
if [ -w /dev/full ]; then
  for options in "" --json "--objective front" "--objective front --json"; do
    command_line="workload $options > /dev/full"
    "$SCALAY" $w $options >/dev/full 2>err
    code=$?
    : >out
    rejected 3 "cannot write to the standard output"
  done
fi
command_line="workload >&-"
"$SCALAY" $w >&- 2>err
code=$?
: >out
rejected 3 "standard output is closed"
command_line="workload --json > a pipe whose reader has gone"
mkfifo pipe
: <pipe &
exec 3>pipe
wait $!
"$SCALAY" $w --objective front --json >&3 2>err
code=$?
exec 3>&-
expectations=$((expectations + 1))
[ "$code" -eq 0 ] && [ ! -s err ] || fail "a closed pipe is an error: exit code $code"
verdict
