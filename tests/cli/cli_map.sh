# Mappings: costs, optimality, schedules, all recounted from what is printed.
. "$SUPPORT"

skewed=skewed:m=512,n=384,mb=64,nb=64,p=2,q=2
cyclic=cyclic:m=512,n=384,mb=64,nb=64,p=2,q=2
for objective in volume steps steps-volume volume-steps canonical; do
  run "$SCALAY" map --from $skewed --to $cyclic --objective $objective --schedule --check --json
  expect_code 0
  checked map $skewed $cyclic $objective out
done

# Other extents are filled in from --from; unequal numbers of processes, offsets, shapes, chunks.
run "$SCALAY" map --from $skewed --to cyclic:mb=64,nb=64,p=2,q=2 --json
expect_code 0
checked map $skewed $cyclic steps-volume out
while read -r from to; do
  objectives=steps-volume
  [ $full -eq 0 ] || objectives="volume steps-volume"
  for objective in $objectives; do
    run "$SCALAY" map --from $from --to $to --objective $objective --schedule --check --json
    expect_code 0
    checked map $from $to $objective out
    run "$SCALAY" map --from $from --to $to --objective $objective --schedule --preemptive --check --json
    expect_code 0
    checked map $from $to $objective out
  done
done <<PAIRS
cyclic:m=100,n=90,mb=7,nb=5,p=2,q=3 cyclic:m=100,n=90,mb=4,nb=9,p=3,q=2
cyclic:m=100,n=90,mb=7,nb=5,p=2,q=3,rsrc=1,csrc=2 cyclic:m=100,n=90,mb=7,nb=5,p=2,q=3
cyclic:m=64,n=64,mb=8,nb=8,p=2,q=2,order=col cyclic:m=64,n=64,mb=8,nb=8,p=2,q=2,order=row
cyclic:m=50,n=60,mb=5,nb=5,p=1,q=7 cyclic:m=50,n=60,mb=3,nb=3,p=2,q=2
chunks:m=200,n=200,mb=8,nb=8,p=5,seed=3 cyclic:m=200,n=200,mb=8,nb=8,p=1,q=8
skewed:m=120,n=120,mb=4,nb=4,p=2,q=3,seed=9 skewed:m=120,n=120,mb=5,nb=5,p=3,q=2,seed=4
cyclic:m=1,n=1,mb=1,nb=1,p=1,q=1 cyclic:m=1,n=1,mb=1,nb=1,p=2,q=2
PAIRS

# A shift of the source process and another order of the grid move nothing.
run "$SCALAY" map --from cyclic:m=64,n=64,mb=8,nb=8,p=2,q=2,rsrc=1,csrc=1 --to cyclic:mb=8,nb=8,p=2,q=2
expect_code 0
expect_out "moves 0.0% of the items instead of 100.0%" "proven optimal"

# Shares that differ are printed with as many digits as that takes.
printf '2500,2501\n2501,2500\n' >near.csv
run "$SCALAY" map --traffic near.csv --objective volume
expect_out "moves 49.99% of the items instead of 50.01%"

printf '5,0,1\n0,0,9\n4,4,4\n' >q.csv
for objective in volume steps steps-volume volume-steps; do
  run "$SCALAY" map --traffic q.csv --objective $objective --schedule --check --json
  expect_code 0
  checked traffic q.csv $objective out
done
printf '0,1,5\n1,0,5\n5,5,0\n' >d.csv
run "$SCALAY" map --traffic q.csv --objective time --link-cost d.csv --check --json
expect_code 0
checked traffic q.csv time out d.csv
run "$SCALAY" map --traffic q.csv --objective time --link-cost d.csv
expect_out "time (link costs)"
printf '0,1\n1,0\n' >small.csv
run "$SCALAY" map --traffic q.csv --objective time --link-cost small.csv
rejected 2 "small.csv" "3 x 3"
printf '0,1\n' >flat.csv
run "$SCALAY" map --traffic q.csv --objective time --link-cost flat.csv
rejected 2 "flat.csv" "square"

