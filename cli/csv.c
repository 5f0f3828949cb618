// Comma-separated tables of a run.
#include "csv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void write_vec3(FILE *out, nc_vec3 v)
{
    fprintf(out, ",%.17g,%.17g,%.17g", v.x, v.y, v.z);
}

void nc_csv_report_head(FILE *out)
{
    fputs("frame,step,time,dt,bodies,dynamic_bodies,kinetic,potential,kinetic_before,momentum_x,momentum_y,momentum_z,"
          "angular_momentum_x,angular_momentum_y,angular_momentum_z,support_x,support_y,support_z,energy_fixes,energy_"
          "fallbacks,not_finite,too_far,"
          "pairs,sweeps,collisions,contacts,contact_iterations,unconverged,dynamic_contacts,sticks,halts,stalls,jams,"
          "undecided,clamps,kinematic_work,turn_loss,smallest_distance,"
          "kinetic_collided,kinetic_moved,potential_before,force_work,position_energy,residual,final_contacts,"
          "final_iterations,shocks,collision_passes,dynamic_passes,kinematic_clusters,full_clusters,wanted_motion,"
          "kept_motion,depth,seconds_total,seconds_collide,seconds_predict,"
          "seconds_separate,seconds_settle,seconds_commit,seconds_respond,seconds_contact,seconds_solve\n",
          out);
}

static void write_contact(FILE *out, const nc_step_report *r)
{
    fprintf(out, ",%d,%" PRId64 ",%d,%d,%d,%d,%d", r->pairs, r->sweeps, r->collisions, r->contacts,
            r->contact_iterations, r->unconverged, r->dynamic_contacts);
    fprintf(out, ",%d,%d,%d,%d,%d,%d,%.17g,%.17g,", r->sticks, r->halts, r->stalls, r->jams, r->undecided, r->clamps,
            r->kinematic_work, r->turn_loss);
    // Empty when no two bodies were near.
    if (!isinf(r->smallest_distance))
        fprintf(out, "%.17g", r->smallest_distance);
}

static void write_accounts(FILE *out, const nc_step_report *r)
{
    fprintf(out, ",%.17g,%.17g,%.17g,%.17g,%.17g,%.17g", r->kinetic_collided, r->kinetic_moved, r->potential_before,
            r->force_work, r->position_energy, r->residual);
    fprintf(out, ",%d,%d,%d,%d,%d,%d,%d", r->final_contacts, r->final_iterations, r->shocks, r->collision_passes,
            r->dynamic_passes, r->kinematic_clusters, r->full_clusters);
    fprintf(out, ",%.17g,%.17g,%.17g", r->wanted_motion, r->kept_motion, r->depth);
}

nc_code nc_csv_report(FILE *out, nc_reel *reel, int64_t frame, nc_error *err)
{
    nc_step_report r = {0};
    const nc_code code = nc_run_read_report(reel->run, frame, &r, err);
    if (code != NC_OK)
        return code;
    fprintf(out, "%" PRId64 ",%" PRId64 ",%.17g,%.17g,%d,%d,%.17g,%.17g,%.17g", frame, r.step, r.time, r.dt, r.bodies,
            r.dynamic_bodies, r.kinetic, r.potential, r.kinetic_before);
    write_vec3(out, r.momentum);
    write_vec3(out, r.angular_momentum);
    write_vec3(out, r.support);
    fprintf(out, ",%d,%d,%d,%d", r.energy_fixes, r.energy_fallbacks, r.not_finite, r.too_far);
    write_contact(out, &r);
    write_accounts(out, &r);
    fprintf(out, ",%.6g,%.6g,%.6g,%.6g,%.6g,%.6g", r.seconds_total, r.seconds_collide, r.seconds_predict,
            r.seconds_separate, r.seconds_settle, r.seconds_commit);
    fprintf(out, ",%.6g,%.6g,%.6g\n", r.seconds_respond, r.seconds_contact, r.seconds_solve);
    return NC_OK;
}

// Quoted when it holds a comma, a quote or a line end; quotes are doubled (RFC 4180).
static void write_name(FILE *out, const char *name)
{
    if (strpbrk(name, ",\"\r\n") == NULL) {
        fputs(name, out);
        return;
    }
    fputc('"', out);
    for (; *name != '\0'; name++) {
        if (*name == '"')
            fputc('"', out);
        fputc(*name, out);
    }
    fputc('"', out);
}

void nc_csv_poses_head(FILE *out)
{
    fputs("frame,step,time,body,name,x,y,z,qw,qx,qy,qz,vx,vy,vz,spin_x,spin_y,spin_z\n", out);
}

nc_code nc_csv_poses(FILE *out, nc_reel *reel, int64_t frame, nc_error *err)
{
    const nc_code code = nc_reel_seek(reel, frame, err);
    for (int i = 0; code == NC_OK && i < reel->frame.pose_count; i++) {
        const nc_run_pose *p = &reel->frame.poses[i];
        fprintf(out, "%" PRId64 ",%" PRId64 ",%.17g,%d,", frame, reel->frame.step, reel->frame.time, p->body);
        write_name(out, reel->bodies[p->body].name);
        write_vec3(out, p->pose.x);
        fprintf(out, ",%.17g", p->pose.q.w);
        write_vec3(out, nc_v3(p->pose.q.x, p->pose.q.y, p->pose.q.z));
        write_vec3(out, p->velocity);
        write_vec3(out, p->spin);
        fputc('\n', out);
    }
    return code;
}
