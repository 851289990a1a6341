/*
 * Panels: gathered, factored by one process or by their owners together, and sent to those who need their rows.
 *
 * A panel slot is used by every other step. Its sends are complete before the slot is used again.
 */
#include <string.h>

#include "base/integer.h"
#include "factor/engine.h"
#include "parallel/comm.h"

/* This process's rows of tile column k from tile row k on; NULL: none. */
static const scalay_engine_class *own_column(const scalay_engine *engine, int k, int *first)
{
    const scalay_engine_plan *plan = &engine->plan;
    if (plan->class_of[k] < 0) return NULL;
    const scalay_engine_class *class = &plan->class[plan->class_of[k]];
    *first = scalay_engine_find(class->row, class->rows, k);
    return *first < class->rows ? class : NULL;
}

static char *column_element(const scalay_engine *engine, const scalay_engine_class *class, int k, int row)
{
    return scalay_engine_element(engine, class, class->row_at[row], class->col_at[engine->plan.place_of[k]]);
}

static void list_rows(const scalay_engine *engine, scalay_engine_panel *panel)
{
    const scalay_engine_plan *plan = &engine->plan;
    int rows = 0;
    panel->tile_rows = 0;
    for (int i = panel->k; i < plan->map.tile_rows; i++) {
        if (!scalay_engine_keeps_row(plan, i, panel->k)) continue;
        panel->row[panel->tile_rows] = i;
        panel->row_at[panel->tile_rows++] = rows;
        rows += scalay_engine_height(&plan->map, i);
    }
    panel->row_at[panel->tile_rows] = rows;
    panel->ld = scalay_engine_leading(rows);
    panel->extra = panel->v + engine->size * panel->ld * panel->width;
}

static char *panel_row(const scalay_engine *engine, const scalay_engine_panel *panel, int place)
{
    return panel->v + engine->size * panel->row_at[place];
}

/* ------------------------------------------------------------------------------------------------- sending */

/* Copies tile rows of a stream between the panel and a packed array with the stream's leading dimension. */
static void copy_stream_rows(const scalay_engine *engine, const scalay_engine_panel *panel,
                             const scalay_engine_stream *stream, char *packed, int is_packing)
{
    const scalay_engine_plan *plan = &engine->plan;
    for (int n = 0; n < panel->tile_rows; n++) {
        const int i = panel->row[n], rows = panel->row_at[n + 1] - panel->row_at[n];
        if (!scalay_engine_sends_row(plan, panel->k, stream->sender, i)) continue;
        if (!scalay_engine_needs(plan, stream->member, i, panel->k)) continue;
        char *row = panel_row(engine, panel, n);
        if (is_packing)
            scalay_engine_copy(engine->size, rows, panel->width, row, panel->ld, packed, stream->ld);
        else
            scalay_engine_copy(engine->size, rows, panel->width, packed, stream->ld, row, panel->ld);
        packed += engine->size * rows;
    }
}

/* Sends elements of a stream to the children of this process. */
static scalay_status pass_on(scalay_engine *engine, scalay_engine_panel *panel, const scalay_engine_stream *stream,
                             const char *data, int64_t elements)
{
    scalay_status status = SCALAY_SUCCESS;
    const int number = 2 * stream->number + panel->k % 2;
    for (int c = 0; c < stream->relay.children; c++)
        SCALAY_TRY(scalay_engine_send(engine, data, elements, stream->relay.child[c], SCALAY_ENGINE_PANEL, number,
                                      panel->send, &panel->sends));
cleanup:
    return status;
}

/* Are all messages of the panel that have been sent complete? */
static scalay_status test_sends(const scalay_engine_panel *panel, int *done)
{
    scalay_status status = SCALAY_SUCCESS;
    SCALAY_TRY_MPI(MPI_Testall(panel->sends, panel->send, done, MPI_STATUSES_IGNORE));
cleanup:
    return status;
}

/* Packs the rows of this process for a group of receivers. */
static void pack_stream(const scalay_engine *engine, const scalay_engine_panel *panel,
                        const scalay_engine_stream *stream, char *packed)
{
    const int64_t rows = (int64_t)stream->ld * panel->width;
    copy_stream_rows(engine, panel, stream, packed, 1);
    memcpy(packed + engine->size * rows, panel->extra, (size_t)(engine->size * (stream->elements - rows)));
}

