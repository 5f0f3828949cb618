// Islands with joints: gathered, solved by Newton's method one after the other, clamped and stored. Contacts that no
// joint is connected to are left to the other solvers.
#include "contact/joint_newton.h"
#include "contact/solver.h"

#include <float.h>
#include <string.h>

// ---- which islands ------------------------------------------------------------------------------------------

static bool is_finite_body(const nc_solver_bodies *bodies, int body)
{
    return body >= 0 && bodies->inv_mass[body] > 0;
}

// The first end of a row that can move; -1: none can.
static int finite_end(const nc_solver_bodies *bodies, const nc_joint_row *row)
{
    for (int e = 0; e < 4; e++)
        if (is_finite_body(bodies, row->end[e].body))
            return row->end[e].body;
    return -1;
}

static int finite_side(const nc_solver_bodies *bodies, const nc_contact *contact)
{
    return is_finite_body(bodies, contact->a) ? contact->a : is_finite_body(bodies, contact->b) ? contact->b : -1;
}

static void unite(nc_joint_work *work, const nc_solver_bodies *bodies, const nc_contact *contacts, int count)
{
    int *parent = work->parent.data;
    for (int i = 0; i < bodies->count; i++) {
        parent[i] = i;
        work->island_of.data[i] = -1;
        work->touched.data[i] = 0;
    }
    for (int k = 0; k < count; k++)
        if (is_finite_body(bodies, contacts[k].a) && is_finite_body(bodies, contacts[k].b))
            nc_forest_join(parent, contacts[k].a, contacts[k].b);
    for (int k = 0; k < bodies->joints->count; k++) {
        const nc_joint_row *row = &bodies->joints->rows[k];
        const int first = finite_end(bodies, row);
        for (int e = 0; e < 4 && first >= 0; e++)
            if (is_finite_body(bodies, row->end[e].body))
                nc_forest_join(parent, first, row->end[e].body);
    }
    for (int k = 0; k < count; k++) {
        const int body = finite_side(bodies, &contacts[k]);
        if (body >= 0)
            work->touched.data[nc_forest_root(parent, body)] = 1;
    }
}

// Numbers the islands that are solved here, by their lowest body; island_of is filled for all their bodies.
static int number(nc_joint_work *work, const nc_solver_bodies *bodies)
{
    const nc_joint_rows *joints = bodies->joints;
    int *parent = work->parent.data, *island = work->island_of.data, count = 0;
    for (int k = 0; k < joints->count; k++) {
        const int body = finite_end(bodies, &joints->rows[k]);
        const int root = body >= 0 ? nc_forest_root(parent, body) : -1;
        const bool skipped = root >= 0 && joints->skip != NULL && joints->skip[body];
        if (root >= 0 && !skipped && (!joints->touched_only || work->touched.data[root]))
            island[root] = 0;
    }
    for (int i = 0; i < bodies->count; i++) {
        const int root = nc_forest_root(parent, i);
        if (root == i && island[i] == 0)
            island[i] = count++;
        else if (root != i && island[root] >= 0 && is_finite_body(bodies, i))
            island[i] = island[root];
    }
    return count;
}

// Indices of items by island, in their own order: begin [islands + 1], order. An item of island -1 is left out.
static bool sort_by_island(nc_joint_lists *lists, const int *island, int count, int islands,
                           const nc_allocator *allocator)
{
    if (!nc_array_reserve(allocator, &lists->begin, islands + 2) || !nc_array_reserve(allocator, &lists->order, count))
        return false;
    int *begin = lists->begin.data;
    memset(begin, 0, ((size_t)islands + 2) * sizeof *begin);
    for (int k = 0; k < count; k++)
        if (island[k] >= 0)
            begin[island[k] + 2]++;
    for (int i = 0; i <= islands; i++)
        begin[i + 1] += begin[i];
    for (int k = 0; k < count; k++)
        if (island[k] >= 0)
            lists->order.data[begin[island[k] + 1]++] = k;
    return true;
}

