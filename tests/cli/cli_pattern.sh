# Patterns: what is printed is counted again from the exported owners.
. "$SUPPORT"

# The first line of a rank file is rows and columns; then ranks. Prints owners per row, per column, and z of a square one.
cat >count.awk <<'END'
NR == 1 { rows = $1; cols = $2; next }
{ for (j = 1; j <= NF; j++) { o[NR - 2, j - 1] = $j; used[$j] = 1 } }
END {
  for (i = 0; i < rows; i++) { split("", s); for (j = 0; j < cols; j++) if (!(o[i, j] in s)) { s[o[i, j]]; x++ } }
  for (j = 0; j < cols; j++) { split("", s); for (i = 0; i < rows; i++) if (!(o[i, j] in s)) { s[o[i, j]]; y++ } }
  for (i = 0; rows == cols && i < rows; i++) {
    split("", s)
    for (j = 0; j < cols; j++) {
      if (!(o[i, j] in s)) { s[o[i, j]]; z++ }
      if (!(o[j, i] in s)) { s[o[j, i]]; z++ }
    }
  }
  for (p in used) processes++
  printf "%d %.6f %.6f %.6f\n", processes, x / rows, y / cols, z / rows
}
END

value() { sed -n "s/.*\"$1\": \([0-9.]*\).*/\1/p" out | head -n 1; }
close_to() {
  expectations=$((expectations + 1))
  awk -v a="$1" -v b="$2" 'BEGIN { exit !(a - b < 1e-5 && b - a < 1e-5) }' || fail "$3: $1, not $2"
}

# A small example: the plane of order 2.
run "$SCALAY" pattern --processes 7 --kernel cholesky
expect_code 0
expect_out "projective plane" "3.0000"

for case in "5 lu" "6 gemm" "13 qr" "7 cholesky" "8 cholesky"; do
  set -- $case
  run "$SCALAY" pattern --processes $1 --kernel $2 --export chameleon
  expect_code 0
  set -- $case $(awk -f count.awk out)
  expectations=$((expectations + 1))
  [ "$3" = "$1" ] || fail "$3 processes instead of $1"
  run "$SCALAY" pattern --processes $1 --kernel $2 --json
  expect_code 0
  case $2 in
    cholesky) close_to "$(value cost)" $6 "z of $1" ;;
    qr) close_to "$(value cost)" "$(awk "BEGIN { printf \"%.6f\", $4 + 2 * $5 }")" "cost of $1" ;;
    *) close_to "$(value cost)" "$(awk "BEGIN { printf \"%.6f\", $4 + $5 }")" "cost of $1" ;;
  esac
done

# The output is a LAYOUT: as JSON, with keys, and as text.
run "$SCALAY" pattern --processes 3 --speeds 1,0.5,0.5 --size 60x50 --tile 5 --json
expect_code 0
cp out p.json
run "$SCALAY" show pattern:p.json
expect_code 0
expect_out "60 x 50"
run "$SCALAY" pattern --processes 5 --json
cp out q.json
run "$SCALAY" show pattern:m=40,n=30,mb=2,q.json
expect_code 0
expect_out "40 x 30"
run "$SCALAY" pattern --processes 3 --speeds 1,0.5,0.5 --size 60x50 --tile 5 --export text
cp out p.txt
run "$SCALAY" show pattern:p.txt --json
expect_code 0
cp out text.json
run "$SCALAY" show pattern:p.json --json
expectations=$((expectations + 1))
[ "$(grep -o '"counts": \[[^]]*' out)" = "$(grep -o '"counts": \[[^]]*' text.json)" ] || fail "text and JSON differ"
# The owners of an odd matrix: from JSON, from text, and from the pattern itself.
for case in "5 lu" "7 cholesky"; do
  set -- $case
  found="$SCALAY pattern --processes $1 --kernel $2 --size 203x157 --tile 4"
  $found --export csv >owners.csv
  $found --export text >odd.txt
  $found --json >odd.json
  for layout in pattern:odd.json pattern:odd.txt pattern:m=203,n=157,mb=4,nb=4,odd.json; do
    run "$SCALAY" partition --evaluate $layout --export csv --tile 4
    expect_code 0
    expectations=$((expectations + 1))
    cmp -s owners.csv out || fail "the owners of $layout for $case"
  done
done
printf '6 6 1 1 3 3 3\n-1 0 1\n0 -1 2\n1 2 -1\n' >sbc.txt
run "$SCALAY" show pattern:sbc.txt
expect_code 0
printf '{"rows": 2, "cols": 2, "owners": [[0, 1], [1, 0]], "copies": [[0, 1], [1, 0]], "row_offset": 1}' >copies.json
run "$SCALAY" show pattern:m=4,mb=1,copies.json
expect_code 0
expect_out "1 0 0 1"

# Tiles that a kernel sends.
run "$SCALAY" partition --evaluate cyclic:m=48,n=48,mb=4,nb=4,p=2,q=3 --kernel gemm --tile 4 --json
expect_code 0
expect_out '"tiles": 432'

# Tables for other libraries.
run "$SCALAY" pattern --processes 6 --export slate
expect_code 0
expect_out "static const int scalay_tile_owner[3][2]" "slate::ij_tuple"
run "$SCALAY" pattern --processes 6 --size 8x6 --tile 2 --export dplasma
expect_out "scalay_tile_rank[12]"
run "$SCALAY" pattern --processes 6 --size 8x6 --tile 2 --export csv
expectations=$((expectations + 1))
[ "$(wc -l <out)" -eq 4 ] || fail "csv has $(wc -l <out) lines"
run "$SCALAY" partition --evaluate cyclic:m=8,n=6,mb=2,nb=2,p=2,q=3 --export csv --tile 2
expect_code 0
expectations=$((expectations + 1))
[ "$(cat out)" = "$(printf '0,1,2\n3,4,5\n0,1,2\n3,4,5')" ] || fail "the owners of a grid"
run "$SCALAY" partition --size 4x4 --speeds 1,1 --kernel lu
rejected 2 "--evaluate"

