// Four contacts at a time: the same as one at a time in the same order, whatever the bodies.
#include "contact_bodies.h"

#include "contact/solver.h"

// Impulses after `limit` sweeps one contact at a time, in the order of the groups that `work` has made.
static void sweep_one_by_one(body_set *c, const nc_contact_work *work, int limit, bool accelerate, nc_vec3 *impulses)
{
    const nc_solver_bodies bodies = body_set_bodies(c);
    const int n = c->contact_count;
    nc_slot *slots = calloc((size_t)c->count, sizeof *slots);
    nc_slot_memo *slot_memos = calloc((size_t)c->count, sizeof *slot_memos);
    nc_block *blocks = calloc((size_t)n, sizeof *blocks);
    nc_block_memo *block_memos = calloc((size_t)n, sizeof *block_memos);
    int *at = calloc((size_t)n, sizeof *at); // the contact of each block
    nc_velocity_change unused;
    for (int i = 0; i < c->count; i++)
        nc_slot_load(&bodies, i, &slots[i], &unused);
    int count = 0;
    for (int lane = 0; count < n; lane++) {
        for (int k = 0; k < n; k++) {
            if (work->lane_of.data[k] != lane)
                continue;
            at[count] = work->order.data[k];
            const nc_contact *contact = &c->contacts[at[count]];
            const nc_block_ends ends = {c->mass[contact->a] > 0 ? contact->a : -1,
                                        c->mass[contact->b] > 0 ? contact->b : -1, false, false};
            blocks[count++] = nc_block_build(&bodies, contact, slots, ends, NC_FRICTION_CONE, 0);
        }
    }
    nc_sweeps sweeps = {.slots = slots, .blocks = blocks, .count = n, .iterations = limit};
    sweeps.slot_memos = slot_memos;
    sweeps.block_memos = accelerate ? block_memos : NULL;
    sweeps.slot_end = c->count;
    sweeps.stop = sweeps.floor = -1;
    nc_pgs_sweeps(&sweeps, NC_FRICTION_CONE);
    for (int k = 0; k < n; k++) {
        nc_contact contact = c->contacts[at[k]];
        nc_block_store(&blocks[k], &contact);
        impulses[at[k]] = contact.impulse;
    }
    free(slots);
    free(slot_memos);
    free(blocks);
    free(block_memos);
    free(at);
}

// Solves one island both ways and compares.
static void compare(body_set *c, int limit, bool accelerate)
{
    body_set *before = body_set_create();
    *before = *c;
    const nc_solver_bodies bodies = body_set_bodies(c);
    nc_contact_work *work = nc_contact_work_create(NULL);
    nc_solve_settings settings = nc_solve_settings_default();
    settings.iterations = limit;
    settings.tolerance = 0;
    settings.accelerate = accelerate;
    settings.clamp = settings.shock = false;
    nc_solve_report report;
    nc_error err;
    check_ok(nc_contact_solve(work, &bodies, c->contacts, c->contact_count, &settings, &report, &err), err);
    assert_int_equal(report.islands, 1);
    assert_int_equal(report.contacts, c->contact_count);
    assert_true(work->islands.data[0].group_end > 0);
    nc_vec3 *wanted = calloc((size_t)c->contact_count, sizeof *wanted);
    sweep_one_by_one(before, work, limit, accelerate, wanted);
    double largest = 0;
    for (int k = 0; k < c->contact_count; k++)
        largest = fmax(largest, nc_norm(wanted[k]));
    assert_true(largest > 0);
    for (int k = 0; k < c->contact_count; k++)
        check_near(nc_norm(nc_sub(c->contacts[k].impulse, wanted[k])), 0, 1e-8 * largest);
    free(wanted);
    nc_contact_work_destroy(work);
    free(before);
}