static bool sort_all(nc_joint_work *work, const nc_solver_bodies *bodies, const nc_contact *contacts, int count,
                     int islands, const nc_allocator *allocator)
{
    const int rows = bodies->joints->count, most = rows > count ? rows : count;
    if (!sort_by_island(&work->bodies, work->island_of.data, bodies->count, islands, allocator) ||
        !nc_array_reserve(allocator, &work->keys, most))
        return false;
    for (int k = 0; k < count; k++) {
        const int body = finite_side(bodies, &contacts[k]);
        work->keys.data[k] = body >= 0 ? work->island_of.data[body] : -1;
    }
    if (!sort_by_island(&work->contacts, work->keys.data, count, islands, allocator))
        return false;
    for (int k = 0; k < rows; k++) {
        const int body = finite_end(bodies, &bodies->joints->rows[k]);
        work->keys.data[k] = body >= 0 ? work->island_of.data[body] : -1;
    }
    return sort_by_island(&work->rows, work->keys.data, rows, islands, allocator);
}

// ---- one island -----------------------------------------------------------------------------------------------

typedef struct joint_island {
    nc_joint_work *work;
    const nc_solver_bodies *bodies;
    nc_contact *contacts;
    const nc_solve_settings *settings;
    const int *members, *touching, *rows; // bodies, contacts and rows of it
    int member_count, touching_count, row_count;
    nc_joint_newton newton;
} joint_island;

static joint_island island_at(nc_joint_work *work, const nc_solver_bodies *bodies, nc_contact *contacts,
                              const nc_solve_settings *settings, int island)
{
    const int *b = work->bodies.begin.data, *c = work->contacts.begin.data, *r = work->rows.begin.data;
    return (joint_island){.work = work,
                          .bodies = bodies,
                          .contacts = contacts,
                          .settings = settings,
                          .members = work->bodies.order.data + b[island],
                          .member_count = b[island + 1] - b[island],
                          .touching = work->contacts.order.data + c[island],
                          .touching_count = c[island + 1] - c[island],
                          .rows = work->rows.order.data + r[island],
                          .row_count = r[island + 1] - r[island]};
}

static void connect(const joint_island *is, uint64_t *bits)
{
    const int *place = is->work->column_of.data;
    for (int k = 0; k < is->touching_count; k++) {
        const nc_contact *c = &is->contacts[is->touching[k]];
        if (is_finite_body(is->bodies, c->a) && is_finite_body(is->bodies, c->b))
            nc_cholesky_connect(bits, is->member_count, place[c->a], place[c->b]);
    }
    for (int k = 0; k < is->row_count; k++) {
        const nc_joint_row *row = &is->bodies->joints->rows[is->rows[k]];
        for (int e = 0; e < 4; e++)
            for (int f = 0; f < e; f++)
                if (is_finite_body(is->bodies, row->end[e].body) && is_finite_body(is->bodies, row->end[f].body))
                    nc_cholesky_connect(bits, is->member_count, place[row->end[e].body], place[row->end[f].body]);
    }
}

// Does the law of an island's friction depend on what is found for the normals?
static bool has_cone(const joint_island *is)
{
    for (int k = 0; k < is->touching_count; k++)
        if (is->contacts[is->touching[k]].friction > 0)
            return is->settings->friction == NC_FRICTION_CONE;
    return false;
}

// Memory for the numbers. False: there is not so much.
static bool lay_out(joint_island *is, const nc_allocator *allocator)
{
    nc_joint_newton *newton = &is->newton;
    nc_joint_work *work = is->work;
    const size_t matrix = (size_t)36 * (size_t)newton->plan.block_count, vector = (size_t)6 * (size_t)is->member_count;
    newton->coulomb = has_cone(is);
    const size_t all = (newton->coulomb ? 4 : 1) * matrix + 6 * vector;
    if (all > INT32_MAX || !nc_array_reserve(allocator, &work->doubles, (int)all) ||
        !nc_array_reserve(allocator, &work->links, 3 * is->touching_count + is->row_count))
        return false;
    double *memory = work->doubles.data;
    double **const vectors[] = {&newton->y, &newton->y0, &newton->g, &newton->step, &newton->factors, &newton->change};
    double **const matrices[] = {&newton->blocks, &newton->upper, &newton->always, &newton->always_upper};
    for (int i = 0; i < 6; i++, memory += vector)
        *vectors[i] = memory;
    for (int i = 0; i < (newton->coulomb ? 4 : 1); i++, memory += matrix)
        *matrices[i] = memory;
    newton->links = work->links.data;
    newton->friction = is->settings->friction;
    return true;
}

