// The page joints.md.
#include "bench/joints/joints.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static void write_head(FILE *page, bool cut_short)
{
    const nc_machine m = nc_this_machine();
    fputs("# Results: joints beside Bullet\n\n```\nnacre bench joints\n```\n\n", page);
    fputs("Both sides start from the same meshes, masses, poses, joints and time step and run in turns, each on one "
          "thread; the time is processor time of the steps alone. Everything else is measured by Nacre on the poses of "
          "both: how far joints are from what they lock after every step (the distance of anchors, the angle "
          "between the axes of hinges and sliders), how far they are past their limits, and, exactly, how many pairs "
          "of bodies intersect in up to 21 frames of the run. Pairs that Nacre exempts because they share a point at "
          "the start are exempt on both sides.\n\n",
          page);
    fputs("How Bullet is driven (`bench/peers/bullet_joints.cpp`): Debian's package in single precision, "
          "`btHingeConstraint`, `btPoint2PointConstraint` (with limits `btConeTwistConstraint`), `btSliderConstraint` "
          "with its motor; `btBoxShape` and `btConvexHullShape` for what moves, `btBvhTriangleMeshShape` for bowl and "
          "ground, one `stepSimulation(dt, 0)` per step, and Bullet's own defaults for the rest: 10 iterations, "
          "sleeping, error reduction 0.2, no continuous detection. The friction of hinges is a motor of velocity 0; a "
          "drive is a motor that would reach its target at the end of the step, with the same largest force.\n\n",
          page);
    fprintf(page, "Measured by `nacre bench joints` on %s (%d cores, %s), nacre %s.\n", m.processor, m.cores, m.system,
            nc_version());
    if (cut_short)
        fputs("\nCut short: fewer steps or ragdolls than the command has by itself.\n", page);
}

static void write_side(FILE *page, const char *who, double seconds, const nc_joints_trace *t)
{
    fprintf(page, "| %s | %.3g | %.3g, %.3g | %.2g, %.2g | %.2g, %.2g | %d, %d | %d of %d | %d |", who, 1e3 * seconds,
            1e3 * t->most.distance, 1e3 * t->end.distance, t->most.angle, t->end.angle, t->most.limit, t->end.limit,
            t->most_pairs, t->at_end.in_dynamic + t->at_end.in_static, t->bad, t->judged, t->at_end.escaped);
    if (isnan(t->height))
        fputs(" |\n", page);
    else
        fprintf(page, " %.4f |\n", t->height);
}

static void write_row(FILE *page, const nc_joints_row *row)
{
    fprintf(page, "\n## %s", row->label);
    if (row->ragdolls > 0)
        fprintf(page, ": %d of them", row->ragdolls);
    fprintf(page,
            "\n\n%d bodies, %d joints, %lld steps of %.6g s.\n\n"
            "| | ms per step | joint error [mm]: largest, at the end | axis angle [rad] | past limits [rad] | "
            "intersecting pairs: most in a frame, at the end | frames with such pairs | escaped | height [m] |\n"
            "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
            row->bodies, row->joints, (long long)row->steps, row->timestep);
    write_side(page, "Nacre", row->ours, &row->nacre);
    if (isnan(row->peer)) {
        fprintf(page, "\nNo other simulator: %s.\n", row->about);
        return;
    }
    write_side(page, row->about, row->peer, &row->other);
    fprintf(page, "\nBullet's step takes %.3g times Nacre's.\n", row->peer / row->ours);
}

nc_code nc_joints_write_page(const char *folder, const nc_joints_row *rows, int count, bool cut_short, nc_error *err)
{
    char path[1100];
    snprintf(path, sizeof path, "%.1000s/joints.md", folder);
    FILE *page = fopen(path, "w");
    if (page == NULL)
        return nc_fail(err, NC_IO, "cannot write '%s': %s", path, strerror(errno));
    write_head(page, cut_short);
    for (int i = 0; i < count; i++)
        write_row(page, &rows[i]);
    fputs("\nHeight: of the load at the end of the chain (it starts at -10.3 m and is to stay there), of the box that "
          "the gripper lifts by 0.3 m (to 0.35 m).\n",
          page);
    const bool failed = ferror(page) != 0;
    return fclose(page) != 0 || failed ? nc_fail(err, NC_IO, "cannot write '%s'", path) : NC_OK;
}
