#include "model/seats.h"

#include "base/memory.h"

scalay_status scalay_seats_create(const int *core, int processes, scalay_seats *seats)
{
    scalay_status status = SCALAY_SUCCESS;
    int *taken = NULL;
    scalay_seats made = {.processes = processes};
    SCALAY_TRY(SCALAY_NEW(taken, processes));
    SCALAY_TRY(SCALAY_NEW(made.seat, processes));
    SCALAY_TRY(SCALAY_NEW(made.barred, processes));
    SCALAY_TRY(SCALAY_NEW(made.open, processes));
    for (int p = 0; p < processes; p++) {
        made.seat[p] = taken[core[p]]++;
        made.are_shared |= made.seat[p] > 0;
    }
    *seats = made;
    made = (scalay_seats){0};
cleanup:
    scalay_seats_release(&made);
    scalay_release(taken);
    return status;
}

void scalay_seats_take(scalay_seats *seats, int size)
{
    int found = 0;
    for (int rows = 1; found < size; rows++) {
        found = 0;
        for (int p = 0; p < seats->processes; p++) {
            seats->barred[p] = seats->seat[p] >= rows;
            if (!seats->barred[p]) seats->open[found++] = p;
        }
    }
}

void scalay_seats_release(scalay_seats *seats)
{
    scalay_release(seats->seat);
    scalay_release(seats->barred);
    scalay_release(seats->open);
    *seats = (scalay_seats){0};
}
