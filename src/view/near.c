// What is near what in a frame, and the trees of meshes: what the overlays show. Contacts are not read but found again.
#include "view/view.h"

#include "reel/reel.h"

#include "geom/geom.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

typedef struct search {
    nc_view *view;
    nc_near_body *bodies; // of the frame
    nc_mesh **shapes;     // made for the frame, of bodies that deform
    FILE *out;            // the contacts, written as they are found
    char *text;
    size_t text_size;
    int64_t count; // all there are; no more than NC_VIEW_CONTACTS_MAX are written
    nc_proximity smallest;
    int smallest_a, smallest_b;
} search;

static void search_free(search *s)
{
    for (int i = 0; s->shapes != NULL && i < s->view->frame.shape_count; i++)
        nc_mesh_release(s->shapes[i]);
    free(s->shapes);
    free(s->bodies);
    if (s->out != NULL)
        fclose(s->out);
    free(s->text);
}

// The mesh of a body as the frame has it, instead of the one it began with.
static nc_code shape_mesh(search *s, int body, const nc_mesh **mesh, nc_error *err)
{
    const nc_run_frame *frame = &s->view->frame;
    for (int i = 0; i < frame->shape_count; i++) {
        if (frame->shapes[i].body != body)
            continue;
        const nc_code code = nc_mesh_with_vertices(*mesh, frame->shapes[i].vertices, NULL, &s->shapes[i], err);
        *mesh = s->shapes[i];
        return code;
    }
    return NC_OK;
}

static nc_code place_bodies(search *s, nc_error *err)
{
    const nc_run_frame *frame = &s->view->frame;
    nc_code code = NC_OK;
    s->bodies = calloc((size_t)frame->pose_count + 1, sizeof *s->bodies);
    s->shapes = calloc((size_t)frame->shape_count + 1, sizeof(void *));
    if (s->bodies == NULL || s->shapes == NULL)
        return nc_fail_memory(err, (size_t)frame->pose_count * sizeof *s->bodies);
    for (int i = 0; i < frame->pose_count && code == NC_OK; i++) {
        nc_run_body body;
        const nc_mesh *mesh = NULL;
        code = nc_run_read_body(s->view->run, frame->poses[i].body, &body, err);
        if (code == NC_OK)
            code = nc_view_mesh(s->view, body.mesh, &mesh, err);
        if (code == NC_OK)
            code = shape_mesh(s, frame->poses[i].body, &mesh, err);
        if (code == NC_OK)
            s->bodies[i] = (nc_near_body){frame->poses[i].body, body.type, mesh, frame->poses[i].pose};
    }
    return code;
}

static void write_contact(int body_a, int body_b, const nc_proximity *p, void *ctx)
{
    search *s = ctx;
    const nc_vec3 point = nc_sub(nc_scale(0.5, nc_add(p->on_a, p->on_b)), s->view->origin);
    if (s->count == 0 || p->distance < s->smallest.distance) {
        s->smallest = *p;
        s->smallest_a = body_a;
        s->smallest_b = body_b;
    }
    if (s->count < NC_VIEW_CONTACTS_MAX)
        fprintf(s->out, "%s[%d,%d,%.9g,%.9g,%.9g,%.6g,%.6g,%.6g,%.6g]", s->count > 0 ? ",\n" : "", body_a, body_b,
                point.x, point.y, point.z, p->normal.x, p->normal.y, p->normal.z, p->distance);
    s->count++;
}

static nc_code write_all(search *s, int64_t frame, nc_buffer *out, nc_error *err)
{
    char *text = NULL;
    size_t size = 0;
    fflush(s->out);
    FILE *json = open_memstream(&text, &size);
    if (json == NULL || s->text == NULL)
        return nc_fail_memory(err, 4096);
    fprintf(json, "{\"frame\": %" PRId64 ", \"within\": %.17g, \"count\": %" PRId64 ", \"smallest\": ", frame,
            s->view->settings.proximity, s->count);
    if (s->count > 0) {
        const nc_vec3 a = nc_sub(s->smallest.on_a, s->view->origin), b = nc_sub(s->smallest.on_b, s->view->origin);
        fprintf(json,
                "{\"a\": %d, \"b\": %d, \"distance\": %.17g, \"from\": [%.9g,%.9g,%.9g], \"to\": [%.9g,%.9g,%.9g]}",
                s->smallest_a, s->smallest_b, s->smallest.distance, a.x, a.y, a.z, b.x, b.y, b.z);
    } else {
        fputs("null", json);
    }
    fprintf(json, ", \"contacts\": [%s]}\n", s->text);
    const bool done = fclose(json) == 0 && nc_buffer_append(out, text, size);
    free(text);
    return done ? NC_OK : nc_fail_memory(err, size);
}

