# Drawing, description and counts; layouts that are none; pictures; an output that cannot be written.
. "$SUPPORT"

run "$SCALAY" show cyclic:m=6,n=6,mb=2,nb=2,p=2,q=2
expect_code 0
expect_out "6 x 6 block-cyclic, blocks 2 x 2, grid 2 x 2" "0 1 0" "2 3 2" "16  44.44%" "4  11.11%"

run "$SCALAY" show skewed:m=300,n=200,mb=32,nb=16,p=2,q=3,seed=7 --json
expect_code 0
checked show skewed:m=300,n=200,mb=32,nb=16,p=2,q=3,seed=7 out
run "$SCALAY" show chunks:m=100,n=100,mb=3,nb=5,p=7 --json
checked show chunks:m=100,n=100,mb=3,nb=5,p=7 out
run "$SCALAY" show cyclic:m=101,n=57,mb=4,nb=8,p=3,q=2,rsrc=1,csrc=1,order=col --json
checked show cyclic:m=101,n=57,mb=4,nb=8,p=3,q=2,rsrc=1,csrc=1,order=col out
printf '4 6 2 2 3\n0 1 2\n2 1 0\n' >tiles.txt
run "$SCALAY" show tiles:tiles.txt --json
checked show tiles:tiles.txt out

run "$SCALAY" show cyclic:m=1000000,n=1000000,mb=64,nb=64,p=250,q=400
expect_code 0
expect_out "and 99936 more"
run "$SCALAY" show cyclic:m=0,n=0,mb=1,nb=1,p=1,q=1
expect_code 0

for layout in nothing cyclic: cyclic:m=1 cyclic:m=-1,n=1,mb=1,nb=1,p=1,q=1 cyclic:m=1,n=1,mb=0,nb=1,p=1,q=1 \
  cyclic:m=99999999999999999999,n=1,mb=1,nb=1,p=1,q=1 cyclic:m=1,n=1,mb=1,nb=1,p=100000,q=100000 \
  cyclic:m=1,n=1,mb=1,nb=1,p=1,q=1,z=1 cyclic:m=1,m=1,n=1,mb=1,nb=1,p=1,q=1 skewed:m=1,n=1,mb=1,nb=1,p=1,q=x \
  tiles:missing.txt tiles:/ ''; do
  run "$SCALAY" show "$layout"
  rejected 2 "scalay show: LAYOUT: "
done
printf '4 4 2 2 2\n0 1\n1 7\n' >bad.txt
run "$SCALAY" show tiles:bad.txt
rejected 2 "bad.txt" "line 3"

for ending in svg png pdf; do
  run "$SCALAY" show tiles:tiles.txt --plot map.$ending
  expect_code 0
  expect_file map.$ending map.$ending.gp
done
run "$SCALAY" show tiles:tiles.txt --plot map.gif
rejected 2 "map.gif"
run "$SCALAY" show tiles:tiles.txt --plot missing-folder/map.svg
rejected 3 "missing-folder/map.svg"

if [ -w /dev/full ]; then
  command_line="show > /dev/full"
  "$SCALAY" show tiles:tiles.txt >/dev/full 2>err
  code=$?
  : >out
  rejected 3 "cannot write to the standard output"
  "$SCALAY" show tiles:tiles.txt --json >/dev/full 2>err
  code=$?
  rejected 3 "cannot write to the standard output"
fi
command_line="show >&-"
: >out
"$SCALAY" show tiles:tiles.txt 2>err >&-
code=$?
rejected 3 "standard output is closed"
verdict
