// The exact test again, on what is left after rounding to single precision.
#include "export/recheck.h"

#include "animation/animation.h"

#include <inttypes.h>

typedef struct search {
    nc_reel *exact;          // the run as it is stored
    nc_audit_source rounded; // and after rounding
    const nc_reel_selection *chosen;
    nc_export_watch *watch;
    nc_recheck *found;
    nc_code code;
    nc_error *err;
} search;

// The number in the run of the k-th frame that was chosen.
static int64_t number_of(const search *s, int64_t k)
{
    return s->chosen->first + k * s->chosen->every;
}

static const nc_run_pose *pose_of(const nc_reel *reel, int body)
{
    for (int i = 0; i < reel->frame.pose_count; i++)
        if (reel->frame.poses[i].body == body)
            return &reel->frame.poses[i];
    return NULL;
}

// Did the pair share a point before, too? Then it was not rounding that brought it together.
static bool met_before(search *s, const nc_audit_hit *hit)
{
    const nc_reel *reel = s->exact;
    const nc_run_pose *a = pose_of(reel, hit->a), *b = pose_of(reel, hit->b);
    if (a == NULL || b == NULL || hit->a == hit->b)
        return false; // a run has no cloth that intersects itself
    const nc_audit_item items[2] = {{reel->meshes[reel->bodies[hit->a].mesh], a->pose},
                                    {reel->meshes[reel->bodies[hit->b].mesh], b->pose}};
    nc_audit_hit found;
    int count = 0;
    s->code = nc_audit_poses(items, 2, NULL, NULL, NULL, NULL, &found, 1, &count, s->err);
    return count > 0;
}

static void describe(search *s, const nc_frame_audit *audit, const nc_audit_hit *hit)
{
    char names[2][160], a[48], b[48];
    const nc_intersection *where = &hit->where;
    snprintf(s->found->first, sizeof s->found->first,
             "frame %" PRId64 " (%.6g s): %s of %s and %s of %s at (%.6g, %.6g, %.6g)", number_of(s, audit->frame),
             audit->time, nc_element_text(where->kind_a, where->element_a, a, sizeof a),
             nc_reel_body_name(s->exact, hit->a, names[0], sizeof names[0]),
             nc_element_text(where->kind_b, where->element_b, b, sizeof b),
             nc_reel_body_name(s->exact, hit->b, names[1], sizeof names[1]), where->place.x, where->place.y,
             where->place.z);
}

static void test_frame(const nc_frame_audit *audit, void *ctx)
{
    search *s = ctx;
    int64_t pairs = 0;
    nc_export_watch_count(s->watch);
    if (audit->hit_count > 0 && s->code == NC_OK)
        s->code = nc_reel_seek(s->exact, number_of(s, audit->frame), s->err);
    for (int i = 0; i < audit->hit_count && s->code == NC_OK; i++) {
        if (met_before(s, &audit->hits[i]))
            continue;
        if (s->found->pairs + pairs++ == 0) {
            s->found->first_frame = number_of(s, audit->frame);
            describe(s, audit, &audit->hits[i]);
        }
    }
    s->found->pairs += pairs;
    s->found->frames += pairs > 0;
}

// ---- the frames that were chosen ------------------------------------------------------------------------------

static nc_code read_chosen(void *ctx, int64_t frame, nc_audit_picture *out, nc_error *err)
{
    const search *s = ctx;
    return s->rounded.read(s->rounded.ctx, number_of(s, frame), out, err);
}

static bool can_intersect(const void *ctx, int a, int b)
{
    const search *s = ctx;
    return s->rounded.can_intersect(s->rounded.ctx, a, b);
}

static bool matters(const void *ctx, int a, int b)
{
    const search *s = ctx;
    return s->rounded.matters(s->rounded.ctx, a, b);
}

static bool folds(const void *ctx, int body)
{
    const search *s = ctx;
    return s->rounded.folds(s->rounded.ctx, body);
}

nc_code nc_recheck_rounding(const char *path, const nc_reel_selection *chosen, const nc_rounding *rounding,
                            nc_export_watch *watch, nc_recheck *out, nc_error *err)
{
    nc_reel rounded;
    search s = {.exact = chosen->reel, .chosen = chosen, .watch = watch, .found = out, .err = err};
    *out = (nc_recheck){0};
    nc_code code = nc_reel_open(path, &rounded, err);
    if (code != NC_OK)
        return code;
    code = nc_reel_round(&rounded, rounding, err);
    if (code == NC_OK) {
        s.rounded = nc_reel_source(&rounded);
        const nc_audit_source source = {.body_count = rounded.info.body_count,
                                        .retains_meshes = s.rounded.retains_meshes,
                                        .read = read_chosen,
                                        .can_intersect = can_intersect,
                                        .matters = matters,
                                        .folds = folds,
                                        .ctx = &s};
        code = nc_audit_frames(&source, 0, chosen->count - 1, 0, test_frame, &s, err);
    }
    nc_reel_close(&rounded);
    return code != NC_OK ? code : s.code;
}
