/* Random changes of a slicing tree. */
#include "partition/slicing.h"

/* Where a link to a node is kept: in the root, in a cut, or in the list of holes of a leaf. */
static int *link_to(scalay_slicing *tree, int node)
{
    int parent = tree->slice[node].parent;
    if (parent < 0) return &tree->root;
    scalay_slice *above = &tree->slice[parent];
    if (above->part < 0) return &above->child[above->child[1] == node];
    int *link = &above->hole;
    while (*link != node) link = &tree->slice[*link].next;
    return link;
}

static void replace(scalay_slicing *tree, int old, int by)
{
    *link_to(tree, old) = by;
    tree->slice[by].parent = tree->slice[old].parent;
    tree->slice[by].next = tree->slice[old].next;
    tree->slice[old].parent = -1;
    tree->slice[old].next = -1;
}

/* Takes a node that is not the root out of the tree; the cut above it goes. */
static void prune(scalay_slicing *tree, int node)
{
    int above = tree->slice[node].parent;
    if (tree->slice[above].part >= 0) {
        *link_to(tree, node) = tree->slice[node].next;
    } else {
        int sibling = tree->slice[above].child[tree->slice[above].child[0] == node];
        replace(tree, above, sibling);
        tree->slice[above].next = tree->free_cut;
        tree->free_cut = above;
    }
    tree->slice[node].parent = -1;
    tree->slice[node].next = -1;
}

/* A new cut in the place of a node, between it and another one that is in no tree. */
static void graft(scalay_slicing *tree, int node, int at, scalay_random *random)
{
    int64_t turn = scalay_random_below(random, 4);
    int cut = tree->free_cut;
    tree->free_cut = tree->slice[cut].next;
    tree->slice[cut] = (scalay_slice){.part = -1, .direction = (int)(turn & 1), .child = {-1, -1}, .hole = -1};
    replace(tree, at, cut);
    tree->slice[cut].child[turn >> 1] = node;
    tree->slice[cut].child[1 - (turn >> 1)] = at;
    tree->slice[node].parent = cut;
    tree->slice[at].parent = cut;
}

/* -1: a cut that is not in use, or the tree's own root was drawn where it may not be. */
static int random_node(const scalay_slicing *tree, scalay_random *random)
{
    int node = (int)scalay_random_below(random, 2 * (int64_t)tree->shares->parts - 1);
    return node == tree->root || tree->slice[node].parent >= 0 ? node : -1;
}

static int is_within(const scalay_slicing *tree, int node, int of)
{
    while (node >= 0 && node != of) node = tree->slice[node].parent;
    return node == of;
}

static void swap_parts(scalay_slicing *tree, scalay_random *random)
{
    scalay_slice *a = &tree->slice[scalay_random_below(random, tree->shares->parts)];
    scalay_slice *b = &tree->slice[scalay_random_below(random, tree->shares->parts)];
    int part = a->part;
    a->part = b->part;
    b->part = part;
}

static void flip(scalay_slicing *tree, scalay_random *random)
{
    int node = random_node(tree, random);
    if (node >= 0 && tree->slice[node].part < 0) tree->slice[node].direction ^= 1;
}

static void regraft(scalay_slicing *tree, scalay_random *random)
{
    int node = random_node(tree, random);
    int at = random_node(tree, random);
    if (node < 0 || at < 0 || node == tree->root || is_within(tree, at, node)) return;
    if (tree->slice[node].parent == at && tree->slice[at].part < 0) return; /* that cut goes with the pruning */
    prune(tree, node);
    graft(tree, node, at, random);
}

static void make_hole(scalay_slicing *tree, scalay_random *random)
{
    int node = random_node(tree, random);
    int leaf = (int)scalay_random_below(random, tree->shares->parts);
    if (node < 0 || node == tree->root || is_within(tree, leaf, node)) return;
    prune(tree, node);
    scalay_slicing_nest(tree, leaf, node);
}

void scalay_slicing_move(scalay_slicing *tree, scalay_random *random)
{
    int64_t kind = scalay_random_below(random, 20);
    if (kind < 5)
        swap_parts(tree, random);
    else if (kind < 8)
        flip(tree, random);
    else if (kind < 16)
        regraft(tree, random);
    else
        make_hole(tree, random);
}
