/* Keeps plugins loaded until the process ends, so that a leak report can name the functions of Open MPI's. */

__attribute__((visibility("default"))) int dlclose(void *handle);

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}