nc_code nc_view_write_near(nc_view *view, int64_t frame, nc_buffer *out, nc_error *err)
{
    search s = {.view = view};
    s.out = open_memstream(&s.text, &s.text_size);
    nc_code code = s.out != NULL ? NC_OK : nc_fail_memory(err, 4096);
    if (code == NC_OK)
        code = nc_run_read_frame(view->run, frame, &view->frame, err);
    if (code == NC_OK)
        code = place_bodies(&s, err);
    if (code == NC_OK)
        code =
            nc_near_find(view->run, s.bodies, view->frame.pose_count, view->settings.proximity, write_contact, &s, err);
    if (code == NC_OK)
        code = write_all(&s, frame, out, err);
    search_free(&s);
    return code;
}

// ---- stored contacts ------------------------------------------------------------------------------------------

static nc_code read_contacts(nc_view *view, int64_t frame, nc_run_contact **out, int *out_count, nc_error *err)
{
    nc_code code = nc_run_read_contacts(view->run, frame, NULL, 0, out_count, err);
    const int count = *out_count < NC_VIEW_CONTACTS_MAX ? *out_count : NC_VIEW_CONTACTS_MAX;
    *out = code == NC_OK ? calloc((size_t)count + 1, sizeof **out) : NULL;
    if (code == NC_OK && *out == NULL)
        code = nc_fail_memory(err, (size_t)count * sizeof **out);
    if (code == NC_OK)
        code = nc_run_read_contacts(view->run, frame, *out, count, out_count, err);
    return code;
}

// Impulses as mean forces [N] over the time from the frame before.
static void print_contacts(FILE *json, const nc_view *view, const nc_run_contact *contacts, int count, double seconds)
{
    for (int i = 0; i < count; i++) {
        const nc_run_contact *c = &contacts[i];
        const nc_vec3 at = nc_sub(c->place, view->origin), force = nc_scale(1 / seconds, c->impulse);
        fprintf(json, "%s[%d,%d,%.9g,%.9g,%.9g,%.6g,%.6g,%.6g]", i > 0 ? ",\n" : "", c->body_a, c->body_b, at.x, at.y,
                at.z, force.x, force.y, force.z);
    }
}

nc_code nc_view_write_contacts(nc_view *view, int64_t frame, nc_buffer *out, nc_error *err)
{
    nc_run_info info;
    nc_run_contact *contacts = NULL;
    int count = 0;
    char *text = NULL;
    size_t size = 0;
    nc_code code = nc_run_read_info(view->run, &info, err);
    if (code == NC_OK)
        code = read_contacts(view, frame, &contacts, &count, err);
    FILE *json = code == NC_OK ? open_memstream(&text, &size) : NULL;
    if (json != NULL) {
        fprintf(json, "{\"frame\": %" PRId64 ", \"count\": %d, \"contacts\": [", frame, count);
        print_contacts(json, view, contacts, count < NC_VIEW_CONTACTS_MAX ? count : NC_VIEW_CONTACTS_MAX,
                       info.timestep * (double)info.output_every);
        fputs("]}\n", json);
        if (fclose(json) != 0 || !nc_buffer_append(out, text, size))
            code = nc_fail_memory(err, size);
    } else if (code == NC_OK) {
        code = nc_fail_memory(err, 4096);
    }
    free(text);
    free(contacts);
    return code;
}

// ---- clusters -----------------------------------------------------------------------------------------------