static void groups_of_four_do_what_one_contact_after_the_other_does(void **state)
{
    (void)state;
    nc_random random = {check_seed("wide", 71)};
    body_set *c = body_set_create();
    for (int i = 0; i < check_effort(60); i++) {
        c->count = c->contact_count = 0;
        body_set_fill_random(c, &random, 12 + i, 64 + 7 * i, 0, 1);
        c->mass[0] = c->inv_mass[0] = 0;
        memset(&c->inv_inertia[0], 0, sizeof c->inv_inertia[0]);
        for (int k = 0; k < c->contact_count; k++) { // one island, body 0 infinite and moving
            c->contacts[k].target = nc_random_range(&random, -1, 1);
            if (k < c->count - 1) {
                c->contacts[k].a = k;
                c->contacts[k].b = k + 1;
            }
        }
        compare(c, 1 + i % 9, i % 2 == 0);
    }
    free(c);
}

// ---- copies of the sweep ------------------------------------------------------------------------------------

#define GROUPS 24
#define SLOTS  (2 * NC_LANES + 1) // every group has all bodies but the last slot, nobody's

typedef struct sweep_state {
    _Alignas(64) nc_wide groups[GROUPS];
    _Alignas(64) nc_wide_slot slots[SLOTS];
    nc_wide_part part;
} sweep_state;

NC_INLINE nc_lanes random_lanes(nc_random *random, double low, double high)
{
    return (nc_lanes){nc_random_range(random, low, high), nc_random_range(random, low, high),
                      nc_random_range(random, low, high), nc_random_range(random, low, high)};
}

// Contacts that press, slide, part and do nothing at all, with and without a hub.
static void fill_group(nc_wide *group, nc_random *random)
{
    const bool idle = nc_random_range(random, 0, 1) < 0.2;
    memset(group, 0, sizeof *group);
    group->hub = (int)nc_random_range(random, 0, 2.99);
    for (int l = 0; l < NC_LANES; l++) {
        group->a[l] = group->hub == NC_HUB_A ? 0 : l;
        group->b[l] = group->hub == NC_HUB_B ? NC_LANES : NC_LANES + l;
    }
    for (int r = 0; r < 3; r++) {
        nc_wide_row *row = &group->row[r];
        for (int i = 0; i < 3; i++) {
            row->direction[i] = random_lanes(random, -1, 1);
            row->turn_a[i] = random_lanes(random, -1, 1);
            row->turn_b[i] = random_lanes(random, -1, 1);
        }
        row->offset = random_lanes(random, -1, r == 0 && idle ? 40 : 1);
        row->k = random_lanes(random, 1, 4);
        row->inv = 1 / row->k;
        row->lambda = idle ? nc_lanes_all(0) : random_lanes(random, 0, 1);
        row->step = row->along = idle ? nc_lanes_all(-0.0) : random_lanes(random, -0.1, 0.1);
    }
    group->idle = idle;
    group->friction = random_lanes(random, 0, 1);
    group->soft = random_lanes(random, 0, 0.1);
    group->carry[0] = random_lanes(random, -1, 1);
    group->carry[1] = random_lanes(random, -1, 1);
}

static void copies_of_the_sweep_give_the_same_bits(void **state)
{
    (void)state;
    nc_random random = {check_seed("copies", 73)};
    static sweep_state before, plain, other;
    int chosen[GROUPS], compared = 0, idle = 0;
    for (int k = 0; k < GROUPS; k++)
        chosen[k] = k;
    for (int i = 0; i < check_effort(50); i++) {
        memset(&before, 0, sizeof before);
        for (int k = 0; k < GROUPS; k++)
            fill_group(&before.groups[k], &random);
        for (int k = 0; k + 1 < SLOTS; k++)
            before.slots[k] = (nc_wide_slot){random_lanes(&random, -1, 1), random_lanes(&random, -1, 1)};
        before.part.end = before.part.last = GROUPS;
        for (int copy = 0; copy < NC_COPIES; copy++) {
            if (!nc_has_copy((nc_copy)copy))
                continue;
            sweep_state *now = copy == NC_COPY_PLAIN ? &plain : &other;
            memcpy(now, &before, sizeof before); // with what lies between its members
            nc_wide_sweeps sweeps = {.groups = now->groups, .chosen = chosen, .slots = now->slots};
            for (int k = 0; k < 3; k++) {
                sweeps.beta = sweeps.keep = 0.5 * k;
                nc_wide_sweep_by((nc_copy)copy, &sweeps, &now->part);
            }
            compared += copy != NC_COPY_PLAIN;
            assert_memory_equal(now, &plain, sizeof plain);
        }
        for (int k = 0; k < GROUPS; k++)
            idle += plain.groups[k].idle;
        assert_true(plain.part.residual > 0 && memcmp(&plain, &before, sizeof plain) != 0);
    }
    print_message("%d comparisons, %d idle groups\n", compared, idle);
    assert_true(idle > 0);
}

