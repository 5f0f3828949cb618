// Contacts and paths: what the steps between two frames did, for runs that store it.
//
// They are kept in memory step by step and written with the next frame, in its transaction. A body that was made and
// destroyed between two frames is in no frame: what concerns it is left out.
#include "run/run.h"

#include "math/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CONTACT_NUMBERS = 12, START_NUMBERS = 7, SEGMENT_NUMBERS = 14 };

_Static_assert(NC_RUN_MAX_SEGMENTS == NC_MAX_SEGMENTS, "a stored path has room for every segment");

// ---- keeping ------------------------------------------------------------------------------------------------

static nc_run_seen see(const nc_run *run, nc_body_id handle)
{
    return (nc_run_seen){handle, nc_registry_find(&run->registry, handle)};
}

static nc_code keep_contacts(nc_run *run, nc_model model, int64_t step, nc_error *err)
{
    const int count = nc_model_contacts(model, NULL, 0);
    if (!nc_array_reserve(&run->allocator, &run->points, count))
        return nc_fail_memory(err, (size_t)count * sizeof *run->points.data);
    (void)nc_model_contacts(model, run->points.data, count);
    for (int k = 0; k < count; k++) {
        const nc_contact_point *point = &run->points.data[k];
        const nc_run_kept_contact kept = {step, see(run, point->a), see(run, point->b), *point};
        if (!nc_array_push(&run->allocator, &run->kept_contacts, kept))
            return nc_fail_memory(err, sizeof kept);
    }
    return NC_OK;
}

static nc_code keep_path(nc_run *run, nc_model model, int64_t step, nc_body_id handle, nc_error *err)
{
    nc_model_body body;
    nc_run_kept_path kept = {.step = step, .body = see(run, handle)};
    const nc_code code = nc_model_read_body(model, handle, &body, err);
    if (code != NC_OK || body.type == NC_STATIC)
        return code;
    if (!nc_model_path(model, handle, &kept.path))
        return nc_fail_at(err, NC_NOT_FOUND, run->path, 0, 0,
                          "the paths of step %lld are gone: bodies changed since it was made", (long long)step);
    return nc_array_push(&run->allocator, &run->kept_paths, kept) ? NC_OK : nc_fail_memory(err, sizeof kept);
}

nc_code nc_run_record_step(nc_run *run, nc_model model, nc_error *err)
{
    const int64_t step = nc_model_step_count(model);
    if (run->store == 0 || step == run->recorded_step)
        return NC_OK;
    const int contacts = run->kept_contacts.count, paths = run->kept_paths.count;
    nc_code code = nc_registry_load(run, err);
    if (code == NC_OK && (run->store & NC_STORE_CONTACTS) != 0)
        code = nc_model_traces_contacts(model)
                   ? keep_contacts(run, model, step, err)
                   : nc_fail_at(err, NC_BAD_ARGUMENT, run->path, 0, 0,
                                "it stores contacts, and the world does not trace them: nc_world_trace_contacts");
    if (code == NC_OK && (run->store & NC_STORE_PATHS) != 0)
        code = nc_run_list_bodies(run, model, err);
    for (int i = 0; code == NC_OK && (run->store & NC_STORE_PATHS) != 0 && i < run->handles.count; i++)
        code = keep_path(run, model, step, run->handles.data[i], err);
    if (code != NC_OK) {
        run->kept_contacts.count = contacts;
        run->kept_paths.count = paths;
        return code;
    }
    run->recorded_step = step;
    return NC_OK;
}

void nc_run_drop_records(nc_run *run)
{
    run->kept_contacts.count = 0;
    run->kept_paths.count = 0;
}

void nc_run_free_records(nc_run *run)
{
    nc_array_free(&run->allocator, &run->kept_contacts);
    nc_array_free(&run->allocator, &run->kept_paths);
    nc_array_free(&run->allocator, &run->points);
}

// ---- writing ------------------------------------------------------------------------------------------------

static int id_of(const nc_run *run, const nc_run_seen *seen)
{
    return seen->id >= 0 ? seen->id : nc_registry_find(&run->registry, seen->handle);
}

