# On a terminal, what takes longer than two seconds says so; anywhere else it does not.
. "$SUPPORT"
command_line="map on a terminal"
: >err
if ! script -qec true /dev/null >out 2>&1; then
  echo "script(1) is not installed: nothing to run this on"
  exit 0
fi
mkfifo slow.csv quiet.csv profile.csv
(sleep 2.6; printf 'processor,size,time\n1,2,3\n') >profile.csv &
script -qec "'$SCALAY' workload --profile profile.csv --size 2" /dev/null >workload.out 2>&1 </dev/null &
workload=$!
(sleep 2.6; printf '1,2\n3,4\n') >slow.csv &
(sleep 2.6; printf '1,2\n3,4\n') >quiet.csv &
"$SCALAY" map --traffic quiet.csv >quiet.out 2>quiet.err &
quiet=$!
script -qec "'$SCALAY' map --traffic slow.csv" /dev/null >out 2>err </dev/null
code=$?
expect_code 0
expect_out "scalay map: " "(2 s)" "part  process"
wait $quiet
code=$?
expect_code 0
wait $workload
code=$?
expect_code 0
expect_in workload.out "scalay workload: reading profile.csv (2 s)" "minimum time"
expectations=$((expectations + 1))
[ ! -s quiet.err ] || fail "progress without a terminal"
verdict
