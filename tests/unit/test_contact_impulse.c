// One contact: its frame, its response, the impulse of English 3.2, and the clamp on energy.
#include "contact_bodies.h"

static void tangents_are_a_right_handed_frame(void **state)
{
    (void)state;
    nc_random random = {check_seed("tangents", 1)};
    for (int i = 0; i < check_effort(20000); i++) {
        nc_vec3 n = random_unit(&random), t1, t2;
        if (i % 16 == 0) // the equator and the poles, where such frames like to break
            n = nc_v3((i & 16) ? 1 : 0, 0, (i & 16) ? ((i & 32) ? 0.0 : -0.0) : ((i & 32) ? 1 : -1));
        nc_contact_tangents(n, &t1, &t2);
        check_near(nc_norm(nc_sub(nc_cross(n, t1), t2)), 0, 1e-14);
        check_near(nc_norm(t1), 1, 1e-14);
        check_near(nc_dot(n, t1), 0, 1e-14);
    }
    nc_vec3 a1, a2, b1, b2;
    nc_contact_tangents(nc_v3(1, 0, 0.0), &a1, &a2);
    nc_contact_tangents(nc_v3(1, 0, -0.0), &b1, &b2);
    assert_true(a1.x == b1.x && a1.y == b1.y && a1.z == b1.z && a2.x == b2.x && a2.y == b2.y && a2.z == b2.z);
}

static void impulse_vector_and_parts_are_inverse(void **state)
{
    (void)state;
    nc_random random = {check_seed("parts", 2)};
    for (int i = 0; i < 1000; i++) {
        nc_contact contact = {0};
        contact.normal = random_unit(&random);
        contact.impulse = random_vector(&random, 5);
        const nc_vec3 back = nc_contact_impulse_parts(&contact, nc_contact_impulse_vector(&contact));
        check_near(nc_norm(nc_sub(back, contact.impulse)), 0, 1e-14);
    }
}

// The response is what nc_contact_apply does to nc_contact_velocity.
static void response_is_the_change_of_velocity_by_an_impulse(void **state)
{
    (void)state;
    nc_random random = {check_seed("response", 3)};
    body_set *c = body_set_create();
    for (int i = 0; i < check_effort(2000); i++) {
        c->count = c->contact_count = 0;
        body_set_fill_random(c, &random, 2, 1, 0.3, 1);
        const nc_solver_bodies bodies = body_set_bodies(c);
        const nc_vec3 before = nc_contact_velocity(&bodies, c->contacts);
        const nc_mat3 k = nc_contact_response(&bodies, c->contacts);
        const nc_vec3 impulse = random_vector(&random, 1);
        const nc_vec3 kept = c->v[0];
        nc_contact_apply(&bodies, c->contacts, impulse);
        const nc_vec3 change = nc_sub(nc_contact_velocity(&bodies, c->contacts), before);
        check_near(nc_norm(nc_sub(change, nc_mat3_mul(k, impulse))), 0, 1e-12 * (1 + nc_norm(change)));
        if (c->mass[0] == 0)
            assert_memory_equal(&kept, &c->v[0], sizeof kept);
        check_near(k.row[0].y - k.row[1].x, 0, 1e-12 * (1 + fabs(k.row[0].y)));
    }
    free(c);
}

static nc_solve_settings exact_settings(void)
{
    nc_solve_settings settings = nc_solve_settings_default();
    settings.tolerance = 1e-14;
    settings.iterations = 100000;
    return settings;
}

static nc_solve_report collide(body_set *c, nc_contact_work *work)
{
    const nc_solver_bodies bodies = body_set_bodies(c);
    const nc_solve_settings settings = exact_settings();
    nc_solve_report report;
    nc_error err;
    check_ok(nc_collide_patch(work, &bodies, c->contacts, c->contact_count, &settings, &report, &err), err);
    return report;
}