# Readers, each as its library finds the rank of tile (i, j). They print the ranks of rows x cols tiles.
# Chameleon: M and N, then M lines of N ranks; the table repeats.
cat >chameleon.awk <<'END'
{ for (k = 1; k <= NF; k++) value[count++] = $k }
END {
  m = value[0]; n = value[1]
  if (count != 2 + m * n) exit 1
  for (i = 0; i < rows; i++) for (j = 0; j < cols; j++) printf "%d%s", value[2 + (i % m) * n + j % n], j < cols - 1 ? "," : "\n"
}
END
# SLATE: tileRank({i, j}) is evaluated from the table and the function.
cat >slate.awk <<'END'
/scalay_tile_owner\[[0-9]+\]\[[0-9]+\] = / { split($0, part, /[][]/); m = part[2]; n = part[4]; reading = 1; next }
/^};/ { reading = 0 }
reading { gsub(/[{},]/, " "); for (k = 1; k <= NF; k++) value[count++] = $k }
/return/ { if ($0 !~ "get<0>\\(ij\\) % " m "\\]" || $0 !~ "get<1>\\(ij\\) % " n "\\]") exit 1 }
END {
  if (count != m * n) exit 1
  for (i = 0; i < rows; i++) for (j = 0; j < cols; j++) printf "%d%s", value[(i % m) * n + j % n], j < cols - 1 ? "," : "\n"
}
END
# DPLASMA: elems[lmt * n + m] has the rank of tile (m, n); there are lmt * lnt elements.
cat >dplasma.awk <<'END'
/scalay_tile_rank\[[0-9]+\] = / { split($0, part, /[][]/); total = part[2]; reading = 1; next }
/^};/ { reading = 0 }
reading { gsub(/,/, " "); for (k = 1; k <= NF; k++) value[count++] = $k }
END {
  if (count != total || total != rows * cols) exit 1
  for (i = 0; i < rows; i++) for (j = 0; j < cols; j++) printf "%d%s", value[rows * j + i], j < cols - 1 ? "," : "\n"
}
END
# The ranks of the tiles of a grid after a mapping: process of part (i mod 2, j mod 3), in row-major order.
from=skewed:m=20,n=24,mb=4,nb=4,p=2,q=3
to=cyclic:m=20,n=24,mb=4,nb=4,p=2,q=3
run "$SCALAY" map --from $from --to $to --json
expect_code 0
tr -d ' \n' <out | sed 's/.*"mapping":\[\([0-9,]*\)\].*/\1/' | awk -F, '{
  for (i = 0; i < 5; i++) for (j = 0; j < 6; j++) printf "%d%s", $(1 + i % 2 * 3 + j % 3), j < 5 ? "," : "\n" }' >mapped.csv
for format in chameleon slate dplasma csv; do
  run "$SCALAY" map --from $from --to $to --export $format
  expect_code 0
  [ $format = csv ] && cp out read.csv || awk -v rows=5 -v cols=6 -f $format.awk out >read.csv
  expectations=$((expectations + 1))
  cmp -s read.csv mapped.csv || fail "$format: $(tr '\n' ' ' <read.csv) instead of $(tr '\n' ' ' <mapped.csv)"
done
run "$SCALAY" pattern --processes 7 --kernel cholesky --size 30x30 --tile 1 --export csv
cp out whole.csv
for format in chameleon slate dplasma; do
  run "$SCALAY" pattern --processes 7 --kernel cholesky --size 30x30 --tile 1 --export $format
  expect_code 0
  awk -v rows=30 -v cols=30 -f $format.awk out >read.csv
  expectations=$((expectations + 1))
  cmp -s read.csv whole.csv || fail "$format: the pattern differs"
done
run "$SCALAY" map --from $from --to $to --export csv --tile 3
rejected 2 "must divide 4"
run "$SCALAY" map --from $from --to $to --export csv --json
rejected 2 "give one"
run "$SCALAY" map --from $from --to $to --objective front --export csv
rejected 2 "front"
run "$SCALAY" map --from $from --to $to --tile 2
rejected 2 "--export"

# Invalid input.
run "$SCALAY" pattern
rejected 2 "--processes"
for processes in 0 4097 99999999999; do
  run "$SCALAY" pattern --processes $processes
  rejected 2 "--processes is '$processes'" "from 1 to 4096"
done
run "$SCALAY" pattern --speeds "$(seq -s, 4097)"
rejected 2 "--speeds" "1 to 4096"
run "$SCALAY" pattern --processes 3 --speeds 1,2
rejected 2 "--speeds"
run "$SCALAY" pattern --speeds 1,0
rejected 2 "above 0"
printf '9 9 1 1 4 2 2\n0 1\n2 0\n' >unused.txt
run "$SCALAY" show pattern:unused.txt
rejected 2 "process 3 owns no tile"
printf '{"rows": 2, "cols": 2, "owners": [[0, 1]]}' >short.json
run "$SCALAY" show pattern:m=4,short.json
rejected 2 "owners" "short.json, line 1"
run "$SCALAY" show pattern:q.json
rejected 2 "pattern:m=.."
run "$SCALAY" show pattern:m=4,m=5,q.json
rejected 2 "twice"

verdict
