// What is near what in a frame, and the trees of meshes: what the overlays show.
//
// Contacts are not read but found again, from the stored poses, the way the step finds them: features nearer than
// d_prox (nc_proximity_find), for every pair that must stay apart and in which something can move.
#include "view.h"

#include "broad/broad.h"
#include "math/math.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

typedef struct search {
    nc_view *view;
    const nc_mesh **meshes; // of the frame's poses
    nc_body_type *types;
    nc_box *boxes;
    nc_allocator allocator;
    nc_pairs pairs;
    nc_proximity_list near; // of one pair
    FILE *out;              // the contacts, told as they are found
    char *text;
    size_t text_size;
    int64_t count; // all there are; no more than NC_VIEW_CONTACTS_MAX are told
    nc_proximity smallest;
    int smallest_a, smallest_b;
} search;

static void search_free(search *s)
{
    free(s->meshes);
    free(s->types);
    free(s->boxes);
    nc_pairs_free(&s->pairs, &s->allocator);
    nc_proximity_list_free(&s->near);
    if (s->out != NULL)
        fclose(s->out);
    free(s->text);
}

static nc_code place_bodies(search *s, nc_error *err)
{
    const nc_run_frame *frame = &s->view->frame;
    const size_t count = (size_t)frame->pose_count + 1;
    const double grow = 0.51 * s->view->settings.proximity;
    s->meshes = calloc(count, sizeof(void *));
    s->types = calloc(count, sizeof *s->types);
    s->boxes = calloc(count, sizeof *s->boxes);
    if (s->meshes == NULL || s->types == NULL || s->boxes == NULL)
        return nc_fail_memory(err, count * sizeof *s->boxes);
    nc_code code = NC_OK;
    for (int i = 0; i < frame->pose_count && code == NC_OK; i++) {
        nc_run_body body;
        code = nc_run_read_body(s->view->run, frame->poses[i].body, &body, err);
        if (code == NC_OK)
            code = nc_view_mesh(s->view, body.mesh, &s->meshes[i], err);
        if (code != NC_OK)
            break;
        s->types[i] = body.type;
        const nc_frame at = nc_pose_frame(frame->poses[i].pose);
        const nc_box box = nc_frame_box(&at, nc_mesh_view(s->meshes[i]).box);
        const nc_vec3 margin = {grow, grow, grow};
        s->boxes[i] = (nc_box){nc_sub(box.lo, margin), nc_add(box.hi, margin)};
    }
    return code;
}

static void tell_contact(search *s, int body_a, int body_b, const nc_proximity *p)
{
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

static nc_code find_pair(search *s, int i, int j, nc_error *err)
{
    const nc_run_pose *a = &s->view->frame.poses[i], *b = &s->view->frame.poses[j];
    nc_proximity_options options = nc_proximity_defaults();
    options.local = true; // as the step has it
    if ((s->types[i] != NC_DYNAMIC && s->types[j] != NC_DYNAMIC) ||
        !nc_run_pair_matters(s->view->run, a->body, b->body))
        return NC_OK;
    s->near.count = 0;
    const nc_code code = nc_proximity_find(s->meshes[i], a->pose, s->meshes[j], b->pose, s->view->settings.proximity,
                                           &options, &s->near, err);
    for (int k = 0; k < s->near.count && code == NC_OK; k++)
        tell_contact(s, a->body, b->body, &s->near.data[k]);
    return code;
}

static nc_code find_all(search *s, nc_error *err)
{
    nc_code code = place_bodies(s, err);
    if (code == NC_OK)
        code = nc_broad_overlaps(s->boxes, s->view->frame.pose_count, &s->allocator, &s->pairs, err);
    for (int k = 0; k < s->pairs.count && code == NC_OK; k++)
        code = find_pair(s, s->pairs.data[k].a, s->pairs.data[k].b, err);
    return code;
}

static nc_code tell_all(search *s, int64_t frame, nc_buffer *out, nc_error *err)
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

nc_code nc_view_tell_near(nc_view *view, int64_t frame, nc_buffer *out, nc_error *err)
{
    search s = {.view = view, .allocator = nc_allocator_default()};
    s.near.allocator = &s.allocator;
    s.out = open_memstream(&s.text, &s.text_size);
    nc_code code = s.out != NULL ? NC_OK : nc_fail_memory(err, 4096);
    if (code == NC_OK)
        code = nc_run_read_frame(view->run, frame, &view->frame, err);
    if (code == NC_OK)
        code = find_all(&s, err);
    if (code == NC_OK)
        code = tell_all(&s, frame, out, err);
    search_free(&s);
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

nc_code nc_view_tell_clusters(nc_view *view, int64_t frame, nc_buffer *out, nc_error *err)
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
    int told;
    FILE *out;
} walk;

// A node's left child follows it; `right` is 0 for a leaf. Trees are at most NC_BVH_MAX_DEPTH deep.
static void tell_boxes(walk *w, int root)
{
    struct {
        int node;
        int64_t level;
    } stack[2 * NC_BVH_MAX_DEPTH + 2];
    int top = 0;
    stack[top].node = root;
    stack[top++].level = 0;
    while (top > 0 && w->told < NC_VIEW_BOXES_MAX) {
        top--;
        const int at = stack[top].node;
        const int64_t level = stack[top].level;
        const nc_bvh_node *node = &w->nodes[at];
        if (node->right == 0 || level == w->depth) {
            fprintf(w->out, "%s[%.9g,%.9g,%.9g,%.9g,%.9g,%.9g]", w->told > 0 ? ",\n" : "", node->box.lo.x,
                    node->box.lo.y, node->box.lo.z, node->box.hi.x, node->box.hi.y, node->box.hi.z);
            w->told++;
            continue;
        }
        stack[top].node = node->right;
        stack[top++].level = level + 1;
        stack[top].node = at + 1;
        stack[top++].level = level + 1;
    }
}

nc_code nc_view_tell_tree(nc_view *view, int64_t row, int64_t depth, nc_buffer *out, nc_error *err)
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
    tell_boxes(&w, 0);
    fputs("]}\n", json);
    const bool done = fclose(json) == 0 && nc_buffer_append(out, text, size);
    free(text);
    return done ? NC_OK : nc_fail_memory(err, size);
}
