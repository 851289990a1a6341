/* Topologies by the two routines of the PBLAS for them, which have no header. */
#include "parallel/topologies.h"

void pb_topget_(const int *ctxt, const char *operation, const char *scope, char *topology);
void pb_topset_(const int *ctxt, const char *operation, const char *scope, const char *topology);

static const struct {
    const char *operation, *scope;
} kinds[SCALAY_TOPOLOGIES] = {{"Broadcast", "Rowwise"}, {"Broadcast", "Columnwise"}, {"Broadcast", "All"},
                              {"Combine", "Rowwise"},   {"Combine", "Columnwise"},   {"Combine", "All"}};

scalay_topologies scalay_topologies_reset(int ctxt)
{
    scalay_topologies before;
    for (int k = 0; k < SCALAY_TOPOLOGIES; k++) {
        pb_topget_(&ctxt, kinds[k].operation, kinds[k].scope, &before.letter[k]);
        pb_topset_(&ctxt, kinds[k].operation, kinds[k].scope, " ");
    }
    return before;
}

void scalay_topologies_restore(int ctxt, const scalay_topologies *topologies)
{
    for (int k = 0; k < SCALAY_TOPOLOGIES; k++)
        pb_topset_(&ctxt, kinds[k].operation, kinds[k].scope, &topologies->letter[k]);
}
