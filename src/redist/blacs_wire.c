#include "redist/blacs_wire.h"

#include "parallel/blacs.h"

static void send_s(int ctxt, int count, void *data, int peer)
{
    Csgesd2d(ctxt, count, 1, data, count, 0, peer);
}

static void send_d(int ctxt, int count, void *data, int peer)
{
    Cdgesd2d(ctxt, count, 1, data, count, 0, peer);
}

static void send_c(int ctxt, int count, void *data, int peer)
{
    Ccgesd2d(ctxt, count, 1, data, count, 0, peer);
}

static void send_z(int ctxt, int count, void *data, int peer)
{
    Czgesd2d(ctxt, count, 1, data, count, 0, peer);
}

static void send_i(int ctxt, int count, void *data, int peer)
{
    Cigesd2d(ctxt, count, 1, data, count, 0, peer);
}

static void receive_s(int ctxt, int count, void *data, int peer)
{
    Csgerv2d(ctxt, count, 1, data, count, 0, peer);
}

static void receive_d(int ctxt, int count, void *data, int peer)
{
    Cdgerv2d(ctxt, count, 1, data, count, 0, peer);
}

static void receive_c(int ctxt, int count, void *data, int peer)
{
    Ccgerv2d(ctxt, count, 1, data, count, 0, peer);
}

static void receive_z(int ctxt, int count, void *data, int peer)
{
    Czgerv2d(ctxt, count, 1, data, count, 0, peer);
}

static void receive_i(int ctxt, int count, void *data, int peer)
{
    Cigerv2d(ctxt, count, 1, data, count, 0, peer);
}

static const scalay_blacs_wire wires[] = {
    [SCALAY_FLOAT] = {sizeof(float), send_s, receive_s},
    [SCALAY_DOUBLE] = {sizeof(double), send_d, receive_d},
    [SCALAY_COMPLEX_FLOAT] = {2 * sizeof(float), send_c, receive_c},
    [SCALAY_COMPLEX_DOUBLE] = {2 * sizeof(double), send_z, receive_z},
    [SCALAY_INT] = {sizeof(int), send_i, receive_i},
};

const scalay_blacs_wire *scalay_blacs_wire_for(scalay_type type)
{
    return &wires[type];
}
