// A run as one page that needs no server: the viewer's page with the replies inside it.
//
// JSON stands in <script type="application/json">, binary replies in base64 in <script type="text/plain">: neither is
// run by a browser. '<' is written as an escape inside JSON, so that nothing can end the element early.
#include "view/view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

nc_code nc_view_page_check(nc_error *err)
{
    if (nc_view_page_size > 0)
        return NC_OK;
    return nc_fail(err, NC_UNSUPPORTED,
                   "this nacre was built without its page. Install npm (Debian: apt-get install npm) where it can "
                   "reach a package registry, and build again");
}

typedef struct page {
    FILE *out;
    int64_t size; // bytes written so far
} page;

static void write_bytes(page *p, const void *bytes, size_t size)
{
    p->size += (int64_t)fwrite(bytes, 1, size, p->out);
}

static void write_text(page *p, const char *text)
{
    write_bytes(p, text, strlen(text));
}

static void write_json(page *p, const char *id, const nc_buffer *json)
{
    char head[96];
    snprintf(head, sizeof head, "<script type=\"application/json\" data-nacre=\"%s\">", id);
    write_text(p, head);
    for (size_t i = 0; i < json->size; i++) {
        if (json->data[i] == '<')
            write_text(p, "\\u003c");
        else
            write_bytes(p, &json->data[i], 1);
    }
    write_text(p, "</script>\n");
}

static void write_base64(page *p, const char *id, int64_t count, const nc_buffer *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char head[128], line[4];
    snprintf(head, sizeof head, "<script type=\"text/plain\" data-nacre=\"%s\" data-count=\"%" PRId64 "\">", id, count);
    write_text(p, head);
    for (size_t i = 0; i < bytes->size; i += 3) {
        const size_t left = bytes->size - i;
        const uint32_t b0 = bytes->data[i], b1 = left > 1 ? bytes->data[i + 1] : 0,
                       b2 = left > 2 ? bytes->data[i + 2] : 0;
        const uint32_t bits = b0 << 16 | b1 << 8 | b2;
        line[0] = digits[bits >> 18];
        line[1] = digits[bits >> 12 & 63];
        line[2] = left > 1 ? digits[bits >> 6 & 63] : '=';
        line[3] = left > 2 ? digits[bits & 63] : '=';
        write_bytes(p, line, 4);
    }
    write_text(p, "</script>\n");
}

typedef struct selection {
    nc_view *view;
    int64_t first, count, every;
    bool contacts;
    nc_run_info info;
} selection;

static nc_code write_tables(page *p, const selection *s, nc_buffer *reply, nc_error *err)
{
    nc_code code = nc_view_write_head(s->view, reply, err);
    if (code == NC_OK)
        write_json(p, "head", reply);
    for (int64_t i = 0; i < s->info.body_count && code == NC_OK; i += NC_VIEW_BODIES_MAX) {
        reply->size = 0;
        code = nc_view_write_bodies(s->view, i, NC_VIEW_BODIES_MAX, reply, err);
        write_json(p, "bodies", reply);
    }
    for (int row = 0; row < s->info.mesh_count && code == NC_OK; row++) {
        reply->size = 0;
        code = nc_view_write_mesh(s->view, row, reply, err);
        write_base64(p, "mesh", 1, reply);
    }
    for (int64_t i = 0; i < s->count && code == NC_OK; i += NC_VIEW_REPORTS_MAX) {
        const int64_t left = s->count - i;
        reply->size = 0;
        code = nc_view_write_reports(s->view, s->first + i * s->every, left, s->every, reply, err);
        write_json(p, "reports", reply);
    }
    return code;
}

static nc_code write_clusters(page *p, const selection *s, nc_buffer *reply, nc_error *err)
{
    nc_code code = NC_OK;
    for (int64_t i = 0; i < s->count && code == NC_OK && p->size <= NC_VIEW_HTML_MAX; i++) {
        const int64_t frame = s->first + i * s->every;
        int members = 0;
        code = nc_run_read_clusters(s->view->run, frame, NULL, 0, &members, err);
        if (code != NC_OK || members == 0)
            continue;
        reply->size = 0;
        code = nc_view_write_clusters(s->view, frame, reply, err);
        write_json(p, "clusters", reply);
    }
    return code;
}