// More contacts with the ground at one body than there are colours: the rest stands alone in its groups.
static void a_body_with_hundreds_of_contacts_is_no_exception(void **state)
{
    (void)state;
    nc_random random = {check_seed("plate", 72)};
    body_set *c = body_set_create();
    body_set_add(c, 0, nc_v3(0, 0, 0), nc_quat_identity(), nc_v3(0, 0, 0));
    const int plate = body_set_add_box(c, 3, nc_v3(4, 4, 0.1), nc_v3(0, 0, 0.05));
    for (int i = 0; i < 300; i++) {
        const double x = nc_random_range(&random, -2, 2), y = nc_random_range(&random, -2, 2);
        body_set_touch(c, plate, 0, nc_v3(x, y, 0), nc_v3(0, 0, 1), 0.5, 0);
    }
    c->v[plate] = nc_v3(0.3, -0.2, -1);
    c->w[plate] = nc_v3(0.1, 0.2, 0.3);
    compare(c, 7, true);
    free(c);
}

// A table of 800 kg on four legs, and on it side^2 boxes of 1 kg; half of the contacts name the table
// first.
static void lay_table(body_set *c, nc_random *random, int side)
{
    body_set_add(c, 0, nc_v3(0, 0, 0), nc_quat_identity(), nc_v3(0, 0, 0));
    const int table = body_set_add_box(c, 800, nc_v3(2 * side, 2 * side, 0.2), nc_v3(0, 0, 0.9));
    body_set_touch_square(c, table, 0, side, nc_v3(0, 0, 0.8), 0.5);
    for (int i = 0; i < side * side; i++) {
        const int column = i % side, row = i / side;
        const nc_vec3 at = nc_v3(2 * column - side + 1, 2 * row - side + 1, 1);
        const int box = body_set_add_box(c, 1, nc_v3(0.5, 0.5, 0.5), nc_add(at, nc_v3(0, 0, 0.25)));
        const int from = c->contact_count;
        body_set_touch_square(c, box, table, 0.5, at, 0.5);
        for (int k = from; k < c->contact_count && i % 2 == 0; k++) {
            nc_contact *contact = &c->contacts[k];
            const nc_contact was = *contact;
            contact->a = was.b;
            contact->b = was.a;
            contact->arm_a = was.arm_b;
            contact->arm_b = was.arm_a;
            contact->normal = nc_neg(was.normal);
        }
        c->v[box] = nc_v3(nc_random_range(random, -0.1, 0.1), nc_random_range(random, -0.1, 0.1), -0.4);
    }
    c->v[table] = nc_v3(0, 0, -0.4);
}

