# The main job, whole: the geoid on 4 processes, where the mapping must pay.
. "$SUPPORT"
known="--machine machine.txt" # measured once
matrix=$EXAMPLES/data/egm96_geoid.npy
under 4 qr "$matrix" $known --repeat 1 --json
expect_code 0
expect_out '"source": "skewed:mb='
checked job qr 4 - out
[ $full -eq 0 ] || under 4 redistribute "$matrix" --to cyclic:mb=64,nb=64,p=2,q=2 $known --repeat 1 --json
expect_code 0
[ $full -eq 0 ] || checked job redistribute 4 skewed:m=721,n=1440,mb=64,nb=64,p=2,q=2,seed=1 out
under 4 redistribute "$matrix" --to cyclic:mb=64,nb=64,p=2,q=2 $known --repeat 1 --output same.npy
expect_code 0
expect_out "moves 36.8% of the elements" "instead of 87.3%" "All elements are equal"
verdict
