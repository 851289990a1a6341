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
  for objective in volume steps-volume; do
    run "$SCALAY" map --from $from --to $to --objective $objective --schedule --check --json
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
run "$SCALAY" map --traffic q.csv --objective front --schedule
rejected 2 "--schedule" "front"
run "$SCALAY" map --traffic q.csv --schedule --slice 1000000
expect_code 0
expect_out "Schedule: 2 rounds"
run "$SCALAY" map --traffic q.csv --slice 10
rejected 2 "--schedule"
run "$SCALAY" map --traffic q.csv --schedule --slice 0
rejected 2 "--slice" "at least 1"
verdict
