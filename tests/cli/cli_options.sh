# Help, versions, and what a wrong command line gets: exit code 2 and a message with a hint.
. "$SUPPORT"

run "$SCALAY" --help
expect_code 0
expect_out "Usage: scalay SUBCOMMAND" "workload" "qr" "redistribute" "map" "show" "Example:" "Exit codes"
run "$SCALAY" --version
expect_code 0
expect_out "scalay "
run "$SCALAY"
expect_code 2
expect_err "Usage: scalay SUBCOMMAND"

for subcommand in profile workload qr lu cholesky gemm redistribute map advise show; do
  run "$SCALAY" $subcommand --help
  expect_code 0
  expect_out "scalay $subcommand" "--json" "Example:" "Exit codes"
done
# Help: the same by both ways, in lines of at most 80 columns, with groups of options.
for subcommand in calibrate profile workload partition pattern map advise qr lu cholesky gemm redistribute show; do
  run "$SCALAY" $subcommand --help
  cp out help.txt
  run "$SCALAY" help $subcommand
  expect_code 0
  expectations=$((expectations + 2))
  cmp -s out help.txt || fail "help and --help differ"
  [ "$(awk 'length($0) > 80' out | wc -l)" -eq 0 ] || fail "a line of more than 80 columns"
  expect_out "Output:" "--json" "--quiet" "--help"
done
run "$SCALAY" help
expect_code 0
expect_out "Usage: scalay SUBCOMMAND"
run "$SCALAY" help layout
expect_code 0
expect_out "cyclic:m=M,n=N" "partition:FILE.json"
run "$SCALAY" help mpa
rejected 2 "subcommand 'mpa' is not known" "did you mean map?"
run "$SCALAY" map -h
expect_code 0
expect_out "--from LAYOUT"

run "$SCALAY" mpa
rejected 2 "subcommand 'mpa' is not known" "did you mean map?" "scalay --help"
run "$SCALAY" --verson
rejected 2 "option '--verson' is not known"
run "$SCALAY" zzzzzzzz
rejected 2 "scalay --help"
run "$SCALAY" ''
rejected 2 "scalay --help"
run "$SCALAY" "$(head -c 5000 /dev/zero | tr '\0' x)"
rejected 2 "scalay --help"

run "$SCALAY" show
rejected 2 "LAYOUT is missing" "scalay show LAYOUT"
run "$SCALAY" show cyclic:m=1,n=1,mb=1,nb=1,p=1,q=1 surplus
rejected 2 "'surplus' is one argument too many"
run "$SCALAY" map --jsn --from a
rejected 2 "scalay map: "
run "$SCALAY" map --jason
rejected 2 "option --jason is not known; did you mean --json?"
run "$SCALAY" map -x
rejected 2 "option -x is not known" "scalay map --help"
run "$SCALAY" map --from
rejected 2 "option --from needs an argument"
run "$SCALAY" map --from ''
rejected 2 "--from is empty"
run "$SCALAY" map --json=yes
rejected 2 "takes no argument"
run "$SCALAY" map --traffic a --traffic b
rejected 2 "option --traffic is given twice"
run "$SCALAY" map --json --traffic a --json
rejected 2 "option --json is given twice"
run "$SCALAY" map --obj steps --objective volume
rejected 2 "option --objective is given twice"
run "$SCALAY" map --traffic a --objective steps --grid 2x1
rejected 2 "--grid goes with --objective grid-volume, not with steps"
run "$SCALAY" map --traffic a --seed 3
rejected 2 "--seed goes with --objective grid-volume, not with"
run "$SCALAY" partition --evaluate cyclic:m=4,n=4,mb=1,nb=1,p=2,q=2 --tile 2
rejected 2 "--evaluate does not search"
run "$SCALAY" partition --size 10x10 --speeds 1,2,3 --link-mode serial
rejected 2 "--link-mode goes with --link-time or --link-energy"
run "$SCALAY" advise --from cyclic:m=1,n=40,mb=1,nb=20,p=1,q=2 --kernel stencil --nb 16
rejected 2 "the stencil has no grid and no blocks"
run "$SCALAY" map --objective least
rejected 2 "--objective is 'least'; it must be one of volume|steps|steps-volume|volume-steps|front|time"
run "$SCALAY" map --objective 'volume|steps'
rejected 2 "it must be one of"
run "$SCALAY" map
rejected 2 "--from is missing"
run "$SCALAY" map --from cyclic:m=1,n=1,mb=1,nb=1,p=1,q=1
rejected 2 "--to is missing"
run "$SCALAY" map --from a --traffic b
rejected 2 "--traffic replaces --from and --to"
run "$SCALAY" map --traffic b --objective time
rejected 2 "--link-cost"
run "$SCALAY" map --traffic b --link-cost c
rejected 2 "--objective time"

# Errors, and JSON where it is asked for, are all that --quiet prints.
printf '1,2\n3,4\n' >q.csv
run "$SCALAY" map --traffic q.csv --quiet
expect_code 0
expectations=$((expectations + 1))
[ ! -s out ] && [ ! -s err ] || fail "--quiet printed something"
run "$SCALAY" map --traffic q.csv --quiet --json
expect_code 0
expect_out '{"version": 1, "objective": "steps-volume"'

# A file name of - is the standard input.
run sh -c "'$SCALAY' map --traffic - --json <q.csv"
expect_code 0
expect_out '"items": 10'
run sh -c "'$SCALAY' partition --size 40x40 --speeds 2,1,1 --json | '$SCALAY' show partition:- --json"
expect_code 0
expect_out '"parts": 3'

# A reader that has seen enough is no error.
run sh -c "'$SCALAY' show cyclic:m=1000000,n=1000000,mb=64,nb=64,p=250,q=400 --json | head -c 100 >/dev/null"
expect_code 0
expectations=$((expectations + 1))
[ ! -s err ] || fail "a closed pipe is an error"

# Numbers in JSON have the fewest digits that read back.
printf 'processor,size,time\na,1,0.1\n' >p.csv
run "$SCALAY" workload --profile p.csv --size 1 --json
expect_code 0
expect_out '"time": 0.1,'

# Outputs that cannot be written are found before the work.
run "$SCALAY" show cyclic:m=1,n=1,mb=1,nb=1,p=1,q=1 --plot missing-folder/x.svg
rejected 3 "--plot: cannot write 'missing-folder/x.svg'"
verdict