// The most [m/s] that a table and its boxes still move after so many sweeps, which give no energy.
static double move_after(int sweeps, bool accelerate, int *groups)
{
    nc_random random = {check_seed("table", 74)};
    body_set *c = body_set_create();
    lay_table(c, &random, 12);
    const nc_solver_bodies bodies = body_set_bodies(c);
    nc_contact_work *work = nc_contact_work_create(NULL);
    nc_solve_settings settings = nc_solve_settings_default();
    settings.iterations = sweeps;
    settings.tolerance = settings.floor = 0;
    settings.accelerate = accelerate;
    settings.clamp = settings.shock = false;
    nc_solve_report report;
    nc_error err;
    const double before = body_set_energy(c);
    check_ok(nc_contact_solve(work, &bodies, c->contacts, c->contact_count, &settings, &report, &err), err);
    assert_int_equal(report.islands, 1);
    assert_true(body_set_energy(c) < before);
    *groups = work->islands.data[0].group_end;
    double most = 0;
    for (int i = 0; i < c->count; i++)
        most = fmax(most, nc_norm(c->v[i]) + nc_norm(c->w[i]));
    nc_contact_work_destroy(work);
    free(c);
    return most;
}

// A hub's contacts are solved four at a time too: it takes a few sweeps more, and few groups.
static void a_table_with_hundreds_of_boxes_comes_to_rest(void **state)
{
    (void)state;
    int groups;
    assert_true(move_after(20, false, &groups) < 0.1);
    assert_true(move_after(2000, false, &groups) < 1e-6);
    assert_true(move_after(300, true, &groups) < 1e-6);
    assert_true(groups < (4 * 144 + 4) / 2);
}

// A needle whose inverse inertia has no square root in doubles is solved all the same.
static void bodies_that_cannot_be_scaled_are_swept_one_by_one(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    body_set_stack(c, 25, 0.4, 0.5);
    const int needle = 13;
    memset(&c->inv_inertia[needle], 0, sizeof c->inv_inertia[needle]); // cannot be turned at all
    const nc_solver_bodies bodies = body_set_bodies(c);
    nc_contact_work *work = nc_contact_work_create(NULL);
    nc_solve_settings settings = nc_solve_settings_default();
    settings.iterations = 2000;
    settings.shock = false;
    nc_solve_report report;
    nc_error err;
    check_ok(nc_contact_solve(work, &bodies, c->contacts, c->contact_count, &settings, &report, &err), err);
    for (int b = 1; b <= 25; b++)
        check_near(nc_norm(c->v[b]), 0, 1e-2);
    check_near(nc_contact_residual(&bodies, c->contacts, c->contact_count, NC_FRICTION_CONE), 0, 1e-4);
    nc_contact_work_destroy(work);
    free(c);
}

// No two contacts of a group share a body that moves, but for a hub that all of them have on the same side.
static void check_groups(body_set *c, bool has_hub)
{
    bool hub_seen = false;
    const nc_solver_bodies bodies = body_set_bodies(c);
    nc_contact_work *work = nc_contact_work_create(NULL);
    const nc_solve_settings settings = nc_solve_settings_default();
    nc_solve_report report;
    nc_error err;
    check_ok(nc_contact_solve(work, &bodies, c->contacts, c->contact_count, &settings, &report, &err), err);
    assert_true(work->islands.data[0].group_end > 0);
    const int n = work->islands.data[0].contact_end;
    for (int k = 0; k < n; k++) {
        for (int l = 0; l < k; l++) {
            if (work->lane_of.data[k] / NC_LANES != work->lane_of.data[l] / NC_LANES)
                continue;
            assert_true(work->lane_of.data[k] != work->lane_of.data[l]);
            const nc_contact *p = &c->contacts[work->order.data[k]], *q = &c->contacts[work->order.data[l]];
            const bool hub_a = has_hub && p->a == 1, hub_b = has_hub && p->b == 1;
            assert_true(c->mass[p->a] == 0 || (hub_a ? q->a == 1 : p->a != q->a && p->a != q->b));
            assert_true(c->mass[p->b] == 0 || (hub_b ? q->b == 1 : p->b != q->a && p->b != q->b));
            hub_seen = hub_seen || hub_a || hub_b;
        }
    }
    assert_true(hub_seen == has_hub);
    nc_contact_work_destroy(work);
}

