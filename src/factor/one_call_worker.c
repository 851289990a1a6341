/*
 * The public functions of one element type, included by one_call.c once per type. Defined before: ENTRY (what the
 * caller's arrays point to), TYPE (scalay_type), and the names GEQRF, GETRF, POTRF.
 */

scalay_status GEQRF(scalay_comm *comm, const scalay_layout *layout, const scalay_one_call_options *options, ENTRY *a,
                    ENTRY *tau, scalay_one_call_statistics *statistics)
{
    scalay_grid_request r = {
        .function = __func__, .kind = SCALAY_GEQRF, .type = TYPE, .uplo = SCALAY_WHOLE, .layout = layout};
    const operands o = {.a = a, .vector = tau, .statistics = statistics};
    return factor(comm, &r, options, &o);
}

scalay_status GETRF(scalay_comm *comm, const scalay_layout *layout, const scalay_one_call_options *options, ENTRY *a,
                    int *ipiv, int *info, scalay_one_call_statistics *statistics)
{
    scalay_grid_request r = {
        .function = __func__, .kind = SCALAY_GETRF, .type = TYPE, .uplo = SCALAY_WHOLE, .layout = layout};
    const operands o = {.a = a, .vector = ipiv, .info = info, .statistics = statistics};
    return factor(comm, &r, options, &o);
}

scalay_status POTRF(scalay_comm *comm, scalay_uplo uplo, const scalay_layout *layout,
                    const scalay_one_call_options *options, ENTRY *a, int *info, scalay_one_call_statistics *statistics)
{
    scalay_grid_request r = {.function = __func__, .kind = SCALAY_POTRF, .type = TYPE, .uplo = uplo, .layout = layout};
    const operands o = {.a = a, .info = info, .statistics = statistics};
    return factor(comm, &r, options, &o);
}

#undef ENTRY
#undef TYPE
#undef GEQRF
#undef GETRF
#undef POTRF
