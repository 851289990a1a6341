// A C++ program that links nothing but the library of C: a matrix goes from slabs of rows to slabs of columns and back.
#include <cstdio>
#include <scalay/scalay.h>
#include <vector>

static scalay_status run(scalay_comm *comm, std::vector<double> &a, bool &is_moved)
{
    const int ranks = scalay_comm_size(comm), n = 3 * ranks;
    scalay_layout *rows = nullptr, *cols = nullptr;
    scalay_plan *plan = nullptr;
    const std::vector<double> before = a = std::vector<double>(std::size_t(3 * n), 1.0 + scalay_comm_rank(comm));
    std::vector<double> b(a.size());
    scalay_status status = scalay_layout_block_cyclic(n, n, 3, n, ranks, 1, 0, 0, SCALAY_ROW_MAJOR, &rows);
    if (!status) status = scalay_layout_block_cyclic(n, n, n, 3, 1, ranks, 0, 0, SCALAY_ROW_MAJOR, &cols);
    if (!status) status = scalay_plan_create(comm, rows, cols, nullptr, SCALAY_DOUBLE, nullptr, &plan);
    if (!status) status = scalay_plan_execute(plan, a.data(), b.data());
    a.assign(a.size(), 0.0);
    if (!status) status = scalay_plan_execute_back(plan, b.data(), a.data());
    is_moved = a == before && b[0] == 1.0 && b[std::size_t(n - 1)] == ranks;
    scalay_plan_destroy(&plan);
    scalay_layout_destroy(&cols);
    scalay_layout_destroy(&rows);
    return status;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    scalay_comm *comm = nullptr;
    std::vector<double> a;
    bool is_moved = false;
    scalay_status status = scalay_comm_create(MPI_COMM_WORLD, &comm);
    if (!status) status = run(comm, a, is_moved);
    if (status) std::fprintf(stderr, "%s: %s\n", scalay_status_name(status), scalay_error_message());
    scalay_comm_destroy(&comm);
    MPI_Finalize();
    return status == SCALAY_SUCCESS && is_moved ? 0 : 1;
}
