/*
 * Prints pages that are made from the option tables: manual pages, completion files of bash and zsh, and the options in
 * docs/cli.md. The pages are kept in the source tree; a test compares them with this program's output, and the target
 * `update_pages` writes them.
 *
 *   scalay_pages man [SUBCOMMAND] | options SUBCOMMAND | bash | zsh
 */

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "input.h"
#include "options.h"

enum { HELP_SIZE = 512 };

/* ------------------------------------------------------------------------------------------------ manual pages */

/* Prints text for roff: hyphens as minus signs, backslashes, and no control lines. */
static void print_roff(const char *text, size_t length)
{
    for (size_t k = 0; k < length; k++) {
        const int starts_line = k == 0 || text[k - 1] == '\n';
        if (starts_line && (text[k] == '.' || text[k] == '\'')) printf("\\&");
        if (text[k] == '-')
            printf("\\-");
        else if (text[k] == '\\')
            printf("\\e");
        else
            putchar(text[k]);
    }
}

static void print_text(const char *text)
{
    print_roff(text, strlen(text));
}

static void print_upper(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '-') putchar('\\');
        putchar(*text >= 'a' && *text <= 'z' ? *text - 'a' + 'A' : *text);
    }
}

/* Paragraphs as in scalay_print_paragraphs(): lines that start with a blank are an example. */
static void print_paragraphs(const char *text)
{
    int in_example = 0;
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        const int is_example = *text == ' ';
        if (is_example && !in_example) printf(".PP\n.EX\n");
        if (!is_example && in_example) printf(".EE\n%s", length > 0 ? ".PP\n" : "");
        in_example = is_example;
        if (length == 0)
            printf(".PP\n");
        else
            print_roff(text, length), putchar('\n');
        text += length + (text[length] == '\n');
    }
    if (in_example) printf(".EE\n");
}

static void print_title(const char *name, const char *summary)
{
    printf(".\\\" Made by scalay_pages from the option tables: edit those, then build the target update_pages.\n.TH ");
    print_upper(name);
    printf(" 1 \"\" \"ScaLAY %s\" \"ScaLAY\"\n.SH NAME\n", SCALAY_VERSION);
    print_text(name);
    printf(" \\- ");
    print_text(summary);
    printf("\n.SH SYNOPSIS\n");
}

static void print_synopsis(const scalay_subcommand *subcommand)
{
    for (int k = 0; k < 3 && subcommand->usage[k] != NULL; k++) {
        if (k > 0) printf(".br\n");
        if (subcommand->needs_mpi) printf(".B mpirun \\-n\n.I P\n");
        printf(".B scalay %s\n.RI ", subcommand->name);
        print_text("\"");
        print_text(subcommand->usage[k]);
        printf("\"\n");
    }
}

static void print_option(const scalay_option *option)
{
    char help[HELP_SIZE];
    printf(".TP\n.%s \\-\\-", option->argument[0] != '\0' ? "BI" : "B");
    print_text(option->name);
    if (option->argument[0] != '\0') {
        printf(" \" ");
        print_text(option->argument);
        printf("\"");
    }
    printf("\n");
    print_text(scalay_option_describe(option, help, sizeof help));
    printf("\n");
}

static void print_options(const scalay_subcommand *subcommand)
{
    static const scalay_option help = {.name = "help", .argument = "", .help = "print this help"};
    printf(".SH OPTIONS\n");
    for (const scalay_option *option = subcommand->table; option->name != NULL; option++) {
        if (option->kind == SCALAY_OPTION_GROUP) {
            printf(".SS ");
            print_text(option->name);
            printf("\n");
        } else {
            print_option(option);
        }
    }
    print_option(&help);
    printf(".PP\nA FILE of \\- is the standard input if the file is read, and the standard output if it is written, "
           "but not for "
           "matrices and pictures.\n");
}

static void print_example(const char *example)
{
    printf(".SH EXAMPLES\n.EX\n");
    print_text(example);
    printf(".EE\n");
}

