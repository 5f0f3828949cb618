// Commit: candidate rows become the state.
#include "step/step.h"

// Of dynamic bodies the steps in a row; of scripted ones how often their motion is halved, which is taken back when
// they get through.
static int held_now(const nc_bodies *bodies, const nc_fate *fate, int i)
{
    if (bodies->type[i] == NC_KINEMATIC)
        return fate->halted ? (bodies->held[i] < NC_SCRIPT_MAX_HALVINGS ? bodies->held[i] + 1 : NC_SCRIPT_MAX_HALVINGS)
                            : bodies->held[i] / 2;
    return !(fate->stuck || fate->halted) ? 0 : bodies->held[i] < INT32_MAX ? bodies->held[i] + 1 : INT32_MAX;
}

static void commit_range(int begin, int end, void *ctx)
{
    const nc_step *step = ctx;
    nc_bodies *bodies = &step->world->state.bodies;
    const nc_candidates *next = &step->world->candidates;
    for (int i = begin; i < end; i++) {
        next->acceleration[i] = (nc_body_acceleration){.known = true};
        if (!bodies->alive[i] || nc_step_leaves_asleep(step, i))
            continue;
        const nc_vec3 v = bodies->v[i], spin = bodies->spin[i];
        bodies->held[i] = held_now(bodies, &step->work->fate[i], i);
        bodies->pose[i] = next->pose[i];
        bodies->v[i] = next->v[i];
        bodies->momentum[i] = next->momentum[i];
        bodies->spin[i] = next->spin[i];
        bodies->spin_energy[i] = next->spin_energy[i];
        if (nc_row_is_free(step->work->role, i))
            nc_sleep_commit_row(step, bodies, i);
        // From now on it makes the motions of its script from where it is, so that it does not leap later.
        if (bodies->type[i] == NC_KINEMATIC)
            bodies->script_delay[i] += step->dt * (1.0 - step->work->fate[i].ran_until);
        next->acceleration[i].linear = nc_scale(1 / step->dt, nc_sub(bodies->v[i], v));
        next->acceleration[i].angular = nc_scale(1 / step->dt, nc_sub(bodies->spin[i], spin));
    }
}

static void advance_clock(nc_state *state, double dt)
{
    if (dt != state->clock_dt) {
        state->clock_base = nc_state_time(state);
        state->clock_step = state->step_count;
        state->clock_dt = dt;
    }
    state->step_count++;
}

// What was kept in this step becomes state; the old lists' memory serves the next step.
static void swap_impulses(nc_state *state, nc_warm *warm)
{
    for (int solve = 0; solve < NC_SOLVES; solve++) {
        const nc_kept_impulses old = state->kept[solve];
        state->kept[solve] = warm->kept[solve];
        warm->kept[solve] = old;
    }
}

static void count_flags(const nc_bodies *bodies, const uint8_t *flags, nc_step_report *report)
{
    for (int i = 0; i < bodies->count; i++) {
        if (!bodies->alive[i])
            continue;
        if (report->left_body < 0 && (flags[i] & (NC_STEP_NOT_FINITE | NC_STEP_TOO_FAR)) != 0)
            report->left_body = i;
        report->energy_fixes += (flags[i] & NC_STEP_FIXED) != 0;
        report->energy_fallbacks += (flags[i] & NC_STEP_FALLBACK) != 0;
        report->not_finite += (flags[i] & NC_STEP_NOT_FINITE) != 0;
        report->too_far += (flags[i] & NC_STEP_TOO_FAR) != 0;
    }
}

nc_code nc_step_commit(nc_step *step, nc_error *err)
{
    nc_world *world = step->world;
    if (!isfinite(step->time + step->dt))
        return nc_fail(err, NC_BAD_ARGUMENT, "the clock has run out: %g s + %g s", step->time, step->dt);
    nc_step_record_sleepers(step);
    if (world->contacts.incomplete)
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for the contacts of a step");
    nc_step_account_for_velocities(step);
    nc_step_measure_joints(step);
    nc_step_commit_loads(step);
    nc_parallel_for(world->settings.workers, world->state.bodies.count, NC_EFFORT_COMMIT_GRAIN, commit_range, step);
    swap_impulses(&world->state, &step->work->warm);
    nc_sleep_commit_impulses(&step->work->sleep, &world->state);
    world->has_motions = true;
    advance_clock(&world->state, step->dt);
    count_flags(&world->state.bodies, world->candidates.flags, &step->report);
    nc_measure_bodies(world, &step->report);
    step->report.dt = step->dt;
    return NC_OK;
}