run "$SCALAY" map --from $skewed --to $cyclic --schedule --check --plot map.svg
expect_code 0
expect_out "moves" "of the items instead of" "proven optimal" "certificate was checked" "Schedule:"
expect_file map.svg map.svg.gp
grep -q "set xlabel 'time, item steps'" map.svg.gp || fail "no Gantt chart"
run "$SCALAY" map --traffic q.csv --plot q.png
expect_code 0
expect_file q.png

run "$SCALAY" map --from $skewed --to cyclic:m=5,n=5,mb=1,nb=1,p=2,q=2
rejected 2 "512" "5"
run "$SCALAY" map --from skewed:mb=1,nb=1,p=2,q=2 --to $cyclic
rejected 2 "--from"
run "$SCALAY" map --traffic q.csv --objective front --check
expect_code 0
expect_out "steps (items)" "certificates were checked"
run "$SCALAY" map --from $skewed --to $cyclic --objective front --check --json
expect_code 0
checked map-front $skewed $cyclic out
run "$SCALAY" map --from $skewed --to $cyclic --objective front --plot front.svg
expect_code 0
expect_file front.svg front.svg.gp
run "$SCALAY" map --traffic q.csv --objective front --schedule
rejected 2 "--schedule" "front"
run "$SCALAY" map --traffic q.csv --schedule --slice 1000000
expect_code 0
expect_out "Schedule: 2 rounds"
run "$SCALAY" map --traffic q.csv --slice 10
rejected 2 "--schedule"
run "$SCALAY" map --traffic q.csv --schedule --slice 0
rejected 2 "--slice" "at least 1"

# Several matrices go along one mapping: as one whose traffic is the sum.
run "$SCALAY" map --from cyclic:m=8,n=1,mb=1,nb=1,p=2,q=1 --to cyclic:mb=4,nb=1,p=2,q=1 \
  --from cyclic:m=4,n=1,mb=2,nb=1,p=2,q=1,rsrc=1 --to cyclic:mb=2,nb=1,p=2,q=1 --objective volume --check --json
expect_code 0
expect_out '"items": 12' '"chosen": 4' '"mapping": [1, 0]' '"checked": true'
run "$SCALAY" map --from $cyclic --to $cyclic --from $cyclic
rejected 2 "--to is missing"
run "$SCALAY" map --from $cyclic --to $cyclic --from $cyclic --to cyclic:mb=1,nb=1,p=1,q=3
rejected 2 "must have 4" "3"

# A mapping that somebody has, as JSON and as a list.
run "$SCALAY" map --from $skewed --to $cyclic --json
cp out given.json
run "$SCALAY" map --from $skewed --to $cyclic --mapping given.json --check
expect_code 0
expect_out "The given mapping" "It is proven optimal"
printf '1,0,0,9\n0,1,9,0\n0,9,1,0\n9,0,0,1\n' >grid_given.csv
printf '3,2\n1,0\n' >given.csv
run "$SCALAY" map --traffic grid_given.csv --objective volume --mapping given.csv --json
expect_out '"given": {"volume": 4, "steps": 1, "cost": 4.0, "bound": 4.0, "proof": "optimal"}'
printf '0,1,2,3\n' >given.csv
run "$SCALAY" map --traffic grid_given.csv --objective volume --mapping given.csv
expect_out "moves 36 items; the optimum is at least 4" "at most 800%"
run "$SCALAY" map --traffic grid_given.csv --objective steps --mapping given.csv
expect_out "takes 9 steps; the optimum is at least 1"
run "$SCALAY" map --traffic grid_given.csv --objective time --ranks-per-node 2 --mapping given.csv
expect_out "The distance from the optimum is at most"
printf '0,1,2\n' >given.csv
run "$SCALAY" map --traffic grid_given.csv --mapping given.csv
rejected 2 "3 processes; there must be 4"
printf '0,1,2,x\n' >given.csv
run "$SCALAY" map --traffic grid_given.csv --mapping given.csv
rejected 2 "part 3"
printf '0,1,2,2\n' >given.csv
run "$SCALAY" map --traffic grid_given.csv --mapping given.csv
rejected 2 "two parts"
printf '0,1,2,4\n' >given.csv
run "$SCALAY" map --traffic grid_given.csv --mapping given.csv
rejected 2 "process 4"
run "$SCALAY" map --traffic grid_given.csv --objective front --mapping given.csv
rejected 2 "--mapping"
printf '3,2,1,0\0,4' >given.csv
run "$SCALAY" map --traffic grid_given.csv --mapping given.csv
rejected 2 "zero byte"
run "$SCALAY" map --traffic grid_given.csv --objective time --nodes given.csv
rejected 2 "zero byte"
printf '3,2,1,0\n' >given.csv
run "$SCALAY" map --traffic grid_given.csv --objective grid-volume --grid 2x2 --mapping given.csv
expect_out "It is proven optimal"
printf '0,3,1,2\n' >given.csv
run "$SCALAY" map --traffic grid_given.csv --objective grid-volume --grid 2x2 --mapping given.csv
rejected 2 "part 1 leaves its grid row or grid column"

