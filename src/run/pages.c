// Poses read from the pages of a run file: the b-tree of the table `pose`, as SQLite's file format defines it
// (sqlite.org/fileformat2.html, which is stable for ever), without a statement per row. Five times as fast as SQL.
//
// What is read here is a proposal: pages may be old while another process writes, or damaged. Nothing outside of a page
// is touched whatever it holds, and the caller takes the poses only when they have the frame's checksum; otherwise it
// asks SQLite. Pages come through SQLite's own file, so that no lock is lost (a second descriptor would drop them).
#include "run/run.h"

#include <string.h>

enum {
    FILE_HEAD = 100,  // [bytes] before the first page's own head
    LEAF_HEAD = 8,    // [bytes] of a page without children; the number of the last child is behind it in others
    INNER_HEAD = 12,  // [bytes]
    INDEX_LEAF = 10,  // type of a page
    INDEX_INNER = 2,  // type of a page
    RECORD_HEAD = 16, // [bytes] its own length, and a type for each of 15 columns
    REAL_TYPE = 7,
    POSE_REALS = 13
};

typedef struct page_row {
    int64_t frame, body;
    const uint8_t *reals; // 13, most significant byte first
} page_row;

static uint32_t get_u16(const uint8_t *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t get_u32(const uint8_t *at)
{
    return get_u16(at) << 16 | get_u16(at + 2);
}

static double get_real(const uint8_t *at)
{
    const uint64_t bits = (uint64_t)get_u32(at) << 32 | get_u32(at + 4);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// ---- pages --------------------------------------------------------------------------------------------------

static bool read_bytes(nc_run_pages *pages, void *out, int size, int64_t at)
{
    return pages->file->pMethods->xRead(pages->file, out, size, at) == SQLITE_OK;
}

// Finds the file, the size of its pages and the root of the table. False: not to be read by pages.
static bool open_pages(nc_run *run)
{
    nc_run_pages *pages = &run->pages;
    uint8_t head[FILE_HEAD];
    if (sqlite3_file_control(run->db, "main", SQLITE_FCNTL_FILE_POINTER, &pages->file) != SQLITE_OK ||
        pages->file == NULL || pages->file->pMethods == NULL || !read_bytes(pages, head, FILE_HEAD, 0))
        return false;
    const uint32_t size = get_u16(head + 16) == 1 ? 65536 : get_u16(head + 16);
    if (size < 512 || head[20] >= size - 480)
        return false;
    pages->usable = size - head[20];
    if (nc_sql_query_int(run, "select rootpage from sqlite_schema where name = 'pose'", &pages->root, NULL) != NC_OK ||
        pages->root < 2)
        return false;
    pages->memory = nc_alloc(&run->allocator, NC_RUN_PAGE_LEVELS, size);
    pages->size = size;
    return pages->memory != NULL;
}

void nc_run_pages_close(nc_run *run)
{
    nc_free(&run->allocator, run->pages.memory, NC_RUN_PAGE_LEVELS, run->pages.size);
    run->pages = (nc_run_pages){.off = true};
}

// The page in the memory of its level, where it stays until another one of that level is read. NULL: cannot be read.
static const uint8_t *load_page(nc_run_pages *pages, int64_t page, int level)
{
    if (level >= NC_RUN_PAGE_LEVELS || page < 2)
        return NULL;
    uint8_t *data = pages->memory + (size_t)level * pages->size;
    if (pages->loaded[level] == page)
        return data;
    pages->loaded[level] = 0;
    if (!read_bytes(pages, data, (int)pages->size, (page - 1) * (int64_t)pages->size))
        return NULL;
    pages->loaded[level] = page;
    return data;
}

// ---- rows ---------------------------------------------------------------------------------------------------

// An integer column of a type below 10; moves `*at` behind it. False for types that are no integers.
static bool take_integer(uint8_t type, const uint8_t **at, int64_t *out)
{
    static const int sizes[] = {-1, 1, 2, 3, 4, 6, 8, -1, 0, 0};
    if (type >= sizeof sizes / sizeof *sizes || sizes[type] < 0)
        return false;
    const int size = sizes[type];
    uint64_t bits = size > 0 && ((*at)[0] & 0x80) != 0 ? UINT64_MAX : 0;
    for (int k = 0; k < size; k++)
        bits = bits << 8 | *(*at)++;
    *out = size > 0 ? (int64_t)bits : type - 8;
    return true;
}

// Row `cell` of a page. False: it is not what the table's rows are.
static bool read_row(const nc_run_pages *pages, const uint8_t *data, int cell, page_row *out)
{
    const bool leaf = data[0] == INDEX_LEAF;
    const uint32_t pointer = get_u16(data + (leaf ? LEAF_HEAD : INNER_HEAD) + 2 * cell) + (leaf ? 0 : 4);
    if (pointer < LEAF_HEAD || pointer + 2 > pages->usable)
        return false;
    // The payload's size in one or two bytes: rows have at most 16 + 2 * 8 + 13 * 8.
    const uint8_t *at = data + pointer;
    uint32_t size = *at++;
    if (size >= 0x80)
        size = (size & 0x7f) << 7 | *at++;
    const uint8_t *const end = at + size;
    if (size >= 1 << 14 || end > data + pages->usable || size < RECORD_HEAD + 8 * POSE_REALS || at[0] != RECORD_HEAD)
        return false;
    for (int k = 0; k < POSE_REALS; k++)
        if (at[3 + k] != REAL_TYPE)
            return false;
    const uint8_t frame_type = at[1], body_type = at[2];
    at += RECORD_HEAD;
    if (!take_integer(frame_type, &at, &out->frame) || !take_integer(body_type, &at, &out->body))
        return false;
    out->reals = at;
    return at + (size_t)8 * POSE_REALS == end;
}

// ---- a frame ------------------------------------------------------------------------------------------------

typedef struct search {
    nc_run *run;
    nc_run_frame *frame; // wanted; its poses are filled
    int count;           // of poses
    int64_t pages_left;  // that may be visited: damaged ones could lead round in circles
    bool past;           // a row behind the frame was seen
} search;

static bool take_row(search *s, const page_row *row)
{
    nc_run_frame *frame = s->frame;
    if (s->count >= frame->pose_count || row->body < 0 || row->body > INT_MAX)
        return false;
    if (s->count >= frame->pose_capacity &&
        !nc_grow(&s->run->allocator, (void **)&frame->poses, &frame->pose_capacity, s->count + 1, sizeof *frame->poses))
        return false;
    double n[POSE_REALS];
    for (int k = 0; k < POSE_REALS; k++)
        n[k] = get_real(row->reals + 8 * k);
    frame->poses[s->count++] = (nc_run_pose){.body = (int)row->body,
                                             .pose = {nc_v3(n[0], n[1], n[2]), nc_q4(n[3], n[4], n[5], n[6])},
                                             .velocity = nc_v3(n[7], n[8], n[9]),
                                             .spin = nc_v3(n[10], n[11], n[12])};
    return true;
}

// The first cell of a page that is not before the frame; -1: a row cannot be read.
static int first_cell(const search *s, const uint8_t *data, int cells)
{
    int low = 0, high = cells;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        page_row row;
        if (!read_row(&s->run->pages, data, middle, &row))
            return -1;
        if (row.frame < s->frame->frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The number of cells, or -1: no page of an index, or too many cells.
static int cell_count(const nc_run_pages *pages, const uint8_t *data)
{
    if (data[0] != INDEX_LEAF && data[0] != INDEX_INNER)
        return -1;
    const int cells = (int)get_u16(data + 3);
    return INNER_HEAD + 2 * (uint32_t)cells <= pages->usable ? cells : -1;
}

// Takes the frame's rows from a page and the pages below it, in order: of an inner page child 0, row 0, child 1, ...,
// the last child. False: something is not as expected.
static bool visit_page(search *s, int64_t page, int level)
{
    const uint8_t *data = s->pages_left-- > 0 ? load_page(&s->run->pages, page, level) : NULL;
    if (data == NULL)
        return false;
    const int cells = cell_count(&s->run->pages, data);
    const int first = cells >= 0 ? first_cell(s, data, cells) : -1;
    if (first < 0)
        return false;
    const bool inner = data[0] == INDEX_INNER;
    for (int cell = first; cell < cells; cell++) {
        page_row row;
        if (!read_row(&s->run->pages, data, cell, &row))
            return false;
        if (inner && !visit_page(s, get_u32(data + get_u16(data + INNER_HEAD + 2 * cell)), level + 1))
            return false;
        s->past = s->past || row.frame > s->frame->frame;
        if (s->past)
            return true;
        if (!take_row(s, &row))
            return false;
    }
    return !inner || visit_page(s, get_u32(data + LEAF_HEAD), level + 1);
}

bool nc_run_pages_read(nc_run *run, nc_run_frame *frame)
{
    nc_run_pages *pages = &run->pages;
    if (pages->off || run->mode != NC_RUN_READ)
        return false;
    if (pages->memory == NULL && !open_pages(run)) {
        nc_run_pages_close(run);
        return false;
    }
    sqlite3_int64 size = 0;
    pages->file->pMethods->xFileSize(pages->file, &size);
    search s = {.run = run, .frame = frame, .pages_left = size / (int64_t)pages->size};
    if (visit_page(&s, pages->root, 0) && s.count == frame->pose_count)
        return true;
    nc_run_pages_forget(run);
    return false;
}

void nc_run_pages_forget(nc_run *run)
{
    memset(run->pages.loaded, 0, sizeof run->pages.loaded);
}
