// What the harnesses share. Each is one LLVMFuzzerTestOneInput: any bytes in, no crash, no leak, no broken promise.
#ifndef NC_FUZZ_FUZZ_H
#define NC_FUZZ_FUZZ_H

#include "nacre/nacre.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// A promise that must hold for every input: the fuzzer stops at the first input that breaks it.
#define FUZZ_PROMISE(condition)                                                                                        \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #condition);                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

// A failed call has filled its error: the same code, and a sentence.
static inline void fuzz_honest(nc_code code, const nc_error *err)
{
    FUZZ_PROMISE(code == NC_OK || (err->code == code && err->text[0] != '\0'));
}

#endif