static void contacts_of_a_group_share_no_body_but_a_hub(void **state)
{
    (void)state;
    nc_random random = {check_seed("groups", 73)};
    body_set *c = body_set_create();
    body_set_fill_random(c, &random, 60, 900, 0.1, 1);
    check_groups(c, false);
    c->count = c->contact_count = 0;
    lay_table(c, &random, 10);
    check_groups(c, true);
    free(c);
}

// ---- regions ------------------------------------------------------------------------------------------------

// A floor, and side^2 boxes of many masses that touch it and their neighbours to the right and behind.
static void lay_field(body_set *c, nc_random *random, int side)
{
    body_set_add(c, 0, nc_v3(0, 0, 0), nc_quat_identity(), nc_v3(0, 0, 0));
    for (int i = 0; i < side * side; i++) {
        const nc_vec3 at = nc_v3(i % side, i / side, 0.5);
        const int box = body_set_add_box(c, nc_random_range(random, 0.5, 5), nc_v3(1, 1, 1), at);
        body_set_touch(c, box, 0, nc_add(at, nc_v3(0.3, 0.1, -0.5)), nc_v3(0, 0, 1), 0.5, 0);
        if (i % side > 0)
            body_set_touch(c, box, box - 1, nc_add(at, nc_v3(-0.5, 0.2, 0)), nc_v3(1, 0, 0), 0.3, 0);
        if (i >= side)
            body_set_touch(c, box, box - side, nc_add(at, nc_v3(0.1, -0.5, 0.1)), nc_v3(0, 1, 0), 0.3, 0);
        c->v[box] = random_vector(random, 0.5);
    }
}

static int part_of(const nc_contact_work *work, int place)
{
    const nc_island *island = &work->islands.data[0];
    const int group = work->lane_of.data[place] / NC_LANES;
    int part = island->part_begin;
    while (group >= work->wide_parts.data[part].end)
        part++;
    assert_true(part < island->part_end && group >= work->wide_parts.data[part].begin);
    return part;
}

// Returns how many of the contacts come after all regions.
static int check_parts(const body_set *c, const nc_contact_work *work)
{
    static int part_at[16][MAX_BODIES]; // by phase and body: 1 + its part
    const nc_island *island = &work->islands.data[0];
    int late = 0;
    memset(part_at, 0, sizeof part_at);
    for (int k = island->contact_begin; k < island->contact_end; k++) {
        const nc_contact *contact = &c->contacts[work->order.data[k]];
        const int part = part_of(work, k), phase = work->wide_parts.data[part].phase;
        late += phase > 0;
        for (int side = 0; side < 2; side++) {
            const int body = side == 0 ? contact->a : contact->b;
            if (c->mass[body] == 0)
                continue;
            assert_true(part_at[phase][body] == 0 || part_at[phase][body] == part + 1);
            part_at[phase][body] = part + 1;
        }
    }
    return late;
}

static void parts_of_one_phase_share_no_body(void **state)
{
    (void)state;
    nc_random random = {check_seed("regions", 75)};
    body_set *c = body_set_create();
    nc_contact_work *work = nc_contact_work_create(NULL);
    const nc_solve_settings settings = nc_solve_settings_default();
    nc_error err;
    for (int kind = 0; kind < 3; kind++) {
        c->count = c->contact_count = 0;
        if (kind == 0)
            lay_field(c, &random, 60);
        else if (kind == 1)
            lay_table(c, &random, 40);
        else
            body_set_fill_random(c, &random, 3000, 12000, 0.1, 1); // anyone touches anyone
        const nc_solver_bodies bodies = body_set_bodies(c);
        check_ok(nc_contact_solve(work, &bodies, c->contacts, c->contact_count, &settings, NULL, &err), err);
        const nc_island *island = &work->islands.data[0];
        const int n = island->contact_end - island->contact_begin, late = check_parts(c, work);
        print_message("%d contacts, %d parts, %d contacts between regions\n", n, island->part_end, late);
        assert_true(island->part_end > 4);
        if (kind == 0)
            assert_true(late * 10 < n); // they meet along lines
    }
    nc_contact_work_destroy(work);
    free(c);
}

