# Rates of the machine: measured, reported with their precision, stored, and found by advise.
. "$SUPPORT"
XDG_CACHE_HOME=$WORK/cache
export XDG_CACHE_HOME

under 2 calibrate --seconds 0.2
expect_code 0
expect_out "Machine with 2 processes" "level-3 BLAS" "precision" "dgemm by its smallest extent" "stored in $XDG_CACHE_HOME/scalay/machine-"
run "$SCALAY" advise --from cyclic:m=300,n=300,mb=100,nb=100,p=1,q=2
expect_code 0
expect_out "from $XDG_CACHE_HOME/scalay/machine-"

# A file of its own; JSON has the precision of each rate.
under 1 calibrate --seconds 0.1 --machine own.txt --json
expect_code 0
expect_out '"file": "own.txt"' '"gemm_curve": [' '"spread": {"seconds_per_flop": ' '"busy": ' '"measurements": 1'
under 1 calibrate --seconds 0.1 --machine own.txt --quiet
expect_code 0
# Measurements are merged.
under 1 calibrate --seconds 0.1 --machine own.txt
expect_out "Merged from 3 measurements"
under 1 calibrate --seconds 0
rejected 2 "--seconds"
under 1 calibrate --seconds 0.1 --machine missing/own.txt
rejected 3 "missing/own.txt"
echo "my notes" >notes.txt
under 1 calibrate --seconds 0.1 --machine notes.txt
rejected 2 "notes.txt, line 1" "not a calibration"
verdict
