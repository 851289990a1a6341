# lu and cholesky on small files: the factors are multiplied again; the engine on several maps; wrong inputs.
. "$SUPPORT"
known="--machine machine.txt"
p=$1
calibrated $p
market 50 34 tall.mtx
market 23 41 wide.mtx
definite 45 definite.mtx
case $p in
  1) speeds=1 ;;
  3) speeds=1,.5,.5 ;;
  *) speeds=1,.5,.5,2 ;;
esac

under $p lu tall.mtx --from skewed:mb=8,nb=8,p=1,q=$p --speeds $speeds --map 1d1d --nb 8 $known --repeat 1 \
  --output x.mtx --json
expect_code 0
checked job lu $p skewed:m=50,n=34,mb=8,nb=8,p=1,q=$p out
checked lu tall.mtx x.mtx
expect_out '"map": "1d1d"' '"info": 0' '"skipped": [{"name": "owner"'

under $p cholesky definite.mtx --from cyclic:mb=8,nb=8,p=$p,q=1 --map source $known --repeat 1 --output x.mtx --json
expect_code 0
checked job cholesky $p cyclic:m=45,n=45,mb=8,nb=8,p=$p,q=1 out
checked cholesky definite.mtx x.mtx
expect_out '"name": "owner"' '"map": "source"'

under $p cholesky definite.mtx --uplo upper --map cyclic:mb=6,nb=6,p=1,q=$p $known --repeat 1 --output x.mtx
expect_code 0
checked cholesky definite.mtx x.mtx
expect_out "Cholesky factorisation of definite.mtx" "trailing balance" "map cyclic:mb=6" "residual"

awk -v q="$speeds" 'BEGIN { print "processor,size,time"; n = split(q, s, ",")
  for (k = 1; k <= n; k++) print "p" k ",16," 1 / s[k] }' >ranks.csv
under $p lu wide.mtx --profile ranks.csv $known --repeat 1 --plot lu --output x.mtx
expect_code 0
checked lu wide.mtx x.mtx
expect_file lu-before.svg lu-own.svg lu-balance.svg lu-times.svg
# A profile of these speeds gives the map of these speeds.
under $p cholesky definite.mtx --map 1d1d --nb 8 --profile ranks.csv $known --repeat 1 --json
expect_code 0
checked job cholesky $p - out
balance=$(grep -o '"map": "1d1d", "balance": [0-9.e-]*' out)
under $p cholesky definite.mtx --map 1d1d --nb 8 --speeds $speeds $known --repeat 1 --json
expect_code 0
expect_out "$balance"
echo "extra,16,1" | cat ranks.csv - >many.csv
under $p cholesky definite.mtx --map 1d1d --profile many.csv $known --repeat 1
rejected 2 "the profile has $((p + 1)) processors"
if [ $full -eq 1 ]; then
  for type in s z; do
    under $p lu tall.mtx --type $type --speeds $speeds $known --repeat 1 --json
    expect_code 0
    checked job lu $p - out
    under $p cholesky definite.mtx --type $type --speeds $speeds $known --repeat 1 --json
    expect_code 0
    checked job cholesky $p - out
  done
  # SCALAY_PROFILE is what --profile is.
  SCALAY_PROFILE=ranks.csv
  export SCALAY_PROFILE
  under $p lu wide.mtx --map 1d1d $known --repeat 1 --json
  expect_code 0
  unset SCALAY_PROFILE
fi

# A singular matrix is factored; one that is not positive definite is not.
printf '%%%%MatrixMarket matrix array real general\n2 2\n1\n2\n2\n4\n' >singular.mtx
under $p lu singular.mtx $known --repeat 1
expect_code 0
expect_out "U(2, 2) is exactly zero"
printf '%%%%MatrixMarket matrix array real general\n2 2\n1\n2\n2\n1\n' >indefinite.mtx
under $p cholesky indefinite.mtx $known --repeat 1
rejected 1 "not positive definite" "order 2"
if [ "$p" -eq 1 ]; then
  under 1 cholesky tall.mtx
  rejected 2 "must be square"
  under 1 lu tall.mtx --speeds 1,1
  rejected 2 "--speeds has 2 numbers"
  under 1 lu tall.mtx --speeds 0
  rejected 2 "speeds must be above 0"
  under 1 lu tall.mtx --speeds 1 --profile ranks.csv
  rejected 2 "give one of them"
  under 1 lu tall.mtx --output lu.txt
  rejected 2 "lu.txt"
  under 1 lu tall.mtx $known --map cyclic:mb=4,nb=4,p=2,q=1
  rejected 2 "--map has 2 processes"
  under 1 lu tall.mtx --from cyclic:mb=4,nb=4,p=2,q=1 --machine unmeasured.txt
  rejected 2 "--from" "mpirun -n 2"
  [ ! -e unmeasured.txt ] || fail "the machine was measured before the layout was checked"
fi
verdict