/*
 * Sends the rows of this process to each group of receivers: the panel itself if they need all of it. If the buffer is
 * full, the other streams follow when what has been sent is complete.
 */
static scalay_status send_streams(scalay_engine *engine, scalay_engine_panel *panel)
{
    scalay_status status = SCALAY_SUCCESS;
    for (; panel->sent < panel->streams; panel->sent++) {
        const scalay_engine_stream *stream = &panel->stream[panel->sent];
        int done = 1;
        if (stream->relay.parent >= 0) continue;
        if (stream->rows == panel->row_at[panel->tile_rows]) {
            SCALAY_TRY(pass_on(engine, panel, stream, panel->v, stream->elements));
            continue;
        }
        if (panel->packed_at + stream->elements > engine->plan.packed_capacity) {
            SCALAY_TRY(test_sends(panel, &done));
            if (!done) break;
            panel->packed_at = 0;
        }
        char *packed = panel->packed + engine->size * panel->packed_at;
        pack_stream(engine, panel, stream, packed);
        panel->packed_at += stream->elements;
        SCALAY_TRY(pass_on(engine, panel, stream, packed, stream->elements));
    }
cleanup:
    return status;
}

/* ------------------------------------------------------------------------------------- factored by one process */

static void set_info(scalay_engine *engine, int k, int info)
{
    const int global = info + k * engine->plan.map.nb;
    if (info > 0 && (engine->info == 0 || global < engine->info)) engine->info = global;
}

/* Are there columns behind the panel, which it updates? */
static int is_followed(const scalay_engine *engine, int k)
{
    const scalay_engine_plan *plan = &engine->plan;
    return k + 1 < plan->map.tile_cols || scalay_engine_panel_width(plan, k) < scalay_engine_breadth(&plan->map, k);
}

/* Copies R behind T, and puts zeros and ones above and on the diagonal of V. */
static void take_r(const scalay_engine *engine, const scalay_engine_panel *panel, char *r)
{
    const int64_t size = engine->size, w = panel->width;
    const float one_s = 1;
    const double one_d = 1;
    memset(r, 0, (size_t)(size * w * w));
    for (int64_t j = 0; j < w; j++) {
        char *column = panel->v + size * j * panel->ld;
        memcpy(r + size * j * w, column, (size_t)(size * (j + 1)));
        memset(column, 0, (size_t)(size * (j + 1)));
        if (engine->datatype == MPI_FLOAT || engine->datatype == MPI_C_FLOAT_COMPLEX)
            memcpy(column + size * j, &one_s, sizeof one_s);
        else
            memcpy(column + size * j, &one_d, sizeof one_d);
    }
}

static void store_pivots(const scalay_engine *engine, const scalay_engine_panel *panel, const int *pivot)
{
    char *extra = panel->extra;
    memcpy(extra + engine->size * panel->width * panel->width, pivot, sizeof *pivot * (size_t)panel->width);
}

static void factor_alone(scalay_engine *engine, scalay_engine_panel *panel)
{
    const scalay_engine_arithmetic *op = engine->op;
    const int w = panel->width, rows = panel->row_at[panel->tile_rows], k = panel->k;
    char *extra = panel->extra;
    if (engine->plan.settings.kind == SCALAY_FACTOR_QR) {
        op->factor_qr(rows, w, panel->v, panel->ld, extra, w);
        take_r(engine, panel, extra + engine->size * w * w);
    } else if (engine->plan.settings.kind == SCALAY_FACTOR_LU) {
        int *pivot = engine->panel_pivot;
        set_info(engine, k, op->factor_lu(rows, w, panel->v, panel->ld, pivot));
        for (int j = 0; j < w; j++) pivot[j] += k * engine->plan.map.nb;
        if (is_followed(engine, k)) {
            scalay_engine_copy(engine->size, w, w, panel->v, panel->ld, extra, w);
            op->invert_unit(w, extra, w);
        }
        store_pivots(engine, panel, pivot);
    } else {
        set_info(engine, k, op->factor_cholesky(w, panel->v, panel->ld));
        op->solve_right(rows - w, w, panel->v, panel->ld, panel->v + engine->size * w, panel->ld, engine->work);
    }
}

