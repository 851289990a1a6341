# What the tests of the command line share; each is run with
#   SCALAY   the executable          CHECK    cli_check
#   MPIEXEC  "mpirun -n" or the like EXAMPLES the folder of examples
#   WORK     a folder of its own
# A failed expectation is counted and printed; `verdict` ends the test.
# FULL is 1 in the runs with the label slow: they have all cases.
full=${FULL:-0}
failures=0
expectations=0
rm -rf "$WORK" && mkdir -p "$WORK" && cd "$WORK" || exit 1
# Open MPI numbers all processes alike that start without mpirun: tests at the same time would clear each other's folders.
export OMPI_MCA_orte_tmpdir_base="$WORK.session"
mkdir -p "$OMPI_MCA_orte_tmpdir_base"

# run COMMAND...: leaves what it printed in `out` and `err`, its exit code in $code.
run()
{
  command_line="$*"
  "$@" >out 2>err
  code=$?
}

# under N ARGUMENTS...: runs scalay on N processes. One process needs no mpirun.
under()
{
  processes=$1
  shift
  if [ "$processes" -eq 1 ]; then
    run timeout 60 "$SCALAY" "$@"
  else
    run timeout 60 $MPIEXEC "$processes" "$SCALAY" "$@"
  fi
}

# calibrated N: machine.txt has rates of N processes, which commands do not measure again.
calibrated()
{
  under "$1" calibrate --seconds 0.05 --machine machine.txt --quiet
  expect_code 0
  sed 's/^measurements .*/measurements 8/' machine.txt >settled.txt && mv settled.txt machine.txt
}

fail()
{
  failures=$((failures + 1))
  echo "FAILED: $command_line"
  echo "  $*"
  cut -c1-200 out | sed 's/^/  out: /' | head -5
  cut -c1-200 err | sed 's/^/  err: /' | head -5
}

expect_code()
{
  expectations=$((expectations + 1))
  [ "$code" -eq "$1" ] || fail "exit code $code, expected $1"
}

# expect_out TEXT..., expect_err TEXT...: each is found in what was printed. Line breaks count as blanks.
expect_in()
{
  file=$1
  shift
  for text in "$@"; do
    expectations=$((expectations + 1))
    grep -qF -e "$text" "$file" || tr -s '\n ' '  ' <"$file" | grep -qF -e "$text" || fail "'$text' is not in $file"
  done
}
expect_out() { expect_in out "$@"; }
expect_err() { expect_in err "$@"; }

# rejected CODE TEXT...: the command has ended with CODE, printed nothing but a message of one line that has the texts.
rejected()
{
  expect_code "$1"
  shift
  expect_err "$@"
  expectations=$((expectations + 2))
  [ ! -s out ] || fail "something on the standard output"
  [ "$(grep -c '^scalay' err)" -eq 1 ] || fail "not exactly one message"
}

# checked ARGUMENTS...: cli_check agrees.
checked()
{
  expectations=$((expectations + 1))
  "$CHECK" "$@" || fail "cli_check $*"
}

expect_file()
{
  for file in "$@"; do
    expectations=$((expectations + 1))
    [ -s "$file" ] || fail "$file is missing or empty"
  done
}

# market M N FILE: a matrix of small fractions, without structure.
market()
{
  awk -v m="$1" -v n="$2" 'BEGIN {
    print "%%MatrixMarket matrix array real general"; print m, n; s = 12345
    for (k = 0; k < m * n; k++) { s = (s * 1103 + 12289) % 65536; print s / 65536 - 0.5 } }' >"$3"
}

# definite N FILE: a symmetric matrix with a dominant diagonal.
definite()
{
  awk -v n="$1" 'BEGIN {
    print "%%MatrixMarket matrix array real general"; print n, n
    for (j = 0; j < n; j++) for (i = 0; i < n; i++) {
      k = (i > j ? i * n + j : j * n + i) * 7919 % 10007
      print (i == j ? n : 0) + k / 10007 - 0.5 } }' >"$2"
}

verdict()
{
  echo "$expectations expectations, $failures failed"
  [ "$failures" -eq 0 ] && [ "$expectations" -gt 0 ]
}
