# Partitions: what is printed is counted again, element by element.
. "$SUPPORT"

while read -r size speeds rest; do
  run "$SCALAY" partition --size $size --speeds $speeds $rest --json
  expect_code 0
  checked partition out
done <<CASES
60x60 1
60x60 1,0.15,0.05
60x60 1,0.5,0.25
60x60 1,0.7,0.07
61x47 3,1
47x61 5,2,2
64x64 4,3,2,1 --tile 8
50x40 9,7,5,3,2,1,1 --seed 7
40x40 3,2,1 --exact-counts
30x30 1,0,2,0,3
5x5 1,1,1,1,1,1,1
64x48 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1 --exact-counts
CASES
run "$SCALAY" partition --size 60x60 --speeds 1,0.15,0.05
expect_code 0
expect_out "square-corner *" "Candidates" "Half perimeters"
expectations=$((expectations + 1))
grep -q '^The map sends ' out || fail "the explanation is not printed line by line"
for shape in columns nagamochi-abe recursive recursive-best slicing grid; do
  run "$SCALAY" partition --size 60x60 --areas 0.3,0.3,0.2,0.1,0.06,0.04 --shape $shape --json
  expect_code 0
  checked partition out
  expect_out "\"chosen\": \"$shape\""
done

# The same seed gives the same answer; exact counts are exact.
run "$SCALAY" partition --size 97x89 --speeds 5,4,3,2,2,1,1,1 --seed 5 --json
cp out first
run "$SCALAY" partition --size 97x89 --speeds 5,4,3,2,2,1,1,1 --seed 5 --json
expectations=$((expectations + 1))
cmp -s out first || fail "the same seed gives something else"
run "$SCALAY" partition --size 10x10 --areas 50,30,20 --exact-counts --json
expect_code 0
expect_out '"load_error": 0.0'

# Links: joules of the paper per element, and a slow link that decides.
cat >energy.csv <<END
0,34.4e-9,500.8e-9
34.4e-9,0,101.52e-9
500.8e-9,101.52e-9,0
END
run "$SCALAY" partition --size 60x60 --speeds 1,0.7,0.1 --objective energy --link-energy energy.csv --json
expect_code 0
checked partition out energy
printf '0,1,9\n1,0,9\n9,9,0\n' >time.csv
for mode in serial parallel one-port; do
  run "$SCALAY" partition --size 60x60 --speeds 3,2,1 --objective time --link-time time.csv --link-mode $mode --json
  expect_code 0
  checked partition out time
done
for broadcast in tree relay; do
  run "$SCALAY" partition --size 60x60 --speeds 3,2,1 --objective energy --link-energy time.csv --broadcast $broadcast --json
  expect_code 0
  checked partition out energy
done

# What was printed is a LAYOUT, and a layout can be evaluated.
run "$SCALAY" partition --size 60x50 --speeds 1,0.15,0.05 --json
cp out p.json
run "$SCALAY" show partition:p.json
expect_code 0
expect_out "60 x 50"
run "$SCALAY" partition --evaluate partition:p.json --json
expect_code 0
checked partition out map
expectations=$((expectations + 1))
[ "$(grep -o '"cost": [0-9]*' out)" = "$(grep -o '"cost": [0-9]*' p.json)" ] || fail "evaluated differently"
run "$SCALAY" partition --evaluate cyclic:m=48,n=48,mb=4,nb=4,p=2,q=3 --json
expect_code 0
checked partition out map
# n^2 (p + q - 2) on a grid, K n (p + q - 2) with K inner columns
expect_out '"cost": 6912'
run "$SCALAY" partition --evaluate cyclic:m=48,n=48,mb=4,nb=4,p=2,q=3 --inner 100 --json
expect_code 0
expect_out '"cost": 14400'
run "$SCALAY" map --from cyclic:m=60,n=50,mb=5,nb=5,p=1,q=3 --to partition:p.json --check
expect_code 0

printf '{"feasible": true, "distribution": [30, 10, 0, 20]}' >w.json
run "$SCALAY" partition --size 30x20 --from-workload w.json --json
expect_code 0
checked partition out
expect_out '"areas": [300.0, 100.0, 0.0, 200.0]'

run "$SCALAY" partition --size 60x60 --speeds 1,0.15,0.05 --plot parts.svg
expect_code 0
expect_file parts.svg parts.svg.gp
run "$SCALAY" partition --evaluate partition:p.json --plot parts.png
expect_code 0
expect_file parts.png