/* Copies the rows that the owners of the posted receives have sent into the panel. */
static void place_gathered(const scalay_engine *engine, const scalay_engine_panel *panel)
{
    const scalay_engine_plan *plan = &engine->plan;
    const char *from = panel->packed;
    (void)scalay_engine_panel_owners(plan, panel->k, engine->owner);
    for (int o = panel->first_owner; o < panel->next_owner; o++) {
        if (engine->owner[o] == plan->process) continue;
        const int ld = scalay_engine_owned_rows(plan, panel->k, engine->owner[o]);
        const char *next = from + engine->size * ld * panel->width;
        for (int n = 0; n < panel->tile_rows; n++) {
            if (scalay_engine_owner(&plan->map, panel->row[n], panel->k) != engine->owner[o]) continue;
            const int rows = panel->row_at[n + 1] - panel->row_at[n];
            scalay_engine_copy(engine->size, rows, panel->width, from, ld, panel_row(engine, panel, n), panel->ld);
            from += engine->size * rows;
        }
        from = next;
    }
}

/* Posts receives of rows of the next owners, of as many as the buffer has space for. */
static scalay_status expect_owners(scalay_engine *engine, scalay_engine_panel *panel)
{
    scalay_status status = SCALAY_SUCCESS;
    const int owners = scalay_engine_panel_owners(&engine->plan, panel->k, engine->owner);
    int64_t at = 0;
    panel->first_owner = panel->next_owner;
    panel->receives = 0;
    for (int o = panel->first_owner; o < owners; panel->next_owner = ++o) {
        const int64_t rows = scalay_engine_owned_rows(&engine->plan, panel->k, engine->owner[o]);
        if (engine->owner[o] == engine->plan.process) continue;
        if (at + rows * panel->width > engine->plan.packed_capacity) break;
        SCALAY_TRY(scalay_engine_receive(engine, panel->packed + engine->size * at, rows * panel->width,
                                         engine->owner[o], SCALAY_ENGINE_ROWS, panel->k, panel->receive,
                                         &panel->receives));
        at += rows * panel->width;
    }
cleanup:
    return status;
}

/* Factors the panel if the rows of all owners are there. */
static scalay_status advance_gathering(scalay_engine *engine, scalay_engine_panel *panel)
{
    scalay_status status = SCALAY_SUCCESS;
    int done = 0;
    SCALAY_TRY_MPI(MPI_Testall(panel->receives, panel->receive, &done, MPI_STATUSES_IGNORE));
    if (!done) return SCALAY_SUCCESS;
    const double began = MPI_Wtime();
    if (panel->receives > 0) {
        place_gathered(engine, panel);
        SCALAY_TRY(expect_owners(engine, panel));
    }
    if (panel->receives > 0) return SCALAY_SUCCESS;
    factor_alone(engine, panel);
    engine->statistics.panel_seconds += MPI_Wtime() - began;
    panel->state = SCALAY_PANEL_READY;
    panel->is_factored = 1;
    if (engine->shared.window.exists) scalay_engine_publish(engine, panel);
    SCALAY_TRY(send_streams(engine, panel));
cleanup:
    return status;
}

/* Copies this process's rows of the panel between the matrix and the panel, all but the first `skip` tile rows. */
static void copy_own_rows(const scalay_engine *engine, const scalay_engine_panel *panel, int skip, int is_to_panel)
{
    int first = 0;
    const scalay_engine_class *class = own_column(engine, panel->k, &first);
    for (int i = first + skip; class != NULL && i < class->rows; i++) {
        const int n = scalay_engine_find(panel->row, panel->tile_rows, class->row[i]);
        const int rows = class->row_at[i + 1] - class->row_at[i];
        char *matrix = column_element(engine, class, panel->k, i), *row = panel_row(engine, panel, n);
        if (is_to_panel)
            scalay_engine_copy(engine->size, rows, panel->width, matrix, class->ld, row, panel->ld);
        else
            scalay_engine_copy(engine->size, rows, panel->width, row, panel->ld, matrix, class->ld);
    }
}

