# Redistribution of small files on so many processes: what is printed is recounted, what is written is compared.
. "$SUPPORT"
known="--machine machine.txt" # of all runs but the first
p=$1
calibrated $p
market 37 29 a.mtx

while read -r cases from to; do
  [ $full -ge $cases ] || continue
  under $p redistribute a.mtx --from $from,p=1,q=$p --to $to,p=$p,q=1 --repeat 1 --json
  expect_code 0
  checked job redistribute $p $from,m=37,n=29,p=1,q=$p out
done <<PAIRS
1 cyclic:mb=4,nb=3 cyclic:mb=5,nb=5
0 skewed:mb=4,nb=4,seed=2 cyclic:mb=4,nb=4
PAIRS
if [ $full -eq 1 ]; then
  under $p redistribute a.mtx --from cyclic:mb=1,nb=1,p=1,q=1 --to chunks:mb=3,nb=4,p=$p $known --repeat 1 --json
  expect_code 0
  checked job redistribute $p cyclic:m=37,n=29,mb=1,nb=1,p=1,q=1 out chunks:m=37,n=29,mb=3,nb=4,p=$p
fi

while read -r cases transport objective; do
  [ $full -ge $cases ] || continue
  under $p redistribute a.mtx --to cyclic:mb=4,nb=4,p=$p,q=1 --objective $objective --transport $transport \
    $known --repeat 1 --output back.mtx
  expect_code 0
  expect_out "$objective *" "All elements are equal" "Written to back.mtx"
  checked same a.mtx back.mtx
done <<WAYS
0 mpi steps
1 mpi volume-steps
0 shared steps
1 shared volume
1 auto canonical
WAYS
# Little memory: rounds.
memories=8k
[ $full -eq 0 ] || memories="4096 8k"
for memory in $memories; do
  under $p redistribute a.mtx --to cyclic:mb=4,nb=4,p=$p,q=1 --memory $memory $known --repeat 1 --json
  expect_code 0
  checked memory 8192 out
done

# The transpose arrives: volume and steps are recounted, what is written is compared.
ops=C
[ $full -eq 0 ] || ops="T C"
for op in $ops; do
  under $p redistribute a.mtx --from cyclic:mb=3,nb=2,p=1,q=$p --to cyclic:mb=5,nb=4,p=$p,q=1 --op $op $known --repeat 1 \
    --output turned.mtx --json
  expect_code 0
  expect_out "\"op\": \"$op\""
  checked job redistribute $p cyclic:m=37,n=29,mb=3,nb=2,p=1,q=$p out
  checked turned a.mtx turned.mtx
done
under 1 redistribute a.mtx --to cyclic:m=35,n=30,ia=1,ja=1,mb=4,nb=4,p=1,q=1 --op T
rejected 2 "--to is 35 x 30" "must be 29 x 37 as the transpose of a.mtx"
if [ $full -eq 1 ]; then
  under $p redistribute a.mtx --to cyclic:mb=4,nb=4,p=1,q=$p --op T --type z --plot turned.svg
  expect_code 0
  expect_out "of the transpose" "All elements are equal"
fi
under 1 redistribute a.mtx --to chunks:mb=3,nb=4,p=1 --op T
rejected 2 "--op T needs a block-cyclic --to"
types=z
[ $full -eq 0 ] || types="s z"
for type in $types; do
  under $p redistribute a.mtx --to cyclic:mb=8,nb=8,p=1,q=$p --type $type $known --repeat 1 --json
  expect_code 0
  expect_out "\"type\": \"$type\""
done

# The default source is said, and is what it says.
under $p redistribute a.mtx --to cyclic:mb=4,nb=4,p=$p,q=1 $known --repeat 1 --json
expect_code 0
checked job redistribute $p - out
under $p redistribute a.mtx --to cyclic:mb=4,nb=4,p=$p,q=1 $known --repeat 2 --plot move.svg
expect_code 0
expect_out "37 x 29" "moves" "medians of 2"
expect_file move.svg move.svg.gp

# Conjugated on the way.
printf '%%%%MatrixMarket matrix array complex general\n2 3\n1 2\n3 -4\n5 6\n7 8\n9 1\n2 3\n' >complex.mtx
under $p redistribute complex.mtx --to cyclic:mb=1,nb=1,p=$p,q=1 --op C $known --repeat 1 --output conjugated.mtx
expect_code 0
expect_out "of the conjugate transpose" "All elements are equal"
run awk '!/^%/ { printf "%g %g|", $1, $2 }' conjugated.mtx
expect_out "3 2|1 -2|5 -6|9 -1|3 4|7 -8|2 -3|"

market 0 5 empty.mtx
under $p redistribute empty.mtx --to cyclic:mb=4,nb=4,p=$p,q=1 $known --repeat 1 --json
expect_code 0
verdict