static nc_code read_members(nc_view *view, int64_t frame, nc_run_member **out, int *out_count, nc_error *err)
{
    nc_code code = nc_run_read_clusters(view->run, frame, NULL, 0, out_count, err);
    const int count = *out_count < NC_VIEW_MEMBERS_MAX ? *out_count : NC_VIEW_MEMBERS_MAX;
    *out = code == NC_OK ? calloc((size_t)count + 1, sizeof **out) : NULL;
    if (code == NC_OK && *out == NULL)
        code = nc_fail_memory(err, (size_t)count * sizeof **out);
    if (code == NC_OK)
        code = nc_run_read_clusters(view->run, frame, *out, count, out_count, err);
    *out_count = count;
    return code;
}

nc_code nc_view_write_clusters(nc_view *view, int64_t frame, nc_buffer *out, nc_error *err)
{
    nc_run_member *members = NULL;
    int count = 0;
    char *text = NULL;
    size_t size = 0;
    const nc_code code = read_members(view, frame, &members, &count, err);
    FILE *json = code == NC_OK ? open_memstream(&text, &size) : NULL;
    if (json == NULL) {
        free(members);
        return code != NC_OK ? code : nc_fail_memory(err, 4096);
    }
    fprintf(json, "{\"frame\": %" PRId64 ", \"members\": [", frame);
    for (int i = 0; i < count; i++)
        fprintf(json, "%s[%d,%d]", i > 0 ? "," : "", members[i].body, members[i].cluster);
    fputs("]}\n", json);
    free(members);
    const bool done = fclose(json) == 0 && nc_buffer_append(out, text, size);
    free(text);
    return done ? NC_OK : nc_fail_memory(err, size);
}

// ---- trees --------------------------------------------------------------------------------------------------

typedef struct walk {
    const nc_bvh_node *nodes;
    int64_t depth;
    int written;
    FILE *out;
} walk;

// A node's left child follows it; `right` is 0 for a leaf. Trees are at most NC_BVH_MAX_DEPTH deep.
static void write_boxes(walk *w, int root)
{
    struct {
        int node;
        int64_t level;
    } stack[2 * NC_BVH_MAX_DEPTH + 2];
    int top = 0;
    stack[top].node = root;
    stack[top++].level = 0;
    while (top > 0 && w->written < NC_VIEW_BOXES_MAX) {
        top--;
        const int at = stack[top].node;
        const int64_t level = stack[top].level;
        const nc_bvh_node *node = &w->nodes[at];
        if (node->right == 0 || level == w->depth) {
            fprintf(w->out, "%s[%.9g,%.9g,%.9g,%.9g,%.9g,%.9g]", w->written > 0 ? ",\n" : "", node->box.lo.x,
                    node->box.lo.y, node->box.lo.z, node->box.hi.x, node->box.hi.y, node->box.hi.z);
            w->written++;
            continue;
        }
        stack[top].node = node->right;
        stack[top++].level = level + 1;
        stack[top].node = at + 1;
        stack[top++].level = level + 1;
    }
}

nc_code nc_view_write_tree(nc_view *view, int64_t row, int64_t depth, nc_buffer *out, nc_error *err)
{
    const nc_mesh *mesh;
    char *text = NULL;
    size_t size = 0;
    if (row < 0 || row > INT32_MAX)
        return nc_fail(err, NC_NOT_FOUND, "there is no mesh %" PRId64, row);
    const nc_code code = nc_view_mesh(view, (int)row, &mesh, err);
    if (code != NC_OK)
        return code;
    const nc_mesh_tree tree = nc_mesh_tree_view(mesh);
    FILE *json = open_memstream(&text, &size);
    if (json == NULL)
        return nc_fail_memory(err, 4096);
    walk w = {.nodes = tree.nodes, .depth = depth, .out = json};
    fprintf(json, "{\"mesh\": %" PRId64 ", \"depth\": %d, \"boxes\": [", row, tree.depth);
    write_boxes(&w, 0);
    fputs("]}\n", json);
    const bool done = fclose(json) == 0 && nc_buffer_append(out, text, size);
    free(text);
    return done ? NC_OK : nc_fail_memory(err, size);
}