static scalay_status start_gathering(scalay_engine *engine, scalay_engine_panel *panel)
{
    scalay_status status = SCALAY_SUCCESS;
    copy_own_rows(engine, panel, 0, 1);
    panel->next_owner = 0;
    panel->state = SCALAY_PANEL_GATHERING;
    SCALAY_TRY(expect_owners(engine, panel));
    SCALAY_TRY(scalay_engine_advance(engine));
cleanup:
    return status;
}

/* Sends own rows to the process that factors the panel. It sends none of the panel's streams, so `packed` is free. */
static scalay_status give_rows(scalay_engine *engine, scalay_engine_panel *panel)
{
    scalay_status status = SCALAY_SUCCESS;
    int first = 0;
    const scalay_engine_class *class = own_column(engine, panel->k, &first);
    if (class == NULL) return SCALAY_SUCCESS;
    const int rows = class->row_at[class->rows] - class->row_at[first];
    scalay_engine_copy(engine->size, rows, panel->width, column_element(engine, class, panel->k, first), class->ld,
                       panel->packed, rows);
    SCALAY_TRY(scalay_engine_send(engine, panel->packed, (int64_t)rows * panel->width, engine->plan.factorer[panel->k],
                                  SCALAY_ENGINE_ROWS, panel->k, panel->send, &panel->sends));
cleanup:
    return status;
}

/* ---------------------------------------------------------------------------------- factored by owners together */

/* The global rows of this process's part of the panel. */
static void list_lines(const scalay_engine *engine, const scalay_engine_class *class, int first)
{
    int *line = engine->line;
    for (int i = first; i < class->rows; i++)
        for (int row = 0; row < class->row_at[i + 1] - class->row_at[i]; row++)
            *line++ = class->row[i] * engine->plan.map.nb + row;
}

/* Cholesky: the owner of the diagonal tile factors it, and the others solve with it. */
static scalay_status share_cholesky(scalay_engine *engine, const scalay_engine_share *share, char *top, int *info)
{
    const int w = share->width, below = share->has_top ? w : 0;
    memset(top, 0, (size_t)(engine->size * w * w));
    if (share->has_top) {
        *info = engine->op->factor_cholesky(w, share->a, share->ld);
        scalay_engine_copy(engine->size, w, w, share->a, share->ld, top, w);
    }
    const scalay_status status = share->reduce(share->context, top, engine->size * w * w, engine->op->combine_sum);
    if (status == SCALAY_SUCCESS)
        engine->op->solve_right(share->rows - below, w, top, w, share->a + engine->size * below, share->ld,
                                top + engine->size * w * w);
    return status;
}

static scalay_status factor_together(scalay_engine *engine, scalay_engine_panel *panel,
                                     const scalay_engine_class *class, int first)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_engine_reduction reduction = {.engine = engine, .k = panel->k};
    const int k = panel->k, nb = engine->plan.map.nb;
    int *pivot = engine->panel_pivot, info = 0;
    char *extra = panel->extra;
    reduction.owners = scalay_engine_panel_owners(&engine->plan, k, engine->owner);
    reduction.index = scalay_engine_find(engine->owner, reduction.owners, engine->plan.process);
    list_lines(engine, class, first);
    const scalay_engine_share share = {.a = column_element(engine, class, k, first),
                                       .ld = class->ld,
                                       .rows = class->row_at[class->rows] - class->row_at[first],
                                       .width = panel->width,
                                       .has_top = class->row[first] == k,
                                       .line = engine->line,
                                       .first = k * nb,
                                       .work = engine->work,
                                       .reduce = scalay_engine_reduce_panel,
                                       .context = &reduction};
    if (engine->plan.settings.kind == SCALAY_FACTOR_QR) {
        SCALAY_TRY(engine->op->share_qr(&share, extra));
    } else if (engine->plan.settings.kind == SCALAY_FACTOR_LU) {
        SCALAY_TRY(engine->op->share_lu(&share, pivot, extra, &info));
        if (is_followed(engine, k)) engine->op->invert_unit(panel->width, extra, panel->width);
        store_pivots(engine, panel, pivot);
    } else {
        SCALAY_TRY(share_cholesky(engine, &share, engine->work, &info));
    }
    set_info(engine, k, info);
