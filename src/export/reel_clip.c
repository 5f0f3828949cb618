// Frames of a run as a clip.
#include "export/reel_clip.h"

#include <stdlib.h>
#include <string.h>

void nc_export_watch_count(nc_export_watch *watch)
{
    if (watch == NULL)
        return;
    watch->read += watch->read < watch->to_read;
    watch->on_progress((int64_t)((double)watch->read / (double)watch->to_read * (double)watch->frames), watch->ctx);
}

static nc_code read_frame(void *ctx, int64_t frame, double *time, nc_pose *poses, uint8_t *present, nc_error *err)
{
    const nc_reel_selection *s = &((const nc_reel_clip *)ctx)->chosen;
    const nc_code code = nc_reel_seek(s->reel, s->first + frame * s->every, err);
    if (code != NC_OK)
        return code;
    nc_export_watch_count(((const nc_reel_clip *)ctx)->watch);
    *time = s->reel->frame.time;
    memset(present, 0, (size_t)s->reel->info.body_count);
    for (int i = 0; i < s->reel->frame.pose_count; i++) {
        const nc_run_pose *pose = &s->reel->frame.poses[i];
        poses[pose->body] = pose->pose;
        present[pose->body] = 1;
    }
    return NC_OK;
}

static nc_code read_motion(void *ctx, nc_vec3 *velocities, nc_vec3 *spins, nc_error *err)
{
    const nc_run_frame *frame = &((const nc_reel_clip *)ctx)->chosen.reel->frame;
    (void)err;
    for (int i = 0; i < frame->pose_count; i++) {
        velocities[frame->poses[i].body] = frame->poses[i].velocity;
        spins[frame->poses[i].body] = frame->poses[i].spin;
    }
    return NC_OK;
}

static void keep_contact(int a, int b, const nc_proximity *p, void *ctx)
{
    nc_reel_clip *c = ctx;
    if (c->contact_count == c->contact_capacity) {
        const int capacity = 2 * c->contact_capacity + 64;
        nc_clip_contact *grown = realloc(c->contacts, (size_t)capacity * sizeof *grown);
        if (grown == NULL) {
            c->out_of_memory = true;
            return;
        }
        c->contacts = grown;
        c->contact_capacity = capacity;
    }
    const nc_vec3 middle = nc_scale(0.5, nc_add(p->on_a, p->on_b));
    c->contacts[c->contact_count++] = (nc_clip_contact){a, b, middle, p->normal, p->distance};
}

static nc_code read_contacts(void *ctx, const nc_clip_contact **out, int *out_count, nc_error *err)
{
    nc_reel_clip *c = ctx;
    const nc_reel *reel = c->chosen.reel;
    const nc_run_frame *frame = &reel->frame;
    nc_near_body *bodies = calloc((size_t)frame->pose_count + 1, sizeof *bodies);
    if (bodies == NULL)
        return nc_fail_memory(err, (size_t)frame->pose_count * sizeof *bodies);
    for (int i = 0; i < frame->pose_count; i++) {
        const nc_run_body *body = &reel->bodies[frame->poses[i].body];
        bodies[i] = (nc_near_body){frame->poses[i].body, body->type, reel->meshes[body->mesh], frame->poses[i].pose};
    }
    c->contact_count = 0;
    c->out_of_memory = false;
    nc_code code = nc_near_find(reel->run, bodies, frame->pose_count, c->proximity, keep_contact, c, err);
    if (code == NC_OK && c->out_of_memory)
        code = nc_fail_memory(err, (size_t)c->contact_capacity * sizeof *c->contacts);
    free(bodies);
    *out = c->contacts;
    *out_count = c->contact_count;
    return code;
}

nc_code nc_reel_clip_open(const nc_reel_selection *chosen, nc_reel_clip *out, nc_error *err)
{
    const nc_reel *reel = chosen->reel;
    const nc_world_def settings = nc_run_world_settings(reel->run);
    *out = (nc_reel_clip){.chosen = *chosen, .proximity = settings.proximity};
    out->bodies = calloc((size_t)reel->info.body_count + 1, sizeof *out->bodies);
    if (out->bodies == NULL)
        return nc_fail_memory(err, (size_t)reel->info.body_count * sizeof *out->bodies);
    for (int i = 0; i < reel->info.body_count; i++) {
        const nc_run_body *b = &reel->bodies[i];
        out->bodies[i] = (nc_clip_body){.name = b->name,
                                        .mesh = b->mesh,
                                        .moving = b->type != NC_STATIC && !b->deforms,
                                        .deforms = b->deforms,
                                        .type = b->type,
                                        .mass = b->type == NC_DYNAMIC ? b->mass : 0,
                                        .friction = b->friction,
                                        .restitution = b->restitution,
                                        .appearance = b->appearance};
    }
    out->clip = (nc_clip){.title = reel->info.title,
                          .meshes = reel->meshes,
                          .mesh_count = reel->info.mesh_count,
                          .bodies = out->bodies,
                          .body_count = reel->info.body_count,
                          .frame_count = chosen->count,
                          .gravity = settings.gravity,
                          .read = read_frame,
                          .read_motion = read_motion,
                          .read_contacts = read_contacts,
                          .ctx = out};
    return NC_OK;
}

void nc_reel_clip_close(nc_reel_clip *clip)
{
    free(clip->bodies);
    free(clip->contacts);
    *clip = (nc_reel_clip){0};
}