# No solution.
run "$SCALAY" partition --size 60x60 --areas 0.34,0.33,0.33 --shape square-corner
rejected 1 "square-corner"
printf '{"feasible": false}' >none.json
run "$SCALAY" partition --size 60x60 --from-workload none.json
rejected 1 "none.json" "distribution"

# Bad input.
run "$SCALAY" partition --speeds 1,2
rejected 2 "--size"
run "$SCALAY" partition --size 10x10
rejected 2 "--speeds" "--areas" "--from-workload"
run "$SCALAY" partition --size 10x10 --speeds 1,2 --areas 1,2
rejected 2 "twice"
for size in 10 10x 0x10 10x-1 10x10x10 99999999999999999999x1 ax4; do
  run "$SCALAY" partition --size $size --speeds 1,2
  rejected 2 "--size" "$size"
done
for speeds in 1, 1,-2 1,x 1,nan 1,inf ,1 1,,2 0x10,1; do
  run "$SCALAY" partition --size 10x10 --speeds $speeds
  rejected 2 "--speeds" "number"
done
run "$SCALAY" partition --size 10x10 --speeds 0,0
rejected 2 "0"
for areas in 0.5,0.4 50,51 1,1; do
  run "$SCALAY" partition --size 10x10 --areas $areas
  rejected 2 "--areas" "the sum of --areas is"
done
run "$SCALAY" partition --size 2x2 --speeds 1,1,1,1,1
rejected 2 "5 areas" "elements, 4"
run "$SCALAY" partition --size 10x10 --speeds 1,2 --shape round
rejected 2 "round"
run "$SCALAY" partition --size 10x10 --speeds 1,2 --objective time
rejected 2 "--link-time"
run "$SCALAY" partition --size 10x10 --speeds 1,2 --objective energy
rejected 2 "--link-energy"
printf '0,1\n1,0\n' >small.csv
run "$SCALAY" partition --size 10x10 --speeds 1,2,3 --objective time --link-time small.csv
rejected 2 "small.csv" "3 x 3"
run "$SCALAY" partition --size 10x10 --speeds 1,2,3 --link-time time.csv --link-energy small.csv
rejected 2 "small.csv"
run "$SCALAY" partition --evaluate cyclic:m=4,n=4,mb=1,nb=1,p=2,q=2 --size 4x4
rejected 2 "--evaluate"
run "$SCALAY" partition --size 4x4 --speeds 1,1 --inner 3
rejected 2 "--inner"
run "$SCALAY" partition --size 4x4 --speeds 1,1 --plot parts.txt
rejected 2 "parts.txt"
run "$SCALAY" show partition:missing.json
rejected 2 "missing.json"
printf '{"m": 4, "n": 4, "areas": [8, 8], "rectangles": [{"part": 0, "row": 0, "col": 0, "rows": 2, "cols": 4}]}' >hole.json
run "$SCALAY" show partition:hole.json
rejected 2 "hole.json" "row 2, column 0"
printf '{"m": 2, "n": 2, "areas": [4], "rectangles": [{"part": 0, "row": 0, "col": 0, "rows": 2, "cols": 2}, {"part": 0, "row": 1, "col": 1, "rows": 1, "cols": 1}]}' >twice.json
run "$SCALAY" show partition:twice.json
rejected 2 "twice.json" "overlap"
printf '{"m": 2, "n": 2, "rectangles": [{"part": 0, "row": 0, "col": 0, "rows": 3, "cols": 2}]}' >outside.json
run "$SCALAY" show partition:outside.json
rejected 2 "outside.json" '"rows"'
printf '{"m": 2, "n"' >cut.json
run "$SCALAY" show partition:cut.json
rejected 2 "cut.json" "line 1"
printf '[1, 2]' >list.json
run "$SCALAY" partition --size 4x4 --from-workload list.json
rejected 2 "list.json"
printf '{"front": []}' >front.json
run "$SCALAY" partition --size 4x4 --from-workload front.json
rejected 2 "front.json" "--knee"

# More parts than anything could be done with are refused at once.
echo '{"m": 1, "n": 1, "rectangles": [{"part": 2000000000, "row": 0, "col": 0, "rows": 1, "cols": 1}]}' >parts.json
run "$SCALAY" show partition:parts.json
rejected 2 "parts.json" '"part"' 1048575

verdict
