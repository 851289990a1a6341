# Traffic files as people and spreadsheets write them, and files that are none.
. "$SUPPORT"

# accepted CONTENT ITEMS: the file is read, and has so many items in all.
accepted()
{
  printf "$1" >q.csv
  run "$SCALAY" map --traffic q.csv --json
  expect_code 0
  expect_out "\"items\": $2,"
}

# refused CONTENT TEXT...: exit code 2 and a message that names the file and has the texts.
refused()
{
  printf "$1" >q.csv
  shift
  run "$SCALAY" map --traffic q.csv
  rejected 2 "q.csv" "$@"
}

accepted '1,2\n3,4\n' 10
accepted '1,2\n3,4' 10
accepted '\357\273\2771,2\r\n3,4\r\n' 10
accepted '1,2\n3,4\n\n\r\n\n' 10
accepted '# traffic\n 1 ,\t2 \n# more\n3,4\n' 10
accepted '7\n' 7
accepted '0\n' 0
accepted '1,2,3\n' 6
accepted '1\n2\n3\n' 6
accepted '1000000000000000000\n' 1000000000000000000

refused '' "no numbers"
refused '\n\n' "no numbers"
refused '# nothing\n' "no numbers"
refused '\357\273\277' "no numbers"
refused '1,2\n3\n' "line 2" "1" "2"
refused '1,2\n3,4,5\n' "line 2"
refused '1,2,\n3,4,\n' "line 1, field 3 is ''"
refused '1,2\n\n3,4\n' "line 2" "empty"
refused '1,-2\n' "line 1, field 2 is '-2'"
refused '1,-0\n' "line 1, field 2 is '-0'"
refused '1,+2\n' "line 1, field 2 is '+2'"
refused '1,2\n3,nan\n' "line 2, field 2 is 'nan'"
refused 'inf,2\n' "line 1, field 1 is 'inf'"
refused '1.5,2\n' "'1.5'"
refused '1e3,2\n' "'1e3'"
refused '0x10,2\n' "'0x10'"
refused '"1",2\n' "line 1, field 1"
refused '1;2\n' "'1;2'"
refused '1 2\n' "'1 2'"
refused '1,a\n' "'a'"
refused '1\0,2\n' "zero byte"
refused '1\r2,3\n' "line 1, field 1"
refused '\r1,3\n' "line 1, field 1"
refused '\377\3761\0,\0002\0\n\0' "line 1, field 1"
refused '1,9223372036854775808\n' "line 1, field 2 is 9223372036854775808" "at most 9223372036854775807"
refused '1,99999999999999999999999999999999999999999999999999999999999999999999999999999999\n' "line 1, field 2"
printf '9223372036854775807,1\n' >q.csv
run "$SCALAY" map --traffic q.csv
rejected 2 "2^63"

# A field, a line and a file far longer than anything sensible.
head -c 3000000 /dev/zero | tr '\0' '1' >q.csv
run "$SCALAY" map --traffic q.csv
rejected 2 "line 1, field 1"
awk 'BEGIN { for (i = 0; i < 700; i++) { for (j = 0; j < 700; j++) printf "%s%d", j ? "," : "", (i * 7 + j * 13) % 11; print "" } }' >q.csv
run "$SCALAY" map --traffic q.csv --check --json
expect_code 0
checked traffic q.csv steps-volume out
awk 'BEGIN { for (j = 0; j < 200000; j++) printf "0,"; print "1" }' >q.csv
run "$SCALAY" map --traffic q.csv --objective volume
expect_code 0
expect_out "200001 parts"

run "$SCALAY" map --traffic missing.csv
rejected 2 "missing.csv" "No such file"
run "$SCALAY" map --traffic /
rejected 2 "/"

printf '0,1\n1,0\n' >q.csv
for cost in nan inf -1 1e999 x 0x1p3 ''; do
  printf "0,$cost\n1,0\n" >d.csv
  run "$SCALAY" map --traffic q.csv --objective time --link-cost d.csv
  rejected 2 "d.csv, line 1, field 2 is '$cost'"
done
printf '0,1e-3\n.5,0\n' >d.csv
run "$SCALAY" map --traffic q.csv --objective time --link-cost d.csv
expect_code 0
verdict