// Without friction the energy bound never bites, so the ratio is exact; with it, whenever it did not bite.
static void restitution_is_the_ratio_of_normal_speeds(void **state)
{
    (void)state;
    nc_random random = {check_seed("restitution", 4)};
    body_set *c = body_set_create();
    nc_contact_work *work = nc_contact_work_create(NULL);
    int bounces = 0;
    for (int i = 0; i < check_effort(20000); i++) {
        c->count = c->contact_count = 0;
        body_set_fill_random(c, &random, 2, 1, 0.2, i % 2 == 0 ? 0 : 2);
        const nc_solver_bodies bodies = body_set_bodies(c);
        const nc_contact *k = c->contacts;
        const double before = nc_dot(nc_contact_velocity(&bodies, k), k->normal);
        const nc_solve_report report = collide(c, work);
        const double after = nc_dot(nc_contact_velocity(&bodies, k), k->normal);
        if (before >= 0 || (c->mass[0] == 0 && c->mass[1] == 0)) {
            assert_true(after == before);
            continue;
        }
        if (i % 2 == 0)
            assert_true(report.factor >= NC_CLAMPED);
        if (report.factor < 1)
            continue;
        bounces++;
        check_near(-after / before, k->restitution, 1e-12 * (1 + 10 / fabs(before)));
    }
    assert_true(bounces > 4000);
    nc_contact_work_destroy(work);
    free(c);
}

static void collision_keeps_momentum_and_never_adds_energy(void **state)
{
    (void)state;
    nc_random random = {check_seed("momentum", 5)};
    body_set *c = body_set_create();
    nc_contact_work *work = nc_contact_work_create(NULL);
    int clamped = 0;
    for (int i = 0; i < check_effort(20000); i++) {
        c->count = c->contact_count = 0;
        body_set_fill_random(c, &random, 2, 1, 0, 2);
        const double energy = body_set_energy(c);
        const nc_vec3 p = body_set_momentum(c), l = body_set_angular_momentum(c);
        const nc_solve_report report = collide(c, work);
        check_near(nc_norm(nc_sub(body_set_momentum(c), p)), 0, 1e-12 * (1 + nc_norm(p)));
        check_near(nc_norm(nc_sub(body_set_angular_momentum(c), l)), 0, 1e-12 * (10 + nc_norm(l)));
        check_at_most(body_set_energy(c), energy * (1 + 1e-13));
        check_near(body_set_energy(c) - energy, report.energy, 1e-12 * (1 + energy));
        clamped += report.factor < NC_CLAMPED;
    }
    assert_true(clamped > 0); // or the clamp was not tested
    nc_contact_work_destroy(work);
    free(c);
}

static void friction_stays_in_its_cone_and_sticks_or_slides(void **state)
{
    (void)state;
    nc_random random = {check_seed("cone", 6)};
    body_set *c = body_set_create();
    int sticks = 0, slides = 0;
    for (int i = 0; i < check_effort(20000); i++) {
        c->count = c->contact_count = 0;
        body_set_fill_random(c, &random, 2, 1, 0.2, 1.5);
        const nc_solver_bodies bodies = body_set_bodies(c);
        const nc_contact *k = c->contacts;
        if (c->mass[0] == 0 && c->mass[1] == 0)
            continue;
        const nc_vec3 u = nc_contact_velocity(&bodies, k);
        const nc_mat3 response = nc_contact_response(&bodies, k);
        const double target = -k->restitution * nc_dot(u, k->normal);
        const nc_vec3 l = nc_impulse_find(response, u, k->normal, target, k->friction);
        const nc_vec3 after = nc_add(u, nc_mat3_mul(response, l));
        const double pressure = nc_dot(l, k->normal);
        if (nc_dot(u, k->normal) >= 0) {
            assert_true(nc_norm(l) == 0);
            continue;
        }
        const nc_vec3 tangential = nc_madd(l, -pressure, k->normal);
        check_at_most(nc_norm(tangential), k->friction * pressure * (1 + 1e-12) + 1e-14);
        check_near(nc_dot(after, k->normal), target, 1e-11 * (1 + nc_norm(u)));
        const nc_vec3 left = nc_madd(after, -nc_dot(after, k->normal), k->normal);
        const nc_vec3 slip = nc_madd(u, -nc_dot(u, k->normal), k->normal);
        if (nc_norm(left) < 1e-10) {
            sticks++;
        } else { // slides against the tangential velocity before
            slides++;
            check_near(nc_dot(tangential, slip), -nc_norm(tangential) * nc_norm(slip), 1e-10 * (1 + nc_norm(slip)));
        }
    }
    assert_true(sticks > 1000 && slides > 1000);
    free(c);
}