static void regions_do_what_one_contact_after_the_other_does(void **state)
{
    (void)state;
    nc_random random = {check_seed("field", 76)};
    body_set *c = body_set_create();
    lay_field(c, &random, 30);
    compare(c, 3, false);
    c->count = c->contact_count = 0;
    lay_field(c, &random, 30);
    compare(c, 6, true);
    free(c);
}

// ---- sweeps over some groups ----------------------------------------------------------------------------------

// side^2 columns of one to eight boxes on a floor, each box against those to the left and in front: high columns are
// solved last.
static void lay_heap(body_set *c, nc_random *random, int side)
{
    static int first[1024], height[1024]; // by column
    assert_true(side * side <= 1024);
    body_set_add(c, 0, nc_v3(0, 0, 0), nc_quat_identity(), nc_v3(0, 0, 0));
    for (int i = 0; i < side * side; i++) {
        const int column = i % side, row = i / side;
        first[i] = c->count;
        height[i] = 1 + (int)nc_random_range(random, 0, 7.99);
        for (int level = 0; level < height[i]; level++) {
            const nc_vec3 foot = nc_v3(column, row, level);
            const int box = body_set_add_box(c, 1, nc_v3(1, 1, 1), nc_add(foot, nc_v3(0, 0, 0.5)));
            body_set_touch_square(c, box, level > 0 ? box - 1 : 0, 1, foot, 0.5);
            if (column > 0 && level < height[i - 1])
                body_set_touch(c, box, first[i - 1] + level, nc_add(foot, nc_v3(-0.5, 0.2, 0.5)), nc_v3(1, 0, 0), 0.3,
                               0);
            if (row > 0 && level < height[i - side])
                body_set_touch(c, box, first[i - side] + level, nc_add(foot, nc_v3(0.1, -0.5, 0.3)), nc_v3(0, 1, 0),
                               0.3, 0);
            c->v[box] = nc_add(nc_v3(0, 0, -0.4), random_vector(random, 0.05));
        }
    }
}

static nc_solve_settings heap_settings(int sweeps, double floor)
{
    nc_solve_settings settings = nc_solve_settings_default();
    settings.iterations = sweeps;
    settings.tolerance = 1e-9;
    settings.floor = floor;
    settings.clamp = settings.shock = false;
    return settings;
}

// The velocities that the last sweep left among the groups are those that all impulses make.
static void check_agreement(const body_set *c, const nc_contact_work *work)
{
    const nc_island *range = &work->islands.data[0];
    const nc_wide_island in = {.wide.slots = (nc_wide_slot *)nc_lines_begin(work->wide_slots.data),
                               .wide_of = work->wide_of.data,
                               .factors = work->factors.data};
    for (int s = range->slot_begin; s < range->slot_end; s++) {
        nc_vec3 v, w;
        nc_wide_velocity(&in, s, &v, &w);
        check_near(nc_norm(nc_sub(v, c->v[work->body_of.data[s]])), 0, 1e-9);
        check_near(nc_norm(nc_sub(w, c->w[work->body_of.data[s]])), 0, 1e-9);
    }
}

static void impulses_and_velocities_agree_when_groups_are_left_out(void **state)
{
    (void)state;
    nc_random random = {check_seed("heap", 78)};
    body_set *c = body_set_create();
    nc_contact_work *work = nc_contact_work_create(NULL);
    nc_error err;
    int partial = 0; // solves of which a sweep left something out
    for (int i = 0; i < check_effort(32); i++) {
        c->count = c->contact_count = 0;
        lay_heap(c, &random, 12);
        const nc_solver_bodies bodies = body_set_bodies(c);
        nc_solve_settings settings = heap_settings(120 + 9 * i, 4e-3);
        settings.accelerate = i % 3 > 0;
        nc_solve_report report;
        check_ok(nc_contact_solve(work, &bodies, c->contacts, c->contact_count, &settings, &report, &err), err);
        assert_int_equal(report.islands, 1);
        check_agreement(c, work);
        partial += report.updates % c->contact_count != 0;
        // A sweep over all groups was the last: it says what is left.
        const double residual = nc_contact_residual(&bodies, c->contacts, c->contact_count, NC_FRICTION_CONE);
        assert_true(residual <= 1.5 * fmax(report.residual, settings.floor));
    }
    assert_true(partial > 0);
    nc_contact_work_destroy(work);
    free(c);
}

