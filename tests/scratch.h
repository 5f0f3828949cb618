// A folder of its own for a test program's files; gone when the program ends well.
#ifndef NC_TESTS_SCRATCH_H
#define NC_TESTS_SCRATCH_H

#include "check.h"

#include <unistd.h>

static char scratch_folder[64];

static inline int scratch_setup(void **state)
{
    static const char *const places[] = {"/dev/shm", "/tmp"}; // in memory where possible: a thousand syncs take long
    (void)state;
    for (int i = 0; i < 2; i++) {
        snprintf(scratch_folder, sizeof scratch_folder, "%s/nacre-test-XXXXXX", places[i]);
        if (mkdtemp(scratch_folder) != NULL)
            return 0;
    }
    return -1;
}

static inline int scratch_teardown(void **state)
{
    (void)state;
    char command[96];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch_folder);
    return system(command) == 0 ? 0 : -1;
}

// The path of a file in the folder; good until it was called eight times more.
static inline const char *scratch_path(const char *name)
{
    static char paths[8][160];
    static int turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", scratch_folder, name);
    return path;
}

static inline const char *scratch_write(const char *name, const void *bytes, size_t size)
{
    const char *path = scratch_path(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

static inline const char *scratch_text(const char *name, const char *text)
{
    return scratch_write(name, text, strlen(text));
}

#endif
