/* Checking that fewer steps are impossible: a crowd that shares too few partners. */
#include "base/integer.h"
#include "base/memory.h"
#include "mapping/certificate.h"

/* Every member is there once, exists, and cannot go without a partner below the optimum. */
static scalay_status check_members(const scalay_checker *check, const scalay_proof_kind *kind, unsigned char *member)
{
    const scalay_certificate *proof = &check->mapping->certificate;
    scalay_traffic_view *traffic = check->view;
    const int64_t *items = proof->crowd_of_parts ? traffic->wanted : traffic->held;
    const int64_t *dual = proof->crowd_of_parts ? proof->part_dual : proof->process_dual;
    const int most = proof->crowd_of_parts ? traffic->parts : traffic->processes;
    for (int k = 0; k < proof->crowd_size; k++) {
        int x = proof->crowd[k];
        if (x < 0 || x >= most || member[x]) return DENY("member %d of the crowd, %d, is none or named twice", k, x);
        if (items[x] < check->mapping->steps_bound && !(kind->within_tight && dual[x] > 0))
            return DENY("member %d of the crowd has only %lld items", x, (long long)items[x]);
        member[x] = 1;
    }
    return SCALAY_SUCCESS;
}

/* Whether an edge could be used by a mapping with fewer steps. */
static int serves(const scalay_checker *check, const scalay_proof_kind *kind, int i, int part, int64_t items)
{
    const scalay_certificate *proof = &check->mapping->certificate;
    if (scalay_checker_edge_steps(check, i, part, items) >= check->mapping->steps_bound) return 0;
    return !kind->within_tight ||
           scalay_checker_compare_sum(proof->process_dual[i], proof->part_dual[part], items) == 0;
}

static int64_t count_partners(const scalay_checker *check, const scalay_proof_kind *kind, const unsigned char *member,
                              unsigned char *met)
{
    scalay_traffic_view *traffic = check->view;
    const int of_parts = check->mapping->certificate.crowd_of_parts;
    int64_t partners = 0;
    for (int i = 0; i < traffic->processes; i++) {
        if (!scalay_checker_may_take(check, i) || (!of_parts && !member[i])) continue;
        const scalay_view_row row = scalay_view_read(traffic, i, traffic->held[i] - check->mapping->steps_bound);
        for (int64_t e = 0; e < row.entries; e++) {
            const int partner = of_parts ? i : row.part[e];
            if ((of_parts && !member[row.part[e]]) || met[partner] ||
                !serves(check, kind, i, row.part[e], row.count[e]))
                continue;
            met[partner] = 1;
            partners++;
        }
    }
    return partners;
}

scalay_status scalay_checker_crowd(const scalay_checker *check, const scalay_proof_kind *kind)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_certificate *proof = &check->mapping->certificate;
    const int64_t most = scalay_max_int64(check->view->processes, check->view->parts);
    unsigned char *member = NULL;
    unsigned char *met = NULL;
    if (check->mapping->steps_bound == 0) return SCALAY_SUCCESS;
    if (proof->crowd == NULL) return DENY("there is no crowd that shows why fewer steps are impossible");
    SCALAY_TRY(SCALAY_NEW(member, most));
    SCALAY_TRY(SCALAY_NEW(met, most));
    SCALAY_TRY(check_members(check, kind, member));
    int64_t partners = count_partners(check, kind, member, met);
    if (partners >= proof->crowd_size)
        status = DENY("the crowd of %d has %lld partners: fewer steps may be possible", proof->crowd_size,
                      (long long)partners);
cleanup:
    scalay_release(member);
    scalay_release(met);
    return status;
}