# A few items of 10^13 are some.
printf '5000000000000,5000000000003\n5000000000004,5000000000000\n' >many.csv
printf '0,1\n' >given.csv
run "$SCALAY" map --traffic many.csv --objective volume --mapping given.csv
expect_out "moves 10000000000007 items; the optimum is at least 10000000000000" "at most"

# Grids: rows and columns stay together.
for order in row col; do
  run "$SCALAY" map --from cyclic:m=100,n=90,mb=7,nb=5,p=2,q=3,order=$order --to cyclic:mb=4,nb=9,p=2,q=3,order=$order \
    --objective grid-volume --check --json
  expect_code 0
  expect_out '"proof": "optimal"' '"checked": true' '"bound": '
done
run "$SCALAY" map --from $skewed --to $cyclic --objective grid-volume --seed 4 --check
expect_code 0
expect_out "certificate was checked"
printf '1,0,0,9\n0,1,9,0\n0,9,1,0\n9,0,0,1\n' >grid.csv
run "$SCALAY" map --traffic grid.csv --objective grid-volume --grid 2x2 --json --check
expect_code 0
expect_out '"chosen": 4' '"mapping": [3, 2, 1, 0]'
printf '1,2,0,9\n8,1,9,0\n0,9,1,3\n0,5,7,1\n' >rough.csv
run "$SCALAY" map --traffic rough.csv --objective grid-volume --grid 2x2 --check
expect_code 0
expect_out "It is not proven optimal. No mapping moves fewer than" "from the optimum is at most"
run "$SCALAY" map --traffic grid.csv --objective grid-volume
rejected 2 "--grid PxQ"
run "$SCALAY" map --from $cyclic --to $skewed --objective grid-volume
rejected 2 "tile map"
run "$SCALAY" map --from $cyclic --to $cyclic --grid 2x2
rejected 2 "--grid goes with --traffic"

# Nodes: by number, by distance, as CSV and as printed by other programs.
printf 'NUMANode latencies (kind 5):\n  index     0     1\n      0    10    21\n      1    21    10\n' >hwloc.txt
printf 'node distances:\nnode   0   1\n  0:  10  21\n  1:  21  10\n' >numactl.txt
printf '10,21\n21,10\n' >distance.csv
for file in hwloc.txt numactl.txt distance.csv; do
  run "$SCALAY" map --traffic grid.csv --objective time --distance $file --ranks-per-node 2 --check --json
  expect_code 0
  expect_out '"time": {"canonical": 756' '"chosen": 84'
done
run "$SCALAY" map --traffic grid.csv --objective time --ranks-per-node 2 --check
expect_code 0
expect_out "time (link costs)"
run "$SCALAY" map --traffic grid.csv --objective time --distance distance.csv
rejected 2 "distance.csv: 2 nodes" "--ranks-per-node"
run "$SCALAY" map --traffic grid.csv --objective volume --ranks-per-node 2
rejected 2 "--ranks-per-node goes with --objective time"
printf '10 21\n21 x\n' >distance.txt
run "$SCALAY" map --traffic grid.csv --objective time --distance distance.txt --ranks-per-node 2
rejected 2 "distance.txt, line 2" "'x'"

# Nodes of each process: a list, with counts, by names, in a file; they need not be alike.
printf '# a node with three\nbig big\nbig small\n' >nodes.txt
printf '10,21\n21,10\n' >uneven.csv
for nodes in 0,0,0,1 0*3,1 big,big,big,small nodes.txt; do
  run "$SCALAY" map --traffic grid.csv --objective time --nodes $nodes --check --json
  expect_code 0
  expect_out '"mapping": [3, 2, 1, 0]' '"time": {"canonical": 19.8' '"chosen": 2.2'
