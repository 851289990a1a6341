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

for subcommand in profile workload qr gemm redistribute map advise show; do
  run "$SCALAY" $subcommand --help
  expect_code 0
  expect_out "scalay $subcommand" "Options:" "--json" "Example:" "Exit codes"
done
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
rejected 2 "--evaluate looks for nothing"
run "$SCALAY" partition --size 10x10 --speeds 1,2,3 --link-mode serial
rejected 2 "--link-mode goes with --link-time or --link-energy"
run "$SCALAY" advise --from cyclic:m=1,n=40,mb=1,nb=20,p=1,q=2 --kernel stencil --nb 16
rejected 2 "a stencil has no grid and no blocks"
run "$SCALAY" map --objective least
rejected 2 "--objective is 'least': give one of volume|steps|steps-volume|volume-steps|front|time"
run "$SCALAY" map --objective 'volume|steps'
rejected 2 "give one of"
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
verdict
