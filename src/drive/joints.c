// What joints did that counts alone would hide: which pairs of bodies they let pass through each other, and what broke.
#include "drive/session.h"

#include "nacre/joint.h"

#include <stdio.h>

#define TOLD_PAIRS   3   // in the warning; the others are counted
#define LOGGED_PAIRS 100 // as events; the run file's table of exempt pairs has all of them

// `"elbow" (hinge)`, or `joint 3 (hinge)`.
static const char *label(const char *name, nc_joint_id id, nc_joint_kind kind, char out[128])
{
    if (name != NULL && name[0] != '\0')
        snprintf(out, 128, "\"%s\" (%s)", name, nc_joint_kind_names[kind]);
    else
        snprintf(out, 128, "%u (%s)", id.index, nc_joint_kind_names[kind]);
    return out;
}

// `"door"`, or `body 3`.
static const char *body_label(const nc_world *world, nc_body_id id, char out[128])
{
    const char *name = nc_body_name(world, id);
    if (id.generation == 0)
        snprintf(out, 128, "the world");
    else if (name != NULL && name[0] != '\0')
        snprintf(out, 128, "\"%.100s\"", name);
    else
        snprintf(out, 128, "body %u", id.index);
    return out;
}

// ---- pairs that a joint exempted because they start intersecting ----------------------------------------------

static bool exempts_by_itself(const nc_joint_state *state)
{
    return state->exempts && state->collide == NC_JOINT_COLLIDE_AUTO;
}

// The k-th of the joints that exempted their bodies by `collide: auto`.
static void tell_exempted(nc_session *session, const nc_world *world, nc_joint_id id, const nc_joint_state *state,
                          int k)
{
    char joint[128], a[128], b[128], text[768];
    snprintf(text, sizeof text,
             "%s and %s share points where they start, so joint %s lets them pass through each other; "
             "collide: false says that this is meant, collide: true refuses such a start",
             body_label(world, state->body_a, a), body_label(world, state->body_b, b),
             label(nc_joint_name(world, id), id, state->kind, joint));
    if (k < TOLD_PAIRS)
        nc_session_message(session, NC_MESSAGE_WARNING, "%s", text);
    if (k < LOGGED_PAIRS)
        nc_run_log(session->run, nc_model_step_count(session->model), "exempt", text, NULL);
}

nc_code nc_session_tell_exempted(nc_session *session, nc_error *err)
{
    const nc_world *world = nc_model_world(session->model);
    const int count = world != NULL ? nc_world_joint_count(world) : 0;
    if (count == 0)
        return NC_OK;
    nc_joint_id *ids = nc_alloc(&session->allocator, (size_t)count, sizeof *ids);
    if (ids == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *ids);
    nc_world_joints(world, ids, count);
    int found = 0;
    for (int k = 0; k < count; k++) {
        nc_joint_state state;
        if (nc_joint_read(world, ids[k], &state, NULL) == NC_OK && exempts_by_itself(&state))
            tell_exempted(session, world, ids[k], &state, found++);
    }
    nc_free(&session->allocator, ids, (size_t)count, sizeof *ids);
    if (found > TOLD_PAIRS)
        nc_session_message(session, NC_MESSAGE_WARNING,
                           "%d more pairs of bodies share points where they start and are exempt by their joints; the "
                           "run file's events have the first %d, its table exempt has all",
                           found - TOLD_PAIRS, LOGGED_PAIRS);
    return NC_OK;
}

// ---- joints that broke ----------------------------------------------------------------------------------------

static void tell_break(nc_session *session, const nc_world *world, const nc_joint_break *event)
{
    nc_joint_state state;
    char joint[128], a[128], b[128], text[512];
    label(event->name, event->joint, event->kind, joint);
    if (nc_joint_read(world, event->joint, &state, NULL) != NC_OK)
        snprintf(text, sizeof text, "joint %s broke at %.6g s, and a body with it: it bore %.4g N and %.4g N m", joint,
                 event->time, event->force, event->torque);
    else
        snprintf(text, sizeof text, "joint %s of %s and %s broke at %.6g s: it bore %.4g N and %.4g N m", joint,
                 body_label(world, state.body_a, a), body_label(world, state.body_b, b), event->time, event->force,
                 event->torque);
    nc_run_log(session->run, event->step, "joint_break", text, NULL);
}

nc_code nc_session_log_breaks(nc_session *session, nc_error *err)
{
    const nc_world *world = nc_model_world(session->model);
    const int count = world != NULL ? nc_world_joint_breaks(world, NULL, 0) : 0;
    if (count == session->breaks_told)
        return NC_OK;
    nc_joint_break *events = nc_alloc(&session->allocator, (size_t)count, sizeof *events);
    if (events == NULL)
        return nc_fail_memory(err, (size_t)count * sizeof *events);
    nc_world_joint_breaks(world, events, count);
    for (int k = session->breaks_told; k < count; k++)
        if (events[k].step > session->resumed_end)
            tell_break(session, world, &events[k]);
    session->breaks_told = count;
    nc_free(&session->allocator, events, (size_t)count, sizeof *events);
    return NC_OK;
}