cleanup:
    return status;
}

/* Copies the factored rows of this process into the panel, V with its zeros and ones. */
static void keep_own_rows(const scalay_engine *engine, const scalay_engine_panel *panel)
{
    copy_own_rows(engine, panel, 0, 1);
    const int has_top = scalay_engine_owner(&engine->plan.map, panel->k, panel->k) == engine->plan.process;
    if (engine->plan.settings.kind == SCALAY_FACTOR_QR && has_top && panel->tile_rows > 0 && panel->row[0] == panel->k)
        take_r(engine, panel, engine->work);
}

/* --------------------------------------------------------------------------------------------------- arrival */

/* Posts receives of all streams: into the panel if one stream is all of it. If processes expected them in turn, each of
   them could wait for what another one sends later. */
static scalay_status expect_streams(scalay_engine *engine, scalay_engine_panel *panel)
{
    scalay_status status = SCALAY_SUCCESS;
    int64_t used = 0; /* elements of panel->arrivals */
    int receives = 0;
    for (int n = 0; n < panel->streams; n++) {
        const scalay_engine_stream *stream = &panel->stream[n];
        const int is_all = stream->rows == panel->row_at[panel->tile_rows];
        panel->arrival[n] = NULL;
        panel->receive_at[n + 1] = panel->receive_at[n] = receives;
        panel->passed[n] = 0;
        if (stream->relay.parent < 0) continue;
        panel->arrival[n] = is_all ? panel->v : panel->arrivals + engine->size * used;
        used += is_all ? 0 : stream->elements;
        panel->state = SCALAY_PANEL_RECEIVING;
        SCALAY_TRY(scalay_engine_receive(engine, panel->arrival[n], stream->elements, stream->relay.parent,
                                         SCALAY_ENGINE_PANEL, 2 * stream->number + panel->k % 2, panel->receive,
                                         &receives));
        panel->receive_at[n + 1] = receives;
    }
cleanup:
    return status;
}

/* Passes on the pieces of a stream that have arrived, in order. *done: 1: all have. */
static scalay_status pass_pieces(scalay_engine *engine, scalay_engine_panel *panel, int n, int *done)
{
    scalay_status status = SCALAY_SUCCESS;
    const scalay_engine_stream *stream = &panel->stream[n];
    const int64_t piece = engine->plan.settings.piece;
    const int pieces = panel->receive_at[n + 1] - panel->receive_at[n];
    MPI_Request *receive = panel->receive + panel->receive_at[n];
    for (*done = 1; panel->passed[n] < pieces; panel->passed[n]++) {
        const int64_t at = panel->passed[n] * piece;
        SCALAY_TRY_MPI(MPI_Test(&receive[panel->passed[n]], done, MPI_STATUS_IGNORE));
        if (!*done) break;
        SCALAY_TRY(pass_on(engine, panel, stream, panel->arrival[n] + engine->size * at,
                           scalay_min_int64(piece, stream->elements - at)));
    }
cleanup:
    return status;
}

/* Copies the rows of a stream into the panel. */
static void take_stream(const scalay_engine *engine, const scalay_engine_panel *panel, int n)
{
    const scalay_engine_stream *stream = &panel->stream[n];
    const int64_t rows = (int64_t)stream->ld * panel->width;
    if (panel->arrival[n] == panel->v) return;
    copy_stream_rows(engine, panel, stream, panel->arrival[n], 0);
    memcpy(panel->extra, panel->arrival[n] + engine->size * rows, (size_t)(engine->size * (stream->elements - rows)));
}

/* Passes on what has arrived, and takes streams that are complete. */
static scalay_status advance_streams(scalay_engine *engine, scalay_engine_panel *panel)
{
    scalay_status status = SCALAY_SUCCESS;
    int pending = 0, done = 0;
    if (engine->shared.window.exists) return scalay_engine_find_shared(engine, panel);
    for (int n = 0; n < panel->streams; n++) {
        if (panel->passed[n] == panel->receive_at[n + 1] - panel->receive_at[n]) continue;
        SCALAY_TRY(pass_pieces(engine, panel, n, &done));
        pending += !done;
        if (done) take_stream(engine, panel, n);
    }
    if (pending == 0) panel->state = SCALAY_PANEL_READY;
cleanup:
    return status;
}

