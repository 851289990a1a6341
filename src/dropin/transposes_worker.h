/* A transposition, under PBLAS' name and with the prefix. transposes.c defines ELEMENT, TYPE, OP and NAME. */

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)
#define ROUTINE JOIN(NAME, _routine)
#define NEXT JOIN(NAME, _next)

static const transposition ROUTINE = {TEXT(NAME), TEXT(JOIN(NAME, _)), TYPE, OP};
static scalay_routine *NEXT;

void JOIN(NAME, _)(const int *m, const int *n, const ELEMENT *alpha, const ELEMENT *a, const int *ia, const int *ja,
                   const int *desca, const ELEMENT *beta, ELEMENT *c, const int *ic, const int *jc, const int *descc)
{
    const transpose_arguments x = {&ROUTINE, 0, m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc};
    transpose(&x, &NEXT, 0);
}

void JOIN(scalay_, JOIN(NAME, _))(const int *m, const int *n, const ELEMENT *alpha, const ELEMENT *a, const int *ia,
                                  const int *ja, const int *desca, const ELEMENT *beta, ELEMENT *c, const int *ic,
                                  const int *jc, const int *descc)
{
    const transpose_arguments x = {&ROUTINE, 0, m, n, alpha, a, ia, ja, desca, beta, c, ic, jc, descc};
    transpose(&x, &NEXT, 1);
}

#undef JOIN_
#undef JOIN
#undef TEXT_
#undef TEXT
#undef ROUTINE
#undef NEXT
#undef ELEMENT
#undef TYPE
#undef OP
#undef NAME