// A ball (I = 2/5 m r^2) with spin about y meets the floor. With J = (1+e) m |v_z| and the slip s = v_x - r w_y:
// it slides if mu J < 2/7 m |s|, and then v_x' = v_x - mu J/m; else it leaves rolling, v_x' = v_x - 2/7 s.
static void spinning_ball_bounces_as_in_the_textbook(void **state)
{
    (void)state;
    nc_random random = {check_seed("ball", 7)};
    body_set *c = body_set_create();
    nc_contact_work *work = nc_contact_work_create(NULL);
    int slides = 0, rolls = 0;
    for (int i = 0; i < 2000; i++) {
        c->count = c->contact_count = 0;
        const double m = nc_random_range(&random, 0.1, 5), r = nc_random_range(&random, 0.1, 2);
        const double moment = 0.4 * m * r * r, e = nc_random_unit(&random), mu = nc_random_unit(&random);
        const double vx = nc_random_range(&random, -3, 3), vz = -nc_random_range(&random, 0.1, 4);
        const double wy = nc_random_range(&random, -5, 5);
        const int floor_row = body_set_add(c, 0, nc_v3(0, 0, 0), nc_quat_identity(), nc_v3(0, 0, -1));
        const int ball = body_set_add(c, m, nc_v3(moment, moment, moment), nc_quat_identity(), nc_v3(0, 0, r));
        c->v[ball] = nc_v3(vx, 0, vz);
        c->w[ball] = nc_v3(0, wy, 0);
        body_set_touch(c, ball, floor_row, nc_v3(0, 0, 0), nc_v3(0, 0, 1), mu, e);
        const nc_solve_report report = collide(c, work);
        const double slip = vx - r * wy, normal = (1 + e) * m * -vz, hold = 2.0 / 7.0 * m * fabs(slip);
        const double push = -copysign(fmin(mu * normal, hold), slip);
        mu *normal < hold ? slides++ : rolls++;
        check_near(report.factor, 1, 1e-9);
        check_near(c->v[ball].x, vx + push / m, 1e-12);
        check_near(c->v[ball].z, -e * vz, 1e-12);
        check_near(c->w[ball].y, wy - r * push / moment, 1e-11);
    }
    assert_true(slides > 100 && rolls > 100);
    nc_contact_work_destroy(work);
    free(c);
}

static void two_balls_head_on_and_glancing(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    nc_contact_work *work = nc_contact_work_create(NULL);
    const nc_vec3 moments = {1, 1, 1};
    const int a = body_set_add(c, 2, moments, nc_quat_identity(), nc_v3(0, 0, 0));
    const int b = body_set_add(c, 1, moments, nc_quat_identity(), nc_v3(2, 0, 0));
    c->v[a] = nc_v3(3, 1, 0);
    body_set_touch(c, a, b, nc_v3(1, 0, 0), nc_v3(-1, 0, 0), 0, 0.5);
    collide(c, work);
    // Along x: the centre of mass moves at 2, A and B leave it at 0.5 times the speed they came with.
    check_near(c->v[a].x, 2 - 0.5 * 1, 1e-14);
    check_near(c->v[b].x, 2 + 0.5 * 2, 1e-14);
    check_near(c->v[a].y, 1, 0);
    nc_contact_work_destroy(work);
    free(c);
}

// A moving anvil: in its own frame the bounce is that from a resting one.
static void kinematic_body_with_velocity_is_a_change_of_frame(void **state)
{
    (void)state;
    nc_random random = {check_seed("frame", 8)};
    body_set *still = body_set_create(), *moving = body_set_create();
    nc_contact_work *work = nc_contact_work_create(NULL);
    for (int i = 0; i < 2000; i++) {
        still->count = still->contact_count = 0;
        body_set_fill_random(still, &random, 2, 1, 0, 1.5);
        const int fixed = i % 2;
        still->mass[fixed] = still->inv_mass[fixed] = 0;
        memset(&still->inv_inertia[fixed], 0, sizeof still->inv_inertia[fixed]);
        still->v[fixed] = still->w[fixed] = nc_v3(0, 0, 0);
        *moving = *still;
        const nc_vec3 drift = random_vector(&random, 5);
        moving->v[0] = nc_add(moving->v[0], drift);
        moving->v[1] = nc_add(moving->v[1], drift);
        const nc_solve_report one = collide(still, work), two = collide(moving, work);
        check_near(one.factor, two.factor, 1e-9);
        for (int k = 0; k < 2; k++) {
            check_near(nc_norm(nc_sub(nc_sub(moving->v[k], still->v[k]), drift)), 0, 1e-9);
            check_near(nc_norm(nc_sub(moving->w[k], still->w[k])), 0, 1e-9);
        }
    }
    nc_contact_work_destroy(work);
    free(still);
    free(moving);
}

