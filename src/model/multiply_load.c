#include "model/multiply_load.h"

#include "base/memory.h"
#include "partition/multiply_cost.h"

static int64_t owners_of(const scalay_line_owners *owners, int64_t line_class)
{
    return owners->start[line_class + 1] - owners->start[line_class];
}

/* Each part that needs a line gets what it does not hold of it. */
static void add_moved(const scalay_cost_side *side, int64_t length, scalay_product_load *loads)
{
    const scalay_line_owners *source = &side->source, *target = &side->target;
    for (int64_t j = 0; j < side->overlaps; j++) {
        const scalay_overlap_lines *overlap = &side->overlap[j];
        const int64_t targets = owners_of(target, overlap->target_class);
        for (int64_t e = target->start[overlap->target_class]; e < target->start[overlap->target_class + 1]; e++)
            loads[target->owner[e]].received += overlap->lines * length;
        for (int64_t e = source->start[overlap->source_class]; e < source->start[overlap->source_class + 1]; e++) {
            scalay_product_load *load = &loads[source->owner[e]];
            const int64_t held = overlap->lines * source->held[e];
            const int is_target = scalay_line_owners_has(target, overlap->target_class, source->owner[e]);
            load->sent += held * (targets - is_target);
            load->received -= is_target ? held : 0;
        }
    }
}

/* The other parts that own something of the target classes that a part's source classes meet. met: shape [parts], below
 * part + 1 where a part has not been met. */
static int64_t count_partners(const scalay_cost_side *side, int part, int *met)
{
    const scalay_line_owners *target = &side->target;
    const int64_t first = side->part_start[part], end = side->part_start[part + 1];
    int64_t count = 0;
    for (int64_t p = first; p < end; p++) {
        const int64_t class = side->part_class[p];
        for (int64_t j = side->overlap_start[class]; j < side->overlap_start[class + 1]; j++) {
            const int64_t other = side->overlap[j].target_class;
            /* All lines are alike, as those of a grid are: nobody is met twice. */
            if (end - first == 1 && side->overlap_start[class + 1] - side->overlap_start[class] == 1)
                return owners_of(target, other) - scalay_line_owners_has(target, other, part);
            for (int64_t e = target->start[other]; e < target->start[other + 1]; e++) {
                if (target->owner[e] == part || met[target->owner[e]] == part + 1) continue;
                met[target->owner[e]] = part + 1;
                count++;
            }
        }
    }
    return count;
}

static scalay_status add_partners(const scalay_cost_side *side, int parts, int receives, scalay_product_load *loads)
{
    int *met = NULL;
    const scalay_status status = SCALAY_NEW(met, parts);
    for (int part = 0; status == SCALAY_SUCCESS && part < parts; part++) {
        const int64_t partners = count_partners(side, part, met);
        loads[part].sends_to += receives ? 0 : partners;
        loads[part].receives_from += receives ? partners : 0;
    }
    scalay_release(met);
    return status;
}

/* A or B. Who receives from whom is who sends to whom with the two maps changed about. */
static scalay_status add_side(const scalay_cost_side *side, const scalay_owner_map *sent, const scalay_owner_map *c,
                              scalay_lines_way way, int64_t length, scalay_product_load *loads)
{
    scalay_status status = SCALAY_SUCCESS;
    const int parts = scalay_owner_map_parts(c);
    scalay_cost_side turned = {0};
    add_moved(side, length, loads);
    SCALAY_TRY(add_partners(side, parts, 0, loads));
    SCALAY_TRY(scalay_cost_side_create(c, sent, way, &turned));
    SCALAY_TRY(add_partners(&turned, parts, 1, loads));
cleanup:
    scalay_cost_side_free(&turned);
    return status;
}

scalay_status scalay_product_loads(const scalay_owner_map *map, int64_t k, int64_t *volume, scalay_product_load *loads)
{
    scalay_status status = SCALAY_SUCCESS;
    scalay_owner_map *a = NULL;
    scalay_owner_map *b = NULL;
    scalay_multiply_cost *cost = NULL;
    scalay_multiply_cost_summary summary;
    SCALAY_TRY(scalay_owner_map_resize(map, scalay_owner_map_rows(map), k, &a));
    SCALAY_TRY(scalay_owner_map_resize(map, k, scalay_owner_map_cols(map), &b));
    SCALAY_TRY(scalay_multiply_cost_create(a, b, map, NULL, &cost));
    SCALAY_TRY(scalay_multiply_cost_get_summary(cost, &summary));
    *volume = summary.volume;
    SCALAY_TRY(add_side(&cost->rows, a, map, SCALAY_LINES_ROWS, k, loads));
    SCALAY_TRY(add_side(&cost->cols, b, map, SCALAY_LINES_COLUMNS, k, loads));
cleanup:
    scalay_multiply_cost_destroy(&cost);
    scalay_owner_map_destroy(&b);
    scalay_owner_map_destroy(&a);
    return status;
}