// Structure of the factorisation, and memory for the numbers.
static bool plan(joint_island *is, const nc_allocator *allocator)
{
    nc_joint_work *work = is->work;
    const int n = is->member_count;
    const size_t words = nc_cholesky_bit_words(n);
    nc_cholesky_plan *made = &is->newton.plan;
    if (words > INT32_MAX / 2 || !nc_array_reserve(allocator, &work->bits, (int)words) ||
        !nc_array_reserve(allocator, &work->ints, 3 * n + 1) || !nc_array_reserve(allocator, &work->changes, n))
        return false;
    memset(work->bits.data, 0, words * sizeof *work->bits.data);
    for (int m = 0; m < n; m++)
        work->column_of.data[is->members[m]] = m;
    connect(is, work->bits.data);
    int *place = work->ints.data, *degree = place + n;
    nc_cholesky_order(work->bits.data, n, INT64_MAX, place, degree, made);
    if (!nc_array_reserve(allocator, &work->factor_rows, made->block_count - n + 1))
        return false;
    nc_cholesky_rows(work->bits.data, degree, made, degree + n, work->factor_rows.data);
    return lay_out(is, allocator);
}

// Scaled velocities. False when a body cannot be scaled.
static bool load_bodies(const joint_island *is)
{
    const nc_solver_bodies *bodies = is->bodies;
    for (int m = 0; m < is->member_count; m++) {
        const int body = is->members[m], column = is->newton.plan.place[m];
        nc_velocity_change *change = &is->work->changes.data[m];
        *change = (nc_velocity_change){.inv_mass = bodies->inv_mass[body],
                                       .inv_inertia = bodies->inv_inertia[body],
                                       .v = bodies->v[body],
                                       .w = bodies->w[body]};
        if (!nc_body_scale(change, is->newton.factors + 6 * column, is->newton.y0 + 6 * column))
            return false;
    }
    return true;
}

static nc_link link_of(const joint_island *is, const nc_joint_end *ends)
{
    nc_link link = {.column = {-1, -1, -1, -1}};
    for (int e = 0; e < 4; e++) {
        const int body = ends[e].body;
        const nc_vec3 p = ends[e].linear, t = ends[e].angular;
        if (body < 0)
            continue;
        if (!is_finite_body(is->bodies, body)) {
            link.still += nc_dot(p, is->bodies->v[body]) + nc_dot(t, is->bodies->w[body]);
            continue;
        }
        const int column = is->newton.plan.place[is->work->column_of.data[body]];
        const double *c = is->newton.factors + 6 * column, root = sqrt(is->bodies->inv_mass[body]);
        const double j[6] = {
            root * p.x, root * p.y, root * p.z, c[0] * t.x + c[1] * t.y + c[3] * t.z, c[2] * t.y + c[4] * t.z,
            c[5] * t.z};
        link.column[e] = column;
        memcpy(link.j[e], j, sizeof j);
        for (int i = 0; i < 6; i++)
            link.k += j[i] * j[i];
    }
    return link;
}

static nc_link contact_link(const joint_island *is, const nc_contact *contact, nc_vec3 direction)
{
    const nc_joint_end ends[4] = {
        {contact->a, direction, nc_cross(contact->arm_a, direction)},
        {contact->b, nc_neg(direction), nc_neg(nc_cross(contact->arm_b, direction))},
        {.body = -1},
        {.body = -1},
    };
    nc_link link = link_of(is, ends);
    link.still += nc_dot(contact->bias, direction);
    link.low = -INFINITY;
    link.high = INFINITY;
    return link;
}

