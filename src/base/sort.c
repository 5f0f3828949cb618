// A stable merge sort, and the nearest of a list of names.
#include "base/base.h"

#include <string.h>

// Merges the sorted runs [begin, middle) and [middle, end) of `from` into `to`; ties keep their order.
static void merge(const uint8_t *from, uint8_t *to, size_t begin, size_t middle, size_t end, size_t item_size,
                  nc_less less, const void *ctx)
{
    size_t left = begin, right = middle;
    for (size_t k = begin; k < end; k++) {
        const bool take_right =
            left >= middle || (right < end && less(from + right * item_size, from + left * item_size, ctx));
        memcpy(to + k * item_size, from + (take_right ? right++ : left++) * item_size, item_size);
    }
}

void nc_sort_in(void *items, void *spare, size_t count, size_t item_size, nc_less less, const void *ctx)
{
    uint8_t *from = items, *to = spare;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * width) {
            const size_t middle = begin + width < count ? begin + width : count;
            const size_t end = begin + 2 * width < count ? begin + 2 * width : count;
            merge(from, to, begin, middle, end, item_size, less, ctx);
        }
        uint8_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != (uint8_t *)items)
        memcpy(items, from, count * item_size);
}

bool nc_sort(const nc_allocator *allocator, void *items, size_t count, size_t item_size, nc_less less, const void *ctx)
{
    if (count < 2)
        return true;
    void *spare = nc_alloc(allocator, count, item_size);
    if (spare == NULL)
        return false;
    nc_sort_in(items, spare, count, item_size, less, ctx);
    nc_free(allocator, spare, count, item_size);
    return true;
}

#define LONGEST_NAME 63

// Levenshtein distance of two words of at most LONGEST_NAME letters.
static int edit_distance(const char *a, int a_count, const char *b, int b_count)
{
    int row[LONGEST_NAME + 1];
    for (int j = 0; j <= b_count; j++)
        row[j] = j;
    for (int i = 1; i <= a_count; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= b_count; j++) {
            const int replaced = diagonal + (a[i - 1] != b[j - 1]);
            const int shorter = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = replaced < shorter ? replaced : shorter;
        }
    }
    return row[b_count];
}

int nc_nearest_name(const char *word, const char *const *names, int count)
{
    const size_t length = strlen(word);
    if (length > LONGEST_NAME)
        return -1;
    int best = -1, best_distance = length >= 6 ? (int)(length / 3) + 1 : 3;
    for (int i = 0; i < count; i++) {
        const size_t name_length = strlen(names[i]);
        if (name_length > LONGEST_NAME)
            continue;
        const int distance = edit_distance(word, (int)length, names[i], (int)name_length);
        if (distance < best_distance) {
            best_distance = distance;
            best = i;
        }
    }
    return best;
}