static nc_code write_joints(page *p, const selection *s, nc_buffer *reply, nc_error *err)
{
    nc_code code = NC_OK;
    for (int64_t i = 0; i < s->count && code == NC_OK && p->size <= NC_VIEW_HTML_MAX; i++) {
        const int64_t frame = s->first + i * s->every;
        int joints = 0;
        code = nc_run_read_joints(s->view->run, frame, NULL, 0, &joints, err);
        if (code != NC_OK || joints == 0)
            continue;
        reply->size = 0;
        code = nc_view_write_joints(s->view, frame, reply, err);
        write_json(p, "joints", reply);
    }
    return code;
}

static nc_code write_contacts(page *p, const selection *s, nc_buffer *reply, nc_error *err)
{
    nc_code code = NC_OK;
    for (int64_t i = 0; i < s->count && code == NC_OK && p->size <= NC_VIEW_HTML_MAX; i++) {
        reply->size = 0;
        code = nc_view_write_near(s->view, s->first + i * s->every, reply, err);
        write_json(p, "near", reply);
    }
    return code;
}

static nc_code write_frames(page *p, const selection *s, nc_buffer *reply, nc_error *err)
{
    nc_code code = NC_OK;
    for (int64_t i = 0; i < s->count && code == NC_OK;) {
        reply->size = 0;
        code = nc_view_write_frames(s->view, s->first + i * s->every, s->count - i, s->every, reply, err);
        const int64_t written = code == NC_OK ? nc_view_frames_in(reply) : 0;
        write_base64(p, "frames", written, reply);
        i += written;
        if (p->size > NC_VIEW_HTML_MAX)
            break;
    }
    if (code == NC_OK && p->size > NC_VIEW_HTML_MAX)
        code =
            nc_fail(err, NC_UNSUPPORTED,
                    "the page would be larger than %d MB, its limit. Take fewer frames, with --every or --frames, or "
                    "look at the run with 'nacre view'",
                    (int)(NC_VIEW_HTML_MAX >> 20));
    return code;
}

static nc_code write_page(page *p, const selection *s, nc_error *err)
{
    const char *text = (const char *)nc_view_page;
    const size_t mark = strlen(NC_VIEW_PAGE_MARK);
    size_t at = 0;
    while (at + mark <= nc_view_page_size && memcmp(text + at, NC_VIEW_PAGE_MARK, mark) != 0)
        at++;
    nc_buffer reply = nc_buffer_create(NULL);
    write_bytes(p, text, at);
    nc_code code = write_tables(p, s, &reply, err);
    if (code == NC_OK)
        code = write_clusters(p, s, &reply, err);
    if (code == NC_OK)
        code = write_joints(p, s, &reply, err);
    if (code == NC_OK && s->contacts)
        code = write_contacts(p, s, &reply, err);
    if (code == NC_OK)
        code = write_frames(p, s, &reply, err);
    if (code == NC_OK && at + mark < nc_view_page_size)
        write_bytes(p, text + at + mark, nc_view_page_size - at - mark);
    nc_buffer_free(&reply);
    return code;
}

nc_code nc_view_export(nc_view *view, const nc_view_selection *chosen, const char *path, nc_error *err)
{
    char temporary[1100];
    selection s = {.view = view,
                   .first = chosen->first,
                   .count = chosen->count,
                   .every = chosen->every,
                   .contacts = chosen->contacts};
    nc_code code = nc_run_read_info(view->run, &s.info, err);
    if (code != NC_OK)
        return code;
    snprintf(temporary, sizeof temporary, "%s.%ld.part", path, (long)getpid());
    page p = {.out = fopen(temporary, "w")};
    if (p.out == NULL)
        return nc_fail(err, NC_IO, "cannot write '%s': %s", path, strerror(errno));
    code = write_page(&p, &s, err);
    errno = 0;
    const bool failed = ferror(p.out) != 0;
    if ((fclose(p.out) != 0 || failed) && code == NC_OK)
        code = nc_fail(err, NC_IO, "cannot write '%s': %s", path, errno != 0 ? strerror(errno) : "the disk refused");
    if (code == NC_OK && rename(temporary, path) != 0)
        code = nc_fail(err, NC_IO, "cannot write '%s': %s", path, strerror(errno));
    if (code != NC_OK)
        unlink(temporary);
    return code;
}