static void print_subcommand_page(const scalay_subcommand *subcommand)
{
    char name[64];
    (void)snprintf(name, sizeof name, "scalay-%s", subcommand->name);
    print_title(name, subcommand->summary);
    print_synopsis(subcommand);
    printf(".SH DESCRIPTION\n");
    print_paragraphs(subcommand->description);
    print_options(subcommand);
    printf(".SH EXIT STATUS\nSee\n.BR scalay (1).\n");
    print_example(subcommand->example);
    printf(".SH SEE ALSO\n.BR scalay (1)\n");
}

static void print_subcommand_list(void)
{
    printf(".SH SUBCOMMANDS\n");
    for (int k = 0; scalay_subcommand_at(k) != NULL; k++) {
        const scalay_subcommand *subcommand = scalay_subcommand_at(k);
        printf(".TP\n.BR scalay\\-%s (1)\n", subcommand->name);
        print_text(subcommand->summary);
        printf("%s\n", subcommand->needs_mpi ? " (under mpirun)" : "");
    }
    printf(".TP\n.BR scalay\\-run (1)\nrun a ScaLAPACK program with the drop\\-in library\n");
}

static void print_main_page(void)
{
    print_title("scalay", "redistribute ScaLAPACK matrices");
    printf(".B scalay\n.I SUBCOMMAND\n.RI [ ARGUMENTS ]\n.br\n.B mpirun \\-n\n.I P\n.B scalay\n.I SUBCOMMAND\n"
           ".RI [ ARGUMENTS ]\n.br\n.B scalay help\n.RI [ SUBCOMMAND ]\n.SH DESCRIPTION\n");
    print_text(
        "Computes the work and the part of each process, the mapping with the least communication, moves the data, "
        "and runs kernels.\n");
    print_subcommand_list();
    printf(".SH OPTIONS\n.TP\n.B \\-\\-help\nlist the subcommands\n.TP\n.B \\-\\-version\nprint the version\n"
           ".SH LAYOUTS\n");
    print_paragraphs(scalay_layout_help);
    printf(".SH EXIT STATUS\n.TP\n.B 0\ndone\n.TP\n.B 1\nno solution\n.TP\n.B 2\n"
           "invalid input; the message names the file or option, the value found, and the remedy\n"
           ".TP\n.B 3\nsystem failure\n");
    print_example("  mpirun -n 4 scalay qr examples/data/egm96_geoid.npy --plot main-job.svg\n");
    printf(".SH SEE ALSO\n.BR mpirun (1)\n");
}

/* -------------------------------------------------------------------------------------------- bash completion */

static int takes_file(const scalay_option *option)
{
    return option->kind == SCALAY_OPTION_INPUT || option->kind == SCALAY_OPTION_OUTPUT;
}

static void print_words(const char *choices)
{
    for (; *choices != '\0'; choices++) putchar(*choices == '|' ? ' ' : *choices);
}

static void print_bash_values(const scalay_subcommand *subcommand)
{
    for (const scalay_option *option = subcommand->table; option->name != NULL; option++) {
        if (option->kind == SCALAY_OPTION_GROUP || option->kind == SCALAY_OPTION_FLAG || takes_file(option)) continue;
        printf("        '%s --%s') words='", subcommand->name, option->name);
        if (option->choices != NULL) print_words(option->choices);
        printf("' ;;\n");
    }
}

static void print_bash_options(const scalay_subcommand *subcommand)
{
    printf("            %s) words='", subcommand->name);
    for (const scalay_option *option = subcommand->table; option->name != NULL; option++)
        if (option->kind != SCALAY_OPTION_GROUP) printf("--%s ", option->name);
    printf("--help' ;;\n");
}

