#include "base/text.h"
#include "factor/qr_object.h"

static const char *proof_text(scalay_proof proof)
{
    static const char *const texts[] = {[SCALAY_PROOF_NONE] = "not optimised",
                                        [SCALAY_PROOF_OPTIMAL] = "proven optimal",
                                        [SCALAY_PROOF_HEURISTIC] = "heuristic"};
    return texts[proof];
}

int scalay_qr_describe(const scalay_qr *qr, char *text, size_t size)
{
    scalay_text all = {text, text != NULL ? size : 0, 0};
    if (qr == NULL) {
        scalay_text_append(&all, "no factorisation");
        return (int)all.length;
    }
    const scalay_qr_statistics *s = &qr->statistics;
    all.length = scalay_qr_choice_describe(qr->choice, text, size);
    scalay_text_append(&all, " Mapping by %s (%s): %lld of %lld elements change process in %lld one-port steps",
                       scalay_objective_name(qr->objective), proof_text(qr->proof), (long long)s->volume,
                       (long long)qr->m * qr->n, (long long)s->steps);
    scalay_text_append(&all, " (canonical: %lld in %lld), predicted to take %.3g s.", (long long)s->canonical_volume,
                       (long long)s->canonical_steps, s->predicted_move_seconds);
    scalay_text_append(&all, " Measured: plan %.3g s, move %.3g s, kernel %.3g s", s->plan_seconds, s->move_seconds,
                       s->kernel_seconds);
    if (s->back_seconds > 0.0) scalay_text_append(&all, ", back %.3g s", s->back_seconds);
    scalay_text_append(&all, ".");
    return (int)all.length;
}