static void load_links(joint_island *is)
{
    nc_link *links = is->newton.links;
    int at = 0;
    for (int k = 0; k < is->row_count; k++) {
        const nc_joint_row *row = &is->bodies->joints->rows[is->rows[k]];
        nc_link link = link_of(is, row->end);
        link.target = row->target;
        link.compliance = row->compliance;
        link.low = row->low;
        link.high = row->high;
        if (is->settings->warm && is->touching_count > 0 && isfinite(row->impulse))
            link.lambda = fmin(fmax(row->impulse, row->low), row->high);
        links[at++] = link;
    }
    for (int k = 0; k < is->touching_count; k++) {
        nc_contact *contact = &is->contacts[is->touching[k]];
        const nc_vec3 start = is->settings->warm && contact->impulse.x > 0 && nc_finite3(contact->impulse)
                                  ? contact->impulse
                                  : nc_v3(0, 0, 0);
        nc_vec3 t1, t2;
        nc_contact_tangents(contact->normal, &t1, &t2);
        links[at] = contact_link(is, contact, contact->normal);
        links[at].kind = NC_LINK_NORMAL;
        links[at].target = contact->target;
        links[at].low = 0;
        links[at].friction = contact->friction;
        links[at + 1] = contact_link(is, contact, t1);
        links[at + 2] = contact_link(is, contact, t2);
        links[at + 1].kind = links[at + 2].kind = NC_LINK_TANGENT;
        links[at].lambda = start.x;
        links[at + 1].lambda = contact->friction > 0 ? start.y : 0;
        links[at + 2].lambda = contact->friction > 0 ? start.z : 0;
        at += 3;
    }
    is->newton.count = at;
}

// ---- when it is solved ----------------------------------------------------------------------------------------

// [m/s] what velocities that cancel each other in a row leave of its speed by rounding.
static double rounding_of(const nc_link *link, const double *y)
{
    double size = fabs(link->still);
    for (int e = 0; e < 4; e++)
        for (int i = 0; i < 6 && link->column[e] >= 0; i++)
            size += fabs(link->j[e][i] * y[6 * link->column[e] + i]);
    return 0x1p-50 * size;
}

// [m/s] the largest speed that rows see before they act, the largest violation of a contact, and rounding.
static double largest_speed(const joint_island *is, double *violation, double *rounding)
{
    double speed = 0;
    *violation = *rounding = 0;
    for (int i = 0; i < is->newton.count; i++) {
        const nc_link *link = &is->newton.links[i];
        const double u = nc_link_speed(link, is->newton.y0);
        speed = fmax(speed, fmax(fabs(u), fabs(link->target)));
        *rounding = fmax(*rounding, rounding_of(link, is->newton.y0));
        if (link->kind == NC_LINK_NORMAL)
            *violation = fmax(*violation, link->target - u);
    }
    return speed;
}

static void give(const joint_island *is, int body, nc_vec3 linear, nc_vec3 angular)
{
    if (!is_finite_body(is->bodies, body))
        return;
    nc_velocity_change *change = &is->work->changes.data[is->work->column_of.data[body]];
    change->linear = nc_add(change->linear, linear);
    change->angular = nc_add(change->angular, angular);
}

// What a row of a joint gave, and the work [J] of drives and infinite bodies.
static double give_row(const joint_island *is, const nc_link *link, nc_joint_row *row)
{
    row->impulse = link->lambda;
    for (int e = 0; e < 4; e++)
        give(is, row->end[e].body, nc_scale(link->lambda, row->end[e].linear),
             nc_scale(link->lambda, row->end[e].angular));
    const double before = nc_link_speed(link, is->newton.y0) - link->still,
                 after = nc_link_speed(link, is->newton.y) - link->still;
    return row->drives ? 0.5 * link->lambda * (before + after) : -link->lambda * link->still;
}

// The same of the rows that hold bodies, and of contacts.
static double give_held(const joint_island *is)
{
    const nc_link *link = is->newton.links;
    double work = 0;
    for (int k = 0; k < is->row_count; k++, link++)
        if (!is->bodies->joints->rows[is->rows[k]].drives)
            work += give_row(is, link, &is->bodies->joints->rows[is->rows[k]]);
    for (int k = 0; k < is->touching_count; k++, link += 3) {
        nc_contact *contact = &is->contacts[is->touching[k]];
        contact->impulse = nc_v3(link[0].lambda, link[1].lambda, link[2].lambda);
        const nc_vec3 impulse = nc_contact_impulse_vector(contact);
        give(is, contact->a, impulse, nc_cross(contact->arm_a, impulse));
        give(is, contact->b, nc_neg(impulse), nc_neg(nc_cross(contact->arm_b, impulse)));
        work += nc_contact_kinematic_work(is->bodies, contact, impulse);
    }
    return work;
}

static double give_all(const joint_island *is)
{
    double work = 0;
    for (int k = 0; k < is->row_count; k++)
        if (is->bodies->joints->rows[is->rows[k]].drives)
            work += give_row(is, &is->newton.links[k], &is->bodies->joints->rows[is->rows[k]]);
    return work + give_held(is);
}