/* An option that takes a file, and an operand, complete to file names. */
static void print_bash(void)
{
    printf("# bash completion for scalay. Made by scalay_pages from the option tables.\n"
           "_scalay()\n{\n    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
           "    local subcommand=${COMP_WORDS[1]}\n    COMPREPLY=()\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ] || { [ \"$COMP_CWORD\" -eq 2 ] && [ \"$subcommand\" = help ]; }; then\n"
           "        words='help");
    for (int k = 0; scalay_subcommand_at(k) != NULL; k++) printf(" %s", scalay_subcommand_at(k)->name);
    printf("'\n        [ \"$subcommand\" != help ] || words=\"$words layout\"\n"
           "        [ \"$COMP_CWORD\" -eq 2 ] || words=\"$words --help --version\"\n"
           "        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n        return\n    fi\n"
           "    case \"$subcommand $before\" in\n");
    for (int k = 0; scalay_subcommand_at(k) != NULL; k++) print_bash_values(scalay_subcommand_at(k));
    printf("        *) words=- ;;\n    esac\n    if [ \"$words\" != - ]; then\n"
           "        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n        return\n    fi\n"
           "    if [ \"${word#-}\" != \"$word\" ]; then\n        case \"$subcommand\" in\n");
    for (int k = 0; scalay_subcommand_at(k) != NULL; k++) print_bash_options(scalay_subcommand_at(k));
    printf("            *) words= ;;\n        esac\n        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
           "        return\n    fi\n    compopt -o filenames 2>/dev/null\n"
           "    COMPREPLY=($(compgen -f -- \"$word\"))\n}\ncomplete -F _scalay scalay\n");
}

/* --------------------------------------------------------------------------------------------- zsh completion */

/* Text inside of a quoted argument of _arguments. */
static void print_zsh_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            printf("'\\''");
        else if (strchr("[]:\\", *text) != NULL)
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void print_zsh_option(const scalay_option *option)
{
    printf("        '%s--%s[", option->kind == SCALAY_OPTION_LIST ? "*" : "", option->name);
    print_zsh_text(option->help);
    printf("]");
    if (option->kind != SCALAY_OPTION_FLAG) {
        printf(":");
        print_zsh_text(option->argument);
        printf(":");
        if (option->choices != NULL) {
            printf("(");
            print_words(option->choices);
            printf(")");
        } else if (takes_file(option)) {
            printf("_files");
        }
    }
    printf("' \\\n");
}

static void print_zsh(void)
{
    printf("#compdef scalay\n# zsh completion for scalay. Made by scalay_pages from the option tables.\n"
           "local -a subcommands\nsubcommands=(\n    'help:explain a subcommand'\n");
    for (int k = 0; scalay_subcommand_at(k) != NULL; k++) {
        printf("    '%s:", scalay_subcommand_at(k)->name);
        print_zsh_text(scalay_subcommand_at(k)->summary);
        printf("'\n");
    }
    printf(")\nif (( CURRENT == 2 )); then\n    _describe subcommand subcommands\n    return\nfi\n"
           "local subcommand=$words[2]\nshift words\n(( CURRENT-- ))\ncase $subcommand in\n"
           "    help) (( CURRENT == 2 )) && _describe subcommand subcommands ;;\n");
    for (int k = 0; scalay_subcommand_at(k) != NULL; k++) {
        const scalay_subcommand *subcommand = scalay_subcommand_at(k);
        printf("    %s) _arguments \\\n", subcommand->name);
        for (const scalay_option *option = subcommand->table; option->name != NULL; option++)
            if (option->kind != SCALAY_OPTION_GROUP) print_zsh_option(option);
        printf("        '--help[print this help]' \\\n        '*:file:_files' ;;\n");
    }
    printf("esac\n");
}

int main(int argc, char **argv)
{
    const char *page = argc > 1 ? argv[1] : "";
    const scalay_subcommand *subcommand = argc > 2 ? scalay_subcommand_find(argv[2]) : NULL;
    if (strcmp(page, "bash") == 0)
        print_bash();
    else if (strcmp(page, "zsh") == 0)
        print_zsh();
    else if (strcmp(page, "man") == 0 && argc == 2)
        print_main_page();
    else if (strcmp(page, "man") == 0 && subcommand != NULL)
        print_subcommand_page(subcommand);
    else if (strcmp(page, "options") == 0 && subcommand != NULL)
        scalay_subcommand_print_options(subcommand, stdout);
    else
        return fprintf(stderr, "usage: scalay_pages man [SUBCOMMAND] | options SUBCOMMAND | bash | zsh\n") < 0 ? 3 : 2;
    return 0;
}
