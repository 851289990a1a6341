/*
 * Panels in shared memory. If all processes are on one node and own whole tile columns, a panel stays where it was
 * factored: the others read it there, and nothing is sent.
 *
 * Each process has a segment with a board and two slots, which it uses in turn for the panels that it factors. Its
 * first two panels are the largest ones, and the slots are as long as these. On the board it says which panels are
 * there, and which step it has finished. A panel is replaced when all processes have finished its step. The process
 * with the least step can always go on, because the panels that it needs are not replaced; so no process waits for
 * ever.
 */
#include <stdatomic.h>

#include "factor/engine.h"
#include "parallel/node.h"

enum { SLOTS = 2, LINE = 64 };

/* The beginning of a segment. Steps are numbered through all executions, from 1. */
typedef struct {
    _Alignas(LINE) _Atomic int64_t finished;     /* last step of this process */
    _Alignas(LINE) _Atomic int has_failed;       /* 1: this process does not go on */
    _Alignas(LINE) _Atomic int64_t ready[SLOTS]; /* steps whose panels are in the slots */
    int64_t begin[SLOTS];                        /* bytes from the board to each slot */
} board;

static board *board_of(const scalay_engine *engine, int process)
{
    return (board *)(void *)engine->shared.window.segment[process];
}

static int64_t number_of(const scalay_engine *engine, int k)
{
    return engine->shared.executions * (engine->plan.steps + 1) + k + 1;
}

static char *slot_of(const scalay_engine *engine, int process, int slot)
{
    return engine->shared.window.segment[process] + board_of(engine, process)->begin[slot];
}

/* Divides the segment of this process. */
static void place_slots(scalay_engine *engine)
{
    board *own = board_of(engine, engine->plan.process);
    own->begin[0] = (int64_t)sizeof(board);
    for (int n = 1; n < SLOTS; n++)
        own->begin[n] = own->begin[n - 1] + engine->size * scalay_engine_own_panel(&engine->plan, n - 1);
}

scalay_status scalay_engine_share_panels(scalay_engine *engine, scalay_comm *comm)
{
    scalay_status status = SCALAY_SUCCESS;
    if (!scalay_engine_shares_panels(&engine->plan)) return SCALAY_SUCCESS;
    const int64_t cleared = (int64_t)sizeof(board);
    int64_t panels = 0;
    for (int n = 0; n < SLOTS; n++) panels += engine->size * scalay_engine_own_panel(&engine->plan, n);
    SCALAY_TRY(scalay_shared_window_create(comm->node->mpi, cleared + panels, cleared, &engine->shared.window));
    if (engine->shared.window.exists)
        place_slots(engine);
    else
        SCALAY_TRY(scalay_engine_allocate_panels(engine));
    scalay_engine_return_slots(engine);
cleanup:
    if (status != SCALAY_SUCCESS) scalay_shared_window_free(&engine->shared.window);
    return status;
}

void scalay_engine_return_slots(scalay_engine *engine)
{
    for (int n = 0; n < 2 && engine->shared.window.exists; n++)
        engine->panel[n].v = slot_of(engine, engine->plan.process, n);
    engine->shared.slot = SLOTS - 1; /* the first panel of an execution is in the first slot, which is long enough */
}

/* Fails if a process does not go on. */
static scalay_status check_process(const scalay_engine *engine, int process)
{
    if (!atomic_load_explicit(&board_of(engine, process)->has_failed, memory_order_relaxed)) return SCALAY_SUCCESS;
    return scalay_mpi_check(MPI_ERR_OTHER, "scalay_factor_execute", "the factorisation on another rank");
}

scalay_status scalay_engine_take_slot(scalay_engine *engine, scalay_engine_panel *panel)
{
    scalay_status status = SCALAY_SUCCESS;
    const int process = engine->plan.process;
    const double began = MPI_Wtime();
    engine->shared.slot = (engine->shared.slot + 1) % SLOTS;
    const int64_t number = atomic_load(&board_of(engine, process)->ready[engine->shared.slot]);
    for (int p = 0; p < engine->plan.map.processes; p++)
        while (atomic_load_explicit(&board_of(engine, p)->finished, memory_order_acquire) < number) {
            SCALAY_TRY(check_process(engine, p));
            scalay_engine_yield();
        }
    panel->v = slot_of(engine, process, engine->shared.slot);
cleanup:
    engine->statistics.wait_seconds += MPI_Wtime() - began;
    return status;
}

void scalay_engine_publish(scalay_engine *engine, const scalay_engine_panel *panel)
{
    board *own = board_of(engine, engine->plan.process);
    atomic_store_explicit(&own->ready[engine->shared.slot], number_of(engine, panel->k), memory_order_release);
}

scalay_status scalay_engine_find_shared(scalay_engine *engine, scalay_engine_panel *panel)
{
    const scalay_engine_plan *plan = &engine->plan;
    const int process = plan->factorer[panel->k], first = panel->k * plan->map.nb;
    for (int n = 0; n < SLOTS; n++) {
        const int64_t number = atomic_load_explicit(&board_of(engine, process)->ready[n], memory_order_acquire);
        if (number != number_of(engine, panel->k)) continue;
        panel->ld = scalay_engine_leading(plan->map.m - first);
        panel->v = slot_of(engine, process, n);
        panel->extra = panel->v + engine->size * panel->ld * panel->width;
        panel->v += engine->size * (panel->row[0] * plan->map.nb - first);
        panel->state = SCALAY_PANEL_READY;
        return SCALAY_SUCCESS;
    }
    return check_process(engine, process);
}

void scalay_engine_finish_step(scalay_engine *engine, int k)
{
    if (engine->shared.window.exists)
        atomic_store_explicit(&board_of(engine, engine->plan.process)->finished, number_of(engine, k),
                              memory_order_release);
}

void scalay_engine_give_up(scalay_engine *engine)
{
    if (engine->shared.window.exists)
        atomic_store_explicit(&board_of(engine, engine->plan.process)->has_failed, 1, memory_order_relaxed);
}
