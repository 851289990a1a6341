# Every JSON document matches the schema of its subcommand in share/schemas, and has no key that is not described there.
# SCHEMAS is the folder, PYTHON the interpreter.
. "$SUPPORT"
market 6 6 m.mtx
printf 'processor,size,time\na,1,1\na,2,2\nb,1,2\n' >t.csv
node=$EXAMPLES/data/node.csv
skewed=skewed:m=64,n=64,mb=8,nb=8,p=2,q=2

# document SUBCOMMAND ARGUMENTS...: keeps what was printed, to be compared with the schema at the end.
document()
{
  run "$SCALAY" "$@" --json
  expect_file out
  cp out "$1.$expectations.json"
}

# Each subcommand that prints JSON has a schema, which has a key "version".
for command in $("$SCALAY" --help | sed -n '/^Subcommands /,/^$/s/^  \([a-z]\{1,\}\)[* ].*/\1/p'); do
  expectations=$((expectations + 1))
  ! "$SCALAY" $command --help | grep -q -e '--json' || grep -q '"version"' "$SCHEMAS/scalay-$command.schema.json" ||
    fail "$command has no schema"
done

calibrated 1
document workload --profile $node --size 64
document workload --profile $node --size 40 --objective total-front --base-power 60 --knee
document workload --profile t.csv --size 30
document workload --profile $node --size 64 --comm hockney:alpha=1e-6,beta=1e-12,block=64
document partition --size 100x100 --speeds 3,2,1
document partition --evaluate cyclic:m=40,n=40,mb=4,nb=4,p=2,q=2
document pattern --processes 5
document pattern --processes 13 --kernel cholesky --size 640x640
document pattern --speeds 3,2,1 --kernel gemm
document map --from $skewed --to cyclic:mb=8,nb=8,p=2,q=2 --schedule --check
document map --from $skewed --to cyclic:mb=8,nb=8,p=2,q=2 --objective front
document show cyclic:m=6,n=6,mb=2,nb=2,p=2,q=2
document advise --from cyclic:m=600,n=600,mb=150,nb=150,p=1,q=4
document advise --from cyclic:m=1,n=3000,mb=1,nb=10,p=1,q=4 --kernel stencil
document profile --kernel dgemm:n=16 --sizes 8,16 --repetitions 1:2
document qr m.mtx --machine machine.txt --repeat 1
document lu m.mtx --machine machine.txt --repeat 1
definite 6 d.mtx
document cholesky d.mtx --machine machine.txt --repeat 1
document gemm m.mtx m.mtx --machine machine.txt --repeat 1 --compare --verify
document redistribute m.mtx --machine machine.txt --to cyclic:mb=2,nb=2,p=1,q=1 --repeat 1 --op T
set --
for document in *.json; do set -- "$@" "$SCHEMAS/scalay-${document%%.*}.schema.json" "$document"; done
run "$PYTHON" "$CHECKER" "$@"
expect_code 0
verdict