done
run "$SCALAY" map --traffic grid.csv --objective time --nodes 0,1,0,1 --distance uneven.csv --check --json
expect_code 0
expect_out '"time": {"canonical": 756.0, "chosen": 84.0}'
run "$SCALAY" map --traffic grid.csv --objective time --nodes 0*2,1,2,2 --json
expect_code 0
expect_out '"processes": 5'
run "$SCALAY" map --traffic grid.csv --objective time --nodes 0,1,2,1 --distance uneven.csv
rejected 2 "uneven.csv: 2 nodes; there must be at least the 3" "--nodes"
run "$SCALAY" map --traffic grid.csv --objective time --nodes 0,1,2
rejected 2 "--nodes has 3 processes; it must have at least 4"
for nodes in 0,1* 0,*2 0,1*x 0,1*0 0,1*99999999 ,; do
  run "$SCALAY" map --traffic grid.csv --objective time --nodes "$nodes"
  rejected 2 "--nodes"
done
run "$SCALAY" map --traffic grid.csv --objective time --nodes nowhere.txt
rejected 2 "nowhere.txt"
run "$SCALAY" map --traffic grid.csv --objective volume --nodes 0,0,1,1
rejected 2 "--nodes goes with --objective time"
run "$SCALAY" map --traffic grid.csv --objective time --nodes 0,0,1,1 --ranks-per-node 2
rejected 2 "--nodes and --ranks-per-node"

# Processes that take nothing, and more of them than parts.
run "$SCALAY" map --traffic grid.csv --objective volume --processes 6 --bar 0,4 --check --json
expect_code 0
expect_out '"processes": 6' '"mapping": [3, 2, 1, 5]'
run "$SCALAY" map --traffic grid.csv --bar 1-2
expect_code 1
run "$SCALAY" map --traffic grid.csv --bar 4
rejected 2 "process 4; processes must be in [0, 3]"
for list in 1- x 2-1 1,,2 -1; do
  run "$SCALAY" map --traffic grid.csv --bar=$list
  rejected 2 "such as 0,3-5"
done

# Between grids least volume needs no traffic: thousands of processes.
run "$SCALAY" map --from cyclic:m=1000000,n=1000000,mb=64,nb=64,p=64,q=64 --to cyclic:mb=48,nb=48,p=64,q=64 \
  --objective volume --budget 5
expect_code 0
expect_out "4096 processes hold 1000000000000 items of 4096 parts." "proven optimal"

# The slice of a schedule by what starting a step takes.
run "$SCALAY" map --from $skewed --to $cyclic --schedule --startup 0 --json
expect_code 0
checked map $skewed $cyclic steps-volume out
run "$SCALAY" map --traffic q.csv --schedule --startup 1000000
expect_code 0
expect_out "Schedule: 2 rounds"
run "$SCALAY" map --traffic q.csv --startup 10
rejected 2 "--schedule"
run "$SCALAY" map --traffic q.csv --schedule --slice 3 --startup 10
rejected 2 "--slice"

# The same by what was measured: latency times bandwidth, 1e-4 s at 1e-9 s a byte.
run "$SCALAY" map --traffic q.csv --schedule --machine nowhere.txt
rejected 2 "nowhere.txt"
run "$SCALAY" map --traffic q.csv --machine nowhere.txt
rejected 2 "--machine goes with --schedule"
run "$SCALAY" map --traffic q.csv --schedule --machine nowhere.txt --startup 3
rejected 2 "leave --slice and --startup away"
run "$SCALAY" map --traffic q.csv --schedule --type s
rejected 2 "--type goes with --machine"

# Without rounds.
run "$SCALAY" map --traffic q.csv --schedule --preemptive --check
expect_code 0
expect_out "Schedule: no rounds; messages start at" "item steps (checked)" "  at 0:"
run "$SCALAY" map --traffic q.csv --preemptive
rejected 2 "--schedule"
run "$SCALAY" map --traffic q.csv --schedule --slice 3 --preemptive
rejected 2 "--slice"
verdict