// Energy that is too much by no more than rounding is none.
static bool is_paid(const joint_island *is, const nc_clamp *clamp)
{
    double scale = 0;
    for (int i = 0; i < 6 * is->member_count; i++)
        scale += is->newton.y0[i] * is->newton.y0[i] + is->newton.y[i] * is->newton.y[i];
    return clamp->energy - clamp->work <= NC_JOINT_ENERGY_ROUNDING * (scale + fabs(clamp->work));
}

// Impulses of springs and drives become velocities that there were before the solve, as those of gravity are. Returns
// the energy [J] that they gave.
static double give_forces(const joint_island *is)
{
    nc_velocity_change *changes = is->work->changes.data;
    for (int m = 0; m < is->member_count; m++)
        changes[m].linear = changes[m].angular = nc_v3(0, 0, 0);
    for (int k = 0; k < is->row_count; k++)
        if (is->bodies->joints->rows[is->rows[k]].drives)
            give_row(is, &is->newton.links[k], &is->bodies->joints->rows[is->rows[k]]);
    const double energy = nc_clamp_without(changes, is->member_count, 0).energy;
    for (int m = 0; m < is->member_count; m++) {
        nc_velocity_change_part(&changes[m], 1, &changes[m].v, &changes[m].w);
        changes[m].linear = changes[m].angular = nc_v3(0, 0, 0);
    }
    return energy;
}

// What holds bodies adds no energy to what forces made, but for the work of infinite bodies. The mean speed of a row
// before and after all impulses is not the one that its own impulse acts at: a spring brakes a plate onto the piston
// that carries it, and only then does the piston press.
static nc_clamp clamp_after_forces(const joint_island *is)
{
    const double forces = give_forces(is), work = give_held(is);
    nc_clamp clamp = nc_clamp_without(is->work->changes.data, is->member_count, work);
    if (!is_paid(is, &clamp))
        clamp = nc_clamp_find(is->work->changes.data, is->member_count, work);
    clamp.work += forces;
    clamp.energy += forces;
    return clamp;
}

static nc_clamp clamp_change(const joint_island *is, double work, bool *forces_first)
{
    const nc_clamp all = nc_clamp_without(is->work->changes.data, is->member_count, work);
    *forces_first = is->settings->clamp && all.factor > 0 && !is_paid(is, &all);
    return *forces_first ? clamp_after_forces(is) : all;
}

static void store(const joint_island *is, nc_clamp clamp, bool forces_first)
{
    for (int m = 0; m < is->member_count; m++)
        nc_velocity_change_part(&is->work->changes.data[m], clamp.factor, &is->bodies->v[is->members[m]],
                                &is->bodies->w[is->members[m]]);
    for (int k = 0; k < is->row_count && clamp.factor < 1; k++)
        if (!(forces_first && is->bodies->joints->rows[is->rows[k]].drives))
            is->bodies->joints->rows[is->rows[k]].impulse *= clamp.factor;
    for (int k = 0; k < is->touching_count && clamp.factor < 1; k++) {
        nc_contact *contact = &is->contacts[is->touching[k]];
        contact->impulse = clamp.factor > 0 ? nc_scale(clamp.factor, contact->impulse) : nc_v3(0, 0, 0);
    }
}

static void clear_impulses(const joint_island *is)
{
    for (int k = 0; k < is->row_count; k++)
        is->bodies->joints->rows[is->rows[k]].impulse = 0;
    for (int k = 0; k < is->touching_count; k++)
        is->contacts[is->touching[k]].impulse = nc_v3(0, 0, 0);
}