static nc_feature_kind mirrored(nc_feature_kind kind)
{
    static const nc_feature_kind other[] = {
        [NC_VERTEX_FACE] = NC_FACE_VERTEX, [NC_FACE_VERTEX] = NC_VERTEX_FACE, [NC_EDGE_EDGE] = NC_EDGE_EDGE,
        [NC_VERTEX_EDGE] = NC_EDGE_VERTEX, [NC_EDGE_VERTEX] = NC_VERTEX_EDGE, [NC_VERTEX_VERTEX] = NC_VERTEX_VERTEX};
    return other[kind];
}

// The same contact seen from B.
static nc_contact_point turned_round(const nc_contact_point *point)
{
    nc_contact_point out = *point;
    out.feature = (nc_feature_id){mirrored(point->feature.kind), point->feature.b, point->feature.a};
    out.normal = nc_scale(-1, point->normal);
    out.impulse = nc_scale(-1, point->impulse);
    return out;
}

static nc_code write_contact(nc_run *run, int64_t frame, int64_t id, const nc_run_kept_contact *kept, nc_error *err)
{
    const int a = id_of(run, &kept->a), b = id_of(run, &kept->b);
    const nc_contact_point point = a < b ? kept->point : turned_round(&kept->point);
    const nc_vec3 x = point.place, n = point.normal, p = point.impulse;
    const double along = nc_dot(n, p);
    const double numbers[CONTACT_NUMBERS] = {
        x.x, x.y, x.z, n.x, n.y, n.z, point.distance, p.x, p.y, p.z, along, nc_norm(nc_madd(p, -along, n))};
    nc_row row;
    const nc_code code = nc_row_open(run, NC_SQL_INSERT_CONTACT, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_put_int(&row, frame);
    nc_row_put_int(&row, id);
    nc_row_put_int(&row, kept->step);
    nc_row_put_text(&row, nc_contact_phase_name(point.phase));
    nc_row_put_int(&row, a < b ? a : b);
    nc_row_put_int(&row, a < b ? b : a);
    nc_row_put_text(&row, nc_feature_kind_name(point.feature.kind));
    nc_row_put_int(&row, point.feature.a);
    nc_row_put_int(&row, point.feature.b);
    for (int k = 0; k < CONTACT_NUMBERS; k++)
        nc_row_put_real(&row, numbers[k]);
    return nc_row_write(&row, "storing a contact", err);
}

static nc_code write_segment(nc_run *run, int64_t step, int body, const nc_path *path, int segment, nc_error *err)
{
    const nc_segment *s = &path->segments[segment];
    const nc_vec3 x = path->start.x;
    const nc_quat q = path->start.q;
    const double end = segment + 1 < path->count ? path->segments[segment + 1].begin : 1;
    const double numbers[START_NUMBERS + SEGMENT_NUMBERS] = {
        x.x,    x.y,    x.z,    q.w,    q.x,        q.y,        q.z,        s->begin, end,      s->a.x,  s->a.y,
        s->a.z, s->d.x, s->d.y, s->d.z, s->theta.x, s->theta.y, s->theta.z, s->eps.x, s->eps.y, s->eps.z};
    nc_row row;
    const nc_code code = nc_row_open(run, NC_SQL_INSERT_PATH, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_put_int(&row, step);
    nc_row_put_int(&row, body);
    nc_row_put_int(&row, segment);
    for (int k = 0; k < START_NUMBERS + SEGMENT_NUMBERS; k++)
        nc_row_put_real(&row, numbers[k]);
    return nc_row_write(&row, "storing a path", err);
}

nc_code nc_run_write_records(nc_run *run, int64_t frame, nc_run_progress *progress, nc_error *err)
{
    nc_code code = NC_OK;
    int64_t id = 0;
    for (int k = 0; k < run->kept_contacts.count && code == NC_OK; k++) {
        const nc_run_kept_contact *kept = &run->kept_contacts.data[k];
        if (id_of(run, &kept->a) < 0 || id_of(run, &kept->b) < 0)
            continue;
        code = write_contact(run, frame, id++, kept, err);
        progress->contact_count++;
    }
    for (int k = 0; k < run->kept_paths.count && code == NC_OK; k++) {
        const nc_run_kept_path *kept = &run->kept_paths.data[k];
        const int body = id_of(run, &kept->body);
        for (int s = 0; body >= 0 && s < kept->path.count && code == NC_OK; s++) {
            code = write_segment(run, kept->step, body, &kept->path, s, err);
            progress->path_count++;
        }
    }
    return code;
}

// ---- reading ------------------------------------------------------------------------------------------------

// Reads reals into `out`, and counts one that is missing as damage.
static void take_numbers(nc_row *row, double *out, int count)
{
    for (int k = 0; k < count; k++) {
        out[k] = nc_row_take_real(row);
        row->bad = row->bad || !isfinite(out[k]);
    }
}

// The number of a name; -1, and the row is bad, when it has none.
static int number_of(nc_row *row, const char *(*name)(int), int count)
{
    const char *text = nc_row_take_text(row);
    for (int k = 0; k < count; k++)
        if (strcmp(text, name(k)) == 0)
            return k;
    row->bad = true;
    return -1;
}

static const char *phase_name(int k)
{
    return nc_contact_phase_name((nc_contact_phase)k);
}

static const char *kind_name(int k)
{
    return nc_feature_kind_name((nc_feature_kind)k);
}

static int take_id(nc_row *row)
{
    const int64_t id = nc_row_take_int(row);
    row->bad = row->bad || id < 0 || id > INT_MAX;
    return (int)id;
}

static void take_contact(nc_row *row, nc_run_contact *out)
{
    double n[CONTACT_NUMBERS];
    (void)nc_row_take_int(row);
    (void)nc_row_take_int(row);
    out->step = nc_row_take_int(row);
    out->phase = (nc_contact_phase)number_of(row, phase_name, NC_CONTACT_ASLEEP + 1);
    out->body_a = take_id(row);
    out->body_b = take_id(row);
    row->bad = row->bad || out->body_a >= out->body_b;
    out->feature.kind = (nc_feature_kind)number_of(row, kind_name, NC_VERTEX_VERTEX + 1);
    out->feature.a = take_id(row);
    out->feature.b = take_id(row);
    take_numbers(row, n, CONTACT_NUMBERS);
    out->place = nc_v3(n[0], n[1], n[2]);
    out->normal = nc_v3(n[3], n[4], n[5]);
    out->distance = n[6];
    out->impulse = nc_v3(n[7], n[8], n[9]);
    out->normal_part = n[10];
    out->tangential_part = n[11];
}

nc_code nc_run_read_contacts(nc_run *run, int64_t frame, nc_run_contact *out, int capacity, int *out_count,
                             nc_error *err)
{
    nc_row row;
    bool found = true;
    *out_count = 0;
    nc_code code = nc_row_open(run, NC_SQL_SELECT_CONTACTS, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_bind(&row, frame);
    while (code == NC_OK) {
        nc_run_contact contact;
        code = nc_row_next(&row, &found, "reading contacts", err);
        if (code != NC_OK || !found)
            return code;
        take_contact(&row, &contact);
        code = nc_row_check(&row, "a contact of frame", frame, err);
        if (code == NC_OK && *out_count < capacity)
            out[*out_count] = contact;
        *out_count += code == NC_OK;
    }
    nc_row_close(&row);
    return code;
}

// Takes one row: a segment, and the start of its path. *out_segment is its number.
static void take_segment(nc_row *row, nc_run_path *path, int *out_segment, nc_run_segment *out)
{
    double n[START_NUMBERS + SEGMENT_NUMBERS];
    (void)nc_row_take_int(row);
    path->body = take_id(row);
    *out_segment = take_id(row);
    take_numbers(row, n, START_NUMBERS + SEGMENT_NUMBERS);
    path->start = (nc_pose){nc_v3(n[0], n[1], n[2]), nc_q4(n[3], n[4], n[5], n[6])};
    *out = (nc_run_segment){n[7],
                            n[8],
                            nc_v3(n[9], n[10], n[11]),
                            nc_v3(n[12], n[13], n[14]),
                            nc_v3(n[15], n[16], n[17]),
                            nc_v3(n[18], n[19], n[20])};
}

// Adds a segment to the paths read so far: it begins the next one, or continues the last.
static bool add_segment(nc_run_path *last, const nc_run_path *head, int segment, const nc_run_segment *s)
{
    if (segment == 0) {
        *last = (nc_run_path){.body = head->body, .start = head->start};
    } else if (segment >= NC_RUN_MAX_SEGMENTS || last->body != head->body || last->segment_count != segment ||
               last->segments[segment - 1].t1 != s->t0) {
        return false;
    }
    last->segments[last->segment_count++] = *s;
    return s->t0 < s->t1 && s->t1 <= 1 && (segment > 0 || s->t0 == 0);
}

nc_code nc_run_read_paths(nc_run *run, int64_t step, nc_run_path *out, int capacity, int *out_count, nc_error *err)
{
    nc_row row;
    bool found = true;
    nc_run_path last = {.body = -1, .segment_count = NC_RUN_MAX_SEGMENTS};
    *out_count = 0;
    nc_code code = nc_row_open(run, NC_SQL_SELECT_PATHS, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_bind(&row, step);
    while (code == NC_OK) {
        nc_run_path head = {0};
        nc_run_segment s;
        int segment = 0;
        code = nc_row_next(&row, &found, "reading paths", err);
        if (code != NC_OK || !found)
            return code;
        take_segment(&row, &head, &segment, &s);
        row.bad = row.bad || !add_segment(&last, &head, segment, &s);
        code = nc_row_check(&row, "a path of step", step, err);
        *out_count += code == NC_OK && segment == 0;
        if (code == NC_OK && *out_count <= capacity)
            out[*out_count - 1] = last;
    }
    nc_row_close(&row);
    return code;
}

nc_pose nc_run_path_pose(const nc_run_path *path, double t)
{
    const nc_path motion = nc_run_path_motion(path);
    return nc_path_pose(&motion, t);
}

nc_path nc_run_path_motion(const nc_run_path *path)
{
    nc_path out = {.start = path->start, .count = path->segment_count};
    for (int k = 0; k < path->segment_count; k++) {
        const nc_run_segment *s = &path->segments[k];
        out.segments[k] = (nc_segment){s->t0, s->a, s->d, s->theta, s->eps};
    }
    return out;
}

// ---- forces -------------------------------------------------------------------------------------------------

static bool contact_less(const void *a, const void *b, const void *ctx)
{
    const nc_run_contact *p = a, *q = b;
    (void)ctx;
    return p->body_a != q->body_a ? p->body_a < q->body_a : p->body_b < q->body_b;
}

// [s] from the frame before to this one.
static nc_code time_of_frame(nc_run *run, int64_t frame, double *out, nc_error *err)
{
    char sql[96];
    int64_t steps = 0;
    nc_row row;
    nc_run_head head;
    snprintf(sql, sizeof sql, "select steps from report where frame = %lld", (long long)frame);
    nc_code code = nc_sql_query_int(run, sql, &steps, err);
    if (code == NC_OK)
        code = nc_run_read_head(run, &row, &head, err);
    if (code != NC_OK)
        return code;
    *out = (double)steps * head.timestep;
    nc_row_close(&row);
    return NC_OK;
}

// Sums contacts, which are sorted by pairs.
static void sum_forces(const nc_run_contact *contacts, int count, double time, nc_run_force *out, int capacity,
                       int *out_count)
{
    for (int begin = 0, end; begin < count; begin = end) {
        nc_run_force sum = {.body_a = contacts[begin].body_a, .body_b = contacts[begin].body_b};
        for (end = begin; end < count && !contact_less(&contacts[begin], &contacts[end], NULL); end++) {
            sum.contacts++;
            sum.force = nc_madd(sum.force, 1 / time, contacts[end].impulse);
            sum.normal += contacts[end].normal_part / time;
            sum.tangential += contacts[end].tangential_part / time;
        }
        if (*out_count < capacity)
            out[*out_count] = sum;
        ++*out_count;
    }
}

nc_code nc_run_read_forces(nc_run *run, int64_t frame, nc_run_force *out, int capacity, int *out_count, nc_error *err)
{
    int count = 0;
    double time = 0;
    *out_count = 0;
    nc_code code = nc_run_read_contacts(run, frame, NULL, 0, &count, err);
    if (code != NC_OK || count == 0)
        return code;
    const size_t room = (size_t)count;
    nc_run_contact *contacts = nc_alloc(&run->allocator, room, sizeof *contacts);
    if (contacts == NULL)
        return nc_fail_memory(err, room * sizeof *contacts);
    code = nc_run_read_contacts(run, frame, contacts, count, &count, err);
    if (code == NC_OK)
        code = time_of_frame(run, frame, &time, err);
    if (code == NC_OK && !nc_sort(&run->allocator, contacts, room, sizeof *contacts, contact_less, NULL))
        code = nc_fail_memory(err, room * sizeof *contacts);
    if (code == NC_OK)
        sum_forces(contacts, count, time, out, capacity, out_count);
    nc_free(&run->allocator, contacts, room, sizeof *contacts);
    return code;
}