static void a_heap_of_which_groups_are_left_out_is_solved(void **state)
{
    (void)state;
    nc_random random = {check_seed("solved", 79)};
    body_set *c = body_set_create();
    nc_contact_work *work = nc_contact_work_create(NULL);
    nc_error err;
    for (int i = 0; i < check_effort(6); i++) {
        c->count = c->contact_count = 0;
        lay_heap(c, &random, 16);
        const nc_solver_bodies bodies = body_set_bodies(c);
        const nc_solve_settings settings = heap_settings(3000, 1e-4);
        nc_solve_report report;
        check_ok(nc_contact_solve(work, &bodies, c->contacts, c->contact_count, &settings, &report, &err), err);
        assert_int_equal(report.unconverged, 0);
        assert_true(report.updates % c->contact_count != 0); // a sweep left something out
        assert_true(nc_contact_residual(&bodies, c->contacts, c->contact_count, NC_FRICTION_CONE) < 2e-4);
    }
    nc_contact_work_destroy(work);
    free(c);
}

// ---- threads --------------------------------------------------------------------------------------------------

static uint64_t hash_of_solve(body_set *c, bool heap, int workers, uint64_t seed)
{
    nc_random random = {seed};
    c->count = c->contact_count = 0;
    if (heap)
        lay_heap(c, &random, 16);
    else
        lay_field(c, &random, 50);
    const nc_solver_bodies bodies = body_set_bodies(c);
    nc_contact_work *work = nc_contact_work_create(NULL);
    nc_solve_settings settings = heap ? heap_settings(200, 1e-3) : nc_solve_settings_default();
    settings.iterations = heap ? 200 : 60;
    settings.tolerance = 0;
    settings.workers = workers;
    nc_solve_report report;
    nc_error err;
    check_ok(nc_contact_solve(work, &bodies, c->contacts, c->contact_count, &settings, &report, &err), err);
    assert_int_equal(report.islands, 1);
    nc_contact_work_destroy(work);
    return body_set_hash(c);
}

static void an_island_has_the_same_bits_on_any_number_of_workers(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    const uint64_t seed = check_seed("workers", 77);
    for (int heap = 0; heap < 2; heap++) {
        const uint64_t alone = hash_of_solve(c, heap, 1, seed);
        for (int workers = 2; workers <= 8; workers++)
            assert_true(hash_of_solve(c, heap, workers, seed) == alone);
    }
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_the_sweep_give_the_same_bits),
        cmocka_unit_test(groups_of_four_do_what_one_contact_after_the_other_does),
        cmocka_unit_test(a_body_with_hundreds_of_contacts_is_no_exception),
        cmocka_unit_test(a_table_with_hundreds_of_boxes_comes_to_rest),
        cmocka_unit_test(bodies_that_cannot_be_scaled_are_swept_one_by_one),
        cmocka_unit_test(contacts_of_a_group_share_no_body_but_a_hub),
        cmocka_unit_test(parts_of_one_phase_share_no_body),
        cmocka_unit_test(regions_do_what_one_contact_after_the_other_does),
        cmocka_unit_test(impulses_and_velocities_agree_when_groups_are_left_out),
        cmocka_unit_test(a_heap_of_which_groups_are_left_out_is_solved),
        cmocka_unit_test(an_island_has_the_same_bits_on_any_number_of_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