scalay_status scalay_engine_advance(scalay_engine *engine)
{
    scalay_status status = SCALAY_SUCCESS;
    for (int n = 0; n < 2; n++) {
        scalay_engine_panel *panel = &engine->panel[n];
        if (panel->state == SCALAY_PANEL_GATHERING)
            SCALAY_TRY(advance_gathering(engine, panel));
        else if (panel->state == SCALAY_PANEL_RECEIVING)
            SCALAY_TRY(advance_streams(engine, panel));
        if (panel->is_factored) SCALAY_TRY(send_streams(engine, panel));
    }
cleanup:
    return status;
}

/* --------------------------------------------------------------------------------------------- start and finish */

static scalay_status start_together(scalay_engine *engine, scalay_engine_panel *panel)
{
    scalay_status status = SCALAY_SUCCESS;
    int first = 0;
    const scalay_engine_class *class = own_column(engine, panel->k, &first);
    SCALAY_TRY(expect_streams(engine, panel));
    if (class != NULL) {
        const double began = MPI_Wtime(), waited = engine->statistics.wait_seconds;
        SCALAY_TRY(factor_together(engine, panel, class, first));
        engine->statistics.panel_seconds += MPI_Wtime() - began - (engine->statistics.wait_seconds - waited);
        keep_own_rows(engine, panel);
        panel->is_factored = 1;
        SCALAY_TRY(send_streams(engine, panel));
    }
    if (panel->state == SCALAY_PANEL_EMPTY && class != NULL) panel->state = SCALAY_PANEL_READY;
cleanup:
    return status;
}

scalay_status scalay_engine_empty_panel(scalay_engine *engine, scalay_engine_panel *panel)
{
    scalay_status status = SCALAY_SUCCESS;
    while (panel->is_factored && panel->sent < panel->streams) {
        SCALAY_TRY(scalay_engine_wait(engine, panel->sends, panel->send));
        SCALAY_TRY(scalay_engine_advance(engine));
    }
    SCALAY_TRY(scalay_engine_wait(engine, panel->sends, panel->send));
    panel->sends = panel->sent = panel->is_factored = 0;
    panel->packed_at = 0;
cleanup:
    return status;
}

/* Starts a panel that the other processes read in the memory of the process that factors it. */
static scalay_status start_shared(scalay_engine *engine, scalay_engine_panel *panel)
{
    scalay_status status = SCALAY_SUCCESS;
    const int is_here = engine->plan.factorer[panel->k] == engine->plan.process;
    if (is_here) SCALAY_TRY(scalay_engine_take_slot(engine, panel));
    list_rows(engine, panel);
    panel->streams = 0;
    if (is_here) return start_gathering(engine, panel);
    if (panel->tile_rows > 0) panel->state = SCALAY_PANEL_RECEIVING;
cleanup:
    return status;
}

scalay_status scalay_engine_start_panel(scalay_engine *engine, int k)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_engine_plan *plan = &engine->plan;
    scalay_engine_panel *panel = &engine->panel[k % 2];
    panel->state = SCALAY_PANEL_EMPTY;
    SCALAY_TRY(scalay_engine_empty_panel(engine, panel));
    panel->k = k;
    panel->width = scalay_engine_panel_width(plan, k);
    if (engine->shared.window.exists) return start_shared(engine, panel);
    list_rows(engine, panel);
    panel->streams = scalay_engine_streams(plan, k, plan->process, plan->stream_capacity, panel->stream);
    if (plan->factorer[k] < 0) return start_together(engine, panel);
    if (plan->factorer[k] == plan->process) return start_gathering(engine, panel);
    SCALAY_TRY(give_rows(engine, panel));
    SCALAY_TRY(expect_streams(engine, panel));
cleanup:
    return status;
}