// What each body was given by random impulses at the crowd's contacts; returns the work of infinite bodies.
static double random_changes(body_set *c, nc_random *random, nc_velocity_change *changes)
{
    const nc_solver_bodies bodies = body_set_bodies(c);
    memset(changes, 0, (size_t)c->count * sizeof *changes);
    for (int i = 0; i < c->count; i++) {
        changes[i].inv_mass = c->inv_mass[i];
        changes[i].inv_inertia = c->inv_inertia[i];
        changes[i].v = c->v[i];
        changes[i].w = c->w[i];
    }
    double work = 0;
    const double size = nc_random_range(random, 0.01, 3);
    for (int k = 0; k < c->contact_count; k++) {
        const nc_contact *contact = &c->contacts[k];
        const nc_vec3 l = random_vector(random, size);
        nc_velocity_change *a = &changes[contact->a], *b = &changes[contact->b];
        a->linear = nc_add(a->linear, l);
        a->angular = nc_add(a->angular, nc_cross(contact->arm_a, l));
        b->linear = nc_sub(b->linear, l);
        b->angular = nc_sub(b->angular, nc_cross(contact->arm_b, l));
        work += nc_contact_kinematic_work(&bodies, contact, l);
    }
    return work;
}

// Infinite bodies have no change.
static int drop_infinite(const body_set *c, nc_velocity_change *changes)
{
    int kept = 0;
    for (int i = 0; i < c->count; i++) {
        if (c->mass[i] > 0)
            changes[kept++] = changes[i];
    }
    return kept;
}

static void clamp_lets_energy_rise_by_the_work_of_infinite_bodies_at_most(void **state)
{
    (void)state;
    nc_random random = {check_seed("clamp", 9)};
    body_set *c = body_set_create();
    nc_velocity_change changes[10];
    int whole = 0, part = 0, none = 0;
    for (int i = 0; i < check_effort(20000); i++) {
        c->count = c->contact_count = 0;
        const int n = 2 + (int)(nc_random_u64(&random) % 8);
        body_set_fill_random(c, &random, n, 1 + (int)(nc_random_u64(&random) % 20), 0.3, 1);
        const double work = random_changes(c, &random, changes), before = body_set_energy(c);
        const int kept = drop_infinite(c, changes);
        const nc_clamp clamp = nc_clamp_find(changes, kept, work);
        for (int b = 0, k = 0; b < n; b++) {
            if (c->mass[b] > 0)
                nc_velocity_change_part(&changes[k++], clamp.factor, &c->v[b], &c->w[b]);
        }
        const double rise = body_set_energy(c) - before;
        check_at_most(rise, clamp.factor * work + 1e-12 * (1 + before + fabs(work)));
        check_near(clamp.work, clamp.factor * work, 1e-12 * (1 + fabs(work)));
        check_near(rise, clamp.energy, 1e-11 * (1 + before));
        clamp.factor == 1 ? whole++ : (clamp.factor == 0 ? none++ : part++);
        if (clamp.factor > 0 && clamp.factor < 1) // as much as is allowed, not less
            check_near(rise, clamp.factor * work, 1e-11 * (1 + before + fabs(work)));
    }
    assert_true(whole > 100 && part > 100 && none > 100);
    free(c);
}

// Su 3.2, the formula as printed, in momenta: p = m v, L = I w; a kinematic B by going to its point's frame.
static double su_factor(const body_set *c, const nc_contact *k, nc_vec3 j)
{
    const nc_solver_bodies bodies = {c->count, c->inv_mass, c->inv_inertia, (nc_vec3 *)c->v, (nc_vec3 *)c->w,
                                     NULL,     NULL};
    nc_vec3 frame = {0, 0, 0};
    if (c->mass[k->b] == 0)
        frame = nc_add(bodies.v[k->b], nc_cross(bodies.w[k->b], k->arm_b));
    double up = 0, down = 0;
    for (int side = 0; side < 2; side++) {
        const int i = side == 0 ? k->a : k->b;
        if (c->mass[i] == 0)
            continue;
        const nc_vec3 l = side == 0 ? j : nc_neg(j), turn = nc_cross(side == 0 ? k->arm_a : k->arm_b, l);
        const nc_vec3 p = nc_scale(c->mass[i], nc_sub(c->v[i], frame)), spin = nc_mat3_mul(c->inertia[i], c->w[i]);
        up -= 2 * (nc_dot(l, p) / c->mass[i] + nc_dot(turn, nc_mat3_mul(c->inv_inertia[i], spin)));
        down += nc_norm2(l) / c->mass[i] + nc_dot(turn, nc_mat3_mul(c->inv_inertia[i], turn));
    }
    return fmin(fmax(up / down, 0), 1);
}

