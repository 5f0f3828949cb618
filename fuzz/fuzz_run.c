// Run files: the bytes become a file, and everything that can be read of it is read.
#include "read_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = scratch_path();
    write_file(path, data, size);
    read_run(path);
    unlink(path);
    return 0;
}
