# awk -f blocks.awk -v language=c|fortran|python -v page=PAGE PAGE.md: a program that executes each block of the page in that
# language, in an inner scope of a function of its own. Lines are numbered as in the page.
# language=python: the blocks of the page, one after the other, as one program.
# awk -f blocks.awk -v language=commands PAGE.md: LINE! at the start of each block in no language, then
# LINE<tab>COMMAND or LINE>OUTPUT. If a block has a line that begins with "$ ", these lines are its commands and the others their output; otherwise lines that
# begin with a program of ours are commands.
function begin_function(   name) {
    name = "block_" (++count)
    if (language == "c") print "static void " name "(void)\n{\n#line " FNR + 1 " \"" FILENAME "\""
    if (language == "fortran") print "subroutine " name "()\n  use docs_context\n  block\n#line " FNR + 1 " \"" FILENAME "\""
}
function end_function() {
    if (language == "c") print "}"
    if (language == "fortran") print "  end block\nend subroutine"
}
function command_of(line) {
    return line ~ /^(scalay|mpirun|bench_|benchmarks\/|cmake|apt-get|scripts\/|gcc|mpicc|ctest|ninja)/
}
function end_commands(   k, prompts, text) {
    print first "!"
    for (k = 1; k <= lines; k++) if (line[k] ~ /^\$ /) prompts = 1
    for (k = 1; k <= lines; k++) {
        text = line[k]
        if (prompts ? text !~ /^\$ / : !command_of(text)) {
            if (prompts) print first + k - 1 ">" text
            continue
        }
        if (prompts) text = substr(text, 3)
        while (text ~ /\\$/ && k < lines) text = substr(text, 1, length(text) - 1) line[++k]
        print first + k - 1 "\t" text
    }
}
BEGIN {
    if (language == "c") print "#define PAGE_" page "\n#include \"context.h\""
}
/^```/ {
    if (inside == "" && !open) {
        inside = substr($0, 4)
        open = 1
        first = FNR + 1
        lines = 0
        if (inside == language) begin_function()
    } else {
        if (inside == language) end_function()
        if (language == "commands" && (inside == "" || inside == "sh" || inside == "console")) end_commands()
        inside = ""
        open = 0
    }
    next
}
open && inside == language {
    if (language == "c" && /^#include/) print ""  # context.h includes all headers
    else print
    # Measurements are short.
    if (language == "c" && page == "measuring" && /options = /) print "options.max_seconds = 0.05;"
    if (language == "c" && page == "profiles" && /options.last = /)
        print "options.last = 128; scalay_repeat_options repeat = scalay_repeat_options_default(); repeat.max_seconds = 0.05; options.repeat = &repeat;"
}
open { line[++lines] = $0 }
END {
    if (language == "c") {
        print "int main(int argc, char **argv)\n{\n    begin(&argc, &argv);"
        for (k = 1; k <= count; k++) print "    run_block(block_" k ");"
        print "    return end();\n}"
    }
    if (language == "fortran") {
        print "program page\n  use docs_context, only: begin, finish\n  implicit none"
        for (k = 1; k <= count; k++) print "  external :: block_" k
        print "  call begin()"
        for (k = 1; k <= count; k++) print "  call block_" k "()"
        print "  call finish()\nend program"
    }
}