static void clamp_of_one_contact_is_su_factor(void **state)
{
    (void)state;
    nc_random random = {check_seed("su", 10)};
    body_set *c = body_set_create();
    for (int i = 0; i < check_effort(5000); i++) {
        c->count = c->contact_count = 0;
        body_set_fill_random(c, &random, 2, 1, 0, 1);
        nc_contact *k = c->contacts;
        if (i % 2 == 0) {
            c->mass[k->b] = c->inv_mass[k->b] = 0;
            memset(&c->inv_inertia[k->b], 0, sizeof c->inv_inertia[k->b]);
        }
        const nc_solver_bodies bodies = body_set_bodies(c);
        const nc_vec3 j = random_vector(&random, 3);
        nc_velocity_change changes[2];
        for (int side = 0; side < 2; side++) {
            const int b = side == 0 ? k->a : k->b;
            const nc_vec3 l = side == 0 ? j : nc_neg(j);
            changes[side] = (nc_velocity_change){
                c->inv_mass[b], c->inv_inertia[b], c->v[b], c->w[b], l, nc_cross(side == 0 ? k->arm_a : k->arm_b, l)};
        }
        const nc_clamp clamp = nc_clamp_find(changes, i % 2 == 0 ? 1 : 2, nc_contact_kinematic_work(&bodies, k, j));
        check_near(clamp.factor, su_factor(c, k, j), 1e-12);
    }
    free(c);
}

static void elevator_lifts_a_body_and_its_work_is_reported(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    nc_contact_work *work = nc_contact_work_create(NULL);
    const int lift = body_set_add(c, 0, nc_v3(0, 0, 0), nc_quat_identity(), nc_v3(0, 0, 0));
    const int box = body_set_add_box(c, 2, nc_v3(1, 1, 1), nc_v3(0, 0, 0.5));
    c->v[lift] = nc_v3(0, 0, 3);
    body_set_touch_square(c, box, lift, 1, nc_v3(0, 0, 0), 0.5);
    const nc_solve_report report = collide(c, work);
    check_near(c->v[box].z, 3, 1e-13);
    check_near(report.work, 2 * 3 * 3, 1e-12); // impulse 6 at speed 3
    check_near(report.energy, 0.5 * 2 * 9, 1e-12);
    assert_true(c->v[lift].z == 3);
    nc_contact_work_destroy(work);
    free(c);
}

static void nothing_that_is_not_finite_is_applied(void **state)
{
    (void)state;
    body_set *c = body_set_create();
    nc_contact_work *work = nc_contact_work_create(NULL);
    const double bad[] = {NAN, INFINITY, 1e308};
    for (int i = 0; i < 3; i++) {
        c->count = c->contact_count = 0;
        body_set_stack(c, 2, 1, 0.5);
        c->v[1].z = bad[i];
        const nc_vec3 v[3] = {c->v[0], c->v[1], c->v[2]}, w[3] = {c->w[0], c->w[1], c->w[2]};
        const nc_solver_bodies bodies = body_set_bodies(c);
        const nc_solve_settings settings = nc_solve_settings_default();
        check_ok(nc_contact_solve(work, &bodies, c->contacts, c->contact_count, &settings, NULL, NULL),
                 (nc_error){.code = NC_OK});
        assert_memory_equal(v, c->v, sizeof v);
        assert_memory_equal(w, c->w, sizeof w);
        assert_true(c->contacts[0].impulse.x == 0);
    }
    nc_contact_work_destroy(work);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangents_are_a_right_handed_frame),
        cmocka_unit_test(impulse_vector_and_parts_are_inverse),
        cmocka_unit_test(response_is_the_change_of_velocity_by_an_impulse),
        cmocka_unit_test(restitution_is_the_ratio_of_normal_speeds),
        cmocka_unit_test(collision_keeps_momentum_and_never_adds_energy),
        cmocka_unit_test(friction_stays_in_its_cone_and_sticks_or_slides),
        cmocka_unit_test(spinning_ball_bounces_as_in_the_textbook),
        cmocka_unit_test(two_balls_head_on_and_glancing),
        cmocka_unit_test(kinematic_body_with_velocity_is_a_change_of_frame),
        cmocka_unit_test(clamp_lets_energy_rise_by_the_work_of_infinite_bodies_at_most),
        cmocka_unit_test(clamp_of_one_contact_is_su_factor),
        cmocka_unit_test(elevator_lifts_a_body_and_its_work_is_reported),
        cmocka_unit_test(nothing_that_is_not_finite_is_applied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
