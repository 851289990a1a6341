# Redistribution of small files on so many processes: what is printed is recounted, what is written is compared.
. "$SUPPORT"
p=$1
market 37 29 a.mtx

while read -r from to; do
  under $p redistribute a.mtx --from $from,p=1,q=$p --to $to,p=$p,q=1 --repeat 1 --json
  expect_code 0
  checked job redistribute $p $from,m=37,n=29,p=1,q=$p out
done <<PAIRS
cyclic:mb=4,nb=3 cyclic:mb=5,nb=5
skewed:mb=4,nb=4,seed=2 cyclic:mb=4,nb=4
PAIRS
under $p redistribute a.mtx --from cyclic:mb=1,nb=1,p=1,q=1 --to chunks:mb=3,nb=4,p=$p --repeat 1 --json
expect_code 0
checked job redistribute $p cyclic:m=37,n=29,mb=1,nb=1,p=1,q=1 out chunks:m=37,n=29,mb=3,nb=4,p=$p

while read -r transport objective; do
  under $p redistribute a.mtx --to cyclic:mb=4,nb=4,p=$p,q=1 --objective $objective --transport $transport \
    --repeat 1 --output back.mtx
  expect_code 0
  expect_out "$objective *" "all are equal" "Written to back.mtx"
  checked same a.mtx back.mtx
done <<WAYS
mpi steps
blacs volume-steps
auto canonical
WAYS
for type in s z; do
  under $p redistribute a.mtx --to cyclic:mb=8,nb=8,p=1,q=$p --type $type --repeat 1 --json
  expect_code 0
  expect_out "\"type\": \"$type\""
done

# The default source is said, and is what it says.
under $p redistribute a.mtx --to cyclic:mb=4,nb=4,p=$p,q=1 --repeat 1 --json
expect_code 0
checked job redistribute $p - out
under $p redistribute a.mtx --to cyclic:mb=4,nb=4,p=$p,q=1 --repeat 2 --plot move.svg
expect_code 0
expect_out "37 x 29" "moves" "medians of 2"
expect_file move.svg move.svg.gp

market 0 5 empty.mtx
under $p redistribute empty.mtx --to cyclic:mb=4,nb=4,p=$p,q=1 --repeat 1 --json
expect_code 0
verdict