static nc_code solve_island(joint_island *is, const nc_allocator *allocator, nc_solve_report *report, nc_error *err)
{
    if (!plan(is, allocator))
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for an island of %d bodies with joints", is->member_count);
    if (!load_bodies(is)) {
        clear_impulses(is);
        report->unconverged++;
        return NC_OK;
    }
    load_links(is);
    double violation, rounding;
    const double speed = largest_speed(is, &violation, &rounding);
    const double joint_stop = fmax(fmax(NC_JOINT_TOLERANCE * speed, rounding), DBL_MIN);
    const double contact_stop = fmax(is->settings->tolerance * violation, joint_stop);
    const nc_joint_fate fate = nc_joint_newton_run(&is->newton, joint_stop, contact_stop);
    bool forces_first;
    const nc_clamp clamp = clamp_change(is, give_all(is), &forces_first);
    store(is, clamp, forces_first);
    const double left = fmax(fate.joints, fate.contacts);
    report->islands++;
    report->contacts += is->touching_count;
    report->newtons += fate.factorisations;
    report->iterations = fate.passes > report->iterations ? fate.passes : report->iterations;
    report->residual = fmax(report->residual, left);
    report->unconverged += left > fmax(contact_stop, NC_RESIDUAL_SMALL) ? 1 : 0;
    report->clamps += clamp.factor < NC_CLAMPED ? 1 : 0;
    report->factor = fmin(report->factor, clamp.factor);
    report->work += clamp.work;
    report->energy += clamp.energy;
    return NC_OK;
}

// ---- the whole ------------------------------------------------------------------------------------------------

// Contacts of no island with joints, by the other solvers.
static nc_code solve_others(nc_contact_work *work, const nc_solver_bodies *bodies, nc_contact *contacts, int count,
                            const nc_solve_settings *settings, nc_solve_report *report, nc_error *err)
{
    nc_joint_work *joint = &work->joint;
    nc_solver_bodies plain = *bodies;
    plain.joints = NULL;
    joint->loose.count = 0;
    if (!nc_array_reserve(&work->allocator, &joint->loose, count))
        return nc_fail_memory(err, (size_t)count * sizeof *contacts);
    for (int k = 0; k < count; k++)
        if (finite_side(bodies, &contacts[k]) < 0 || joint->island_of.data[finite_side(bodies, &contacts[k])] < 0)
            joint->loose.data[joint->loose.count++] = contacts[k];
    const nc_code code = nc_unjointed_solve(work, &plain, joint->loose.data, joint->loose.count, settings, report, err);
    int at = 0;
    for (int k = 0; k < count && code == NC_OK; k++)
        if (finite_side(bodies, &contacts[k]) < 0 || joint->island_of.data[finite_side(bodies, &contacts[k])] < 0)
            contacts[k].impulse = joint->loose.data[at++].impulse;
    return code;
}

nc_code nc_jointed_solve(nc_contact_work *work, const nc_solver_bodies *bodies, nc_contact *contacts, int count,
                         const nc_solve_settings *settings, nc_solve_report *report, nc_error *err)
{
    nc_joint_work *joint = &work->joint;
    const nc_allocator *allocator = &work->allocator;
    nc_solve_report sum = {.factor = 1, .worst_a = -1, .worst_b = -1};
    nc_ints *const by_body[] = {&joint->parent, &joint->island_of, &joint->column_of};
    for (int i = 0; i < 3; i++)
        if (!nc_array_reserve(allocator, by_body[i], bodies->count))
            return nc_fail_memory(err, (size_t)bodies->count * sizeof(int));
    if (!nc_array_reserve(allocator, &joint->touched, bodies->count))
        return nc_fail_memory(err, (size_t)bodies->count);
    unite(joint, bodies, contacts, count);
    const int islands = number(joint, bodies);
    if (!sort_all(joint, bodies, contacts, count, islands, allocator))
        return nc_fail_memory(err, (size_t)count * sizeof(int));
    nc_code code = solve_others(work, bodies, contacts, count, settings, &sum, err);
    for (int i = 0; i < islands && code == NC_OK; i++) {
        joint_island is = island_at(joint, bodies, contacts, settings, i);
        code = solve_island(&is, allocator, &sum, err);
    }
    if (report != NULL)
        *report = sum;
    return code;
}

void nc_joint_work_free(nc_joint_work *work, const nc_allocator *allocator)
{
    nc_ints *const ints[] = {&work->parent,       &work->island_of,    &work->column_of,      &work->keys,
                             &work->bodies.begin, &work->bodies.order, &work->contacts.begin, &work->contacts.order,
                             &work->rows.begin,   &work->rows.order,   &work->ints,           &work->factor_rows};
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
        nc_array_free(allocator, ints[i]);
    nc_array_free(allocator, &work->touched);
    nc_array_free(allocator, &work->bits);
    nc_array_free(allocator, &work->doubles);
    nc_array_free(allocator, &work->links);
    nc_array_free(allocator, &work->changes);
    nc_array_free(allocator, &work->loose);
}
