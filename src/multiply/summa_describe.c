#include "base/text.h"
#include "multiply/summa_object.h"

int scalay_summa_describe(const scalay_summa *summa, char *text, size_t size)
{
    scalay_text all = {text, text != NULL ? size : 0, 0};
    if (summa == NULL) {
        scalay_text_append(&all, "no multiplication");
        return (int)all.length;
    }
    const scalay_summa_statistics *s = &summa->statistics;
    scalay_text_append(&all, "SUMMA by %s: %lld panels of at most %lld, %lld elements travel", summa->transport->name,
                       (long long)s->panels, (long long)s->panel, (long long)summa->volume);
    scalay_text_append(&all, "; this rank has %lld x %lld panel lines in %lld gemms a panel, %lld bytes of workspace",
                       (long long)summa->side[0].lines, (long long)summa->side[1].lines, (long long)summa->call_count,
                       (long long)s->workspace_bytes);
    if (s->seconds > 0.0)
        scalay_text_append(&all, ". Measured: %.3g s, of which gemm %.3g s, communication %.3g s", s->seconds,
                           s->compute_seconds, s->communicate_seconds);
    scalay_text_append(&all, ".");
    return (int)all.length;
}
