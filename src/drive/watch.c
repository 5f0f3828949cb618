// The stored frames of a session, for what its scene watches.
#include "drive/session.h"
#include "reel/reel.h"
#include "scene/scene.h"

static nc_code read_frame(void *ctx, int64_t frame, double *out_time, nc_watched_body *out, nc_error *err)
{
    nc_reel *reel = ctx;
    const nc_code code = nc_reel_seek(reel, frame, err);
    if (code != NC_OK)
        return code;
    *out_time = reel->frame.time;
    for (int id = 0; id < reel->info.body_count; id++)
        out[id] = (nc_watched_body){.name = reel->bodies[id].name};
    for (int i = 0; i < reel->frame.pose_count; i++) {
        const nc_run_pose *pose = &reel->frame.poses[i];
        const nc_run_body *body = &reel->bodies[pose->body];
        nc_watched_body *to = &out[pose->body];
        to->there = body->type != NC_STATIC;
        to->turns = !body->deforms;
        to->mesh = reel->meshes[body->mesh];
        to->pose = (nc_pose){nc_reel_place(reel, pose), pose->pose.q};
        to->velocity = pose->velocity;
        to->spin = pose->spin;
    }
    return NC_OK;
}

nc_code nc_session_judge_watch(nc_session *session, int *failed, nc_buffer *lines, nc_error *err)
{
    nc_reel reel;
    nc_code code = nc_reel_attach(session->run, &session->allocator, &reel, err);
    if (code != NC_OK)
        return code;
    const nc_watched_frames frames = {.count = reel.info.frame_count,
                                      .body_count = reel.info.body_count,
                                      .complete = session->jammed || nc_model_step_count(session->model) >=
                                                                         nc_scene_view(session->scene).steps,
                                      .timestep = session->timestep,
                                      .gravity = nc_model_gravity(session->model),
                                      .read = read_frame,
                                      .ctx = &reel};
    code = nc_scene_judge_watch(session->scene, &frames, failed, lines, err);
    nc_reel_close(&reel);
    return code;
}