/* Copies the triangle of a w x w tile below (or above) the diagonal, which is included. */
static void copy_triangle(int64_t size, int w, int is_lower, const char *from, int64_t ld_from, char *to, int64_t ld_to)
{
    for (int64_t j = 0; j < w; j++) {
        const int64_t first = is_lower ? j : 0, rows = is_lower ? w - j : j + 1;
        memcpy(to + size * (first + j * ld_to), from + size * (first + j * ld_from), (size_t)(size * rows));
    }
}

/* Writes the rows that one process has factored into the matrix of their owners. */
static void write_back(const scalay_engine *engine, const scalay_engine_panel *panel)
{
    const int k = panel->k, w = panel->width;
    const int has_top = scalay_engine_owner(&engine->plan.map, k, k) == engine->plan.process;
    const int is_cholesky = engine->plan.settings.kind == SCALAY_FACTOR_CHOLESKY;
    int first = 0;
    const scalay_engine_class *class = own_column(engine, k, &first);
    if (class == NULL) return;
    char *top = column_element(engine, class, k, first);
    copy_own_rows(engine, panel, has_top && is_cholesky, 0);
    if (has_top && is_cholesky) copy_triangle(engine->size, w, 1, panel->v, panel->ld, top, class->ld);
    if (has_top && engine->plan.settings.kind == SCALAY_FACTOR_QR)
        copy_triangle(engine->size, w, 0, panel->extra + engine->size * w * w, w, top, class->ld);
}

/* Pivots and tau become known to the processes that have the panel. */
static void read_extra(scalay_engine *engine, const scalay_engine_panel *panel)
{
    const int w = panel->width, at = panel->k * engine->plan.map.nb;
    const char *extra = panel->extra;
    if (engine->plan.settings.kind == SCALAY_FACTOR_LU)
        memcpy(engine->pivot + at, extra + engine->size * w * w, sizeof(int) * (size_t)w);
    if (engine->plan.settings.kind == SCALAY_FACTOR_QR &&
        scalay_engine_owner(&engine->plan.map, panel->k, panel->k) == engine->plan.process)
        for (int j = 0; j < w; j++)
            memcpy(engine->tau + engine->size * (at + j), extra + engine->size * (j + j * w), (size_t)engine->size);
}

scalay_status scalay_engine_finish_panel(scalay_engine *engine, int k)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_engine_panel *panel = &engine->panel[k % 2];
    const double began = MPI_Wtime(), factored = engine->statistics.panel_seconds;
    while (panel->state == SCALAY_PANEL_GATHERING || panel->state == SCALAY_PANEL_RECEIVING) {
        SCALAY_TRY(scalay_engine_advance(engine));
        if (panel->state != SCALAY_PANEL_READY) scalay_engine_yield();
    }
    engine->statistics.wait_seconds += MPI_Wtime() - began - (engine->statistics.panel_seconds - factored);
    if (panel->state == SCALAY_PANEL_EMPTY) return SCALAY_SUCCESS;
    if (engine->plan.factorer[k] >= 0) write_back(engine, panel);
    read_extra(engine, panel);
cleanup:
    return status;
}

int scalay_engine_half_top(const scalay_engine_class *class, int first, int k, int width)
{
    return class->row[first] == k && width >= 32 ? width / 2 : 0;
}

const char *scalay_engine_panel_rows(scalay_engine *engine, const scalay_engine_panel *panel,
                                     const scalay_engine_class *class, int first, int *ld)
{
    const int from = scalay_engine_find(panel->row, panel->tile_rows, class->row[first]);
    const int last = scalay_engine_find(panel->row, panel->tile_rows, class->row[class->rows - 1]);
    *ld = panel->ld;
    if (last - from == class->rows - 1 - first) return panel_row(engine, panel, from);
    *ld = scalay_engine_leading(class->row_at[class->rows] - class->row_at[first]);
    for (int i = first; i < class->rows; i++) {
        const int n = scalay_engine_find(panel->row, panel->tile_rows, class->row[i]);
        scalay_engine_copy(engine->size, class->row_at[i + 1] - class->row_at[i], panel->width,
                           panel_row(engine, panel, n), panel->ld,
                           engine->gathered + engine->size * (class->row_at[i] - class->row_at[first]), *ld);
    }
    return engine->gathered;
}
