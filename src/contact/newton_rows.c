// Scaled bodies, rows, and impulses of an island on its way through Newton's method.
#include "contact/newton_rows.h"

size_t nc_newton_doubles(int bodies, int blocks)
{
    return 2 * (size_t)blocks * NC_BLOCK * NC_BLOCK + (size_t)bodies * NC_BLOCK * 6;
}

void nc_newton_place(nc_newton *newton, double *memory)
{
    const size_t n = (size_t)newton->plan.count * NC_BLOCK;
    const size_t area = (size_t)newton->plan.block_count * NC_BLOCK * NC_BLOCK;
    newton->blocks = memory;
    newton->upper = memory + area;
    memory += 2 * area;
    newton->y = memory;
    newton->y0 = memory + n;
    newton->g = memory + 2 * n;
    newton->d = memory + 3 * n;
    newton->factors = memory + 4 * n;
    newton->y_base = memory + 5 * n;
}

// ---- scaled bodies and rows ---------------------------------------------------------------------------------

bool nc_body_scale(const nc_velocity_change *before, double c[6], double y[6])
{
    const nc_mat3 *m = &before->inv_inertia;
    const double root = sqrt(before->inv_mass);
    c[0] = sqrt(m->row[0].x);
    c[1] = m->row[1].x / c[0];
    c[2] = sqrt(m->row[1].y - c[1] * c[1]);
    c[3] = m->row[2].x / c[0];
    c[4] = (m->row[2].y - c[3] * c[1]) / c[2];
    c[5] = sqrt(m->row[2].z - c[3] * c[3] - c[4] * c[4]);
    y[0] = before->v.x / root;
    y[1] = before->v.y / root;
    y[2] = before->v.z / root;
    y[3] = before->w.x / c[0];
    y[4] = (before->w.y - c[1] * y[3]) / c[2];
    y[5] = (before->w.z - c[3] * y[3] - c[4] * y[4]) / c[5];
    bool finite = true;
    for (int i = 0; i < 6; i++)
        finite = finite && isfinite(c[i]) && isfinite(y[i]);
    return finite && isfinite(root);
}

static void load_row(double *row, const double *c, double inv_mass, nc_vec3 arm, nc_vec3 direction, double sign)
{
    const nc_vec3 t = nc_scale(sign, nc_cross(arm, direction));
    const double root = sign * sqrt(inv_mass);
    row[0] = root * direction.x;
    row[1] = root * direction.y;
    row[2] = root * direction.z;
    row[3] = c[0] * t.x + c[1] * t.y + c[3] * t.z;
    row[4] = c[2] * t.y + c[4] * t.z;
    row[5] = c[5] * t.z;
}

static void load_contact(const nc_newton *newton, const nc_block *block, const nc_velocity_change *before, int slot,
                         nc_newton_contact *out)
{
    const nc_vec3 direction[3] = {block->n, block->t1, block->t2};
    memset(out, 0, sizeof *out);
    out->a = out->b = -1;
    if (block->inv_nn == 0)
        return;
    out->a = block->a < 0 ? -1 : newton->plan.place[block->a - slot];
    out->b = block->b < 0 ? -1 : newton->plan.place[block->b - slot];
    for (int r = 0; r < 3; r++) {
        if (out->a >= 0)
            load_row(out->ja[r], newton->factors + 6 * out->a, before[block->a].inv_mass, block->arm_a, direction[r],
                     1);
        if (out->b >= 0)
            load_row(out->jb[r], newton->factors + 6 * out->b, before[block->b].inv_mass, block->arm_b, direction[r],
                     -1);
        out->offset[r] = nc_dot(block->drift, direction[r]);
    }
    out->offset[0] -= block->target;
    out->k[0] = block->knn;
    out->k[1] = fmax(block->k11, block->k22);
    out->friction = block->friction;
    out->lambda[0] = block->lambda.x;
    out->lambda[1] = block->friction > 0 ? block->lambda.y : 0;
    out->lambda[2] = block->friction > 0 ? block->lambda.z : 0;
}

bool nc_newton_load(nc_newton *newton, const nc_sweeps *sweeps, const nc_velocity_change *before)
{
    for (int s = sweeps->slot_begin; s < sweeps->slot_end; s++) {
        const int column = newton->plan.place[s - sweeps->slot_begin];
        if (!nc_body_scale(&before[s], newton->factors + 6 * column, newton->y0 + 6 * column))
            return false;
    }
    for (int i = 0; i < newton->count; i++)
        load_contact(newton, &sweeps->blocks[i], before, sweeps->slot_begin, &newton->contacts[i]);
    return true;
}

void nc_newton_velocities(const nc_newton *newton)
{
    for (int i = 0; i < newton->count; i++) {
        nc_newton_contact *c = &newton->contacts[i];
        nc_newton_read_rows(c, newton->y, c->u);
        for (int r = 0; r < 3; r++)
            c->u[r] += c->offset[r];
    }
}

// y = y0 + J^T lambda.
static void apply_impulses(const nc_newton *newton)
{
    memcpy(newton->y, newton->y0, (size_t)newton->plan.count * 6 * sizeof *newton->y);
    for (int i = 0; i < newton->count; i++)
        nc_newton_add_rows(&newton->contacts[i], newton->contacts[i].lambda, newton->y);
    nc_newton_velocities(newton);
}

// ---- passes -------------------------------------------------------------------------------------------------

void nc_newton_clear_blocks(const nc_newton *newton)
{
    const nc_cholesky_plan *plan = &newton->plan;
    memset(newton->blocks, 0, (size_t)plan->block_count * 36 * sizeof *newton->blocks);
    memset(newton->upper, 0, (size_t)plan->block_count * 36 * sizeof *newton->upper);
    for (int j = 0; j < plan->count; j++) {
        double *diagonal = newton->blocks + (size_t)36 * (size_t)(plan->begin[j] + j);
        for (int i = 0; i < 6; i++)
            diagonal[7 * i] = 1;
    }
}

// [m/s] what the gradient is as a velocity of a contact point.
double nc_newton_gradient_speed(const nc_newton *newton)
{
    double speed = 0;
    for (int i = 0; i < newton->count; i++) {
        double u[3];
        nc_newton_read_rows(&newton->contacts[i], newton->g, u);
        for (int r = 0; r < 3; r++)
            speed = fabs(u[r]) > speed ? fabs(u[r]) : speed;
    }
    return speed;
}

// Rounding of the gradient, as a speed: that of velocities, which weights turn into impulses.
double nc_newton_rounding(const nc_newton *newton, double weight)
{
    double speed = 0, push = 0;
    for (int i = 0; i < newton->count; i++) {
        const nc_newton_contact *c = &newton->contacts[i];
        for (int r = 0; r < 3; r++) {
            speed = fmax(speed, fabs(c->u[r]));
            push = fmax(push, c->k[r > 0] * fabs(c->lambda[r]));
        }
    }
    return 0x1p-50 * (speed / weight + push);
}

// Into the cone, which the pass only knew from the one before.
void nc_newton_clip(const nc_newton *newton)
{
    for (int i = 0; i < newton->count; i++) {
        nc_newton_contact *c = &newton->contacts[i];
        const double limit = c->friction * c->lambda[0], l1 = c->lambda[1], l2 = c->lambda[2];
        const double size = newton->friction == NC_FRICTION_CONE ? sqrt(l1 * l1 + l2 * l2) : fmax(fabs(l1), fabs(l2));
        if (size > limit) {
            c->lambda[1] *= limit / size;
            c->lambda[2] *= limit / size;
        }
    }
}

// [m/s] of these impulses and the velocities they make, with the compliance of this stage.
double nc_newton_residual(const nc_newton *newton, const nc_sweeps *sweeps, double compliance)
{
    double residual = 0;
    apply_impulses(newton);
    for (int i = 0; i < newton->count; i++) {
        const nc_newton_contact *c = &newton->contacts[i];
        nc_block block = sweeps->blocks[i];
        nc_block_soften(&block, compliance);
        block.lambda = nc_v3(c->lambda[0], c->lambda[1], c->lambda[2]);
        const nc_vec3 u = nc_v3(c->u[0] + block.target, c->u[1], c->u[2]);
        const double here = nc_block_residual_parts(&block, u, newton->friction);
        if (!(here <= residual))
            residual = here; // also where it is not a number
    }
    return residual;
}

void nc_newton_copy(const nc_newton *newton, size_t to, size_t from)
{
    for (int i = 0; i < newton->count; i++) {
        char *contact = (char *)&newton->contacts[i];
        memcpy(contact + to, contact + from, sizeof newton->contacts[i].lambda);
    }
}
// The proximal term pulls to the impulses of the pass before.
void nc_newton_begin_pass(const nc_newton *newton, const nc_sweeps *sweeps, double rho, double compliance)
{
    for (int i = 0; i < newton->count; i++) {
        nc_newton_contact *c = &newton->contacts[i];
        nc_block block = sweeps->blocks[i];
        nc_block_soften(&block, compliance);
        c->weight[0] = block.soft_n + rho * c->k[0];
        c->weight[1] = rho * c->k[1];
        c->centre[0] = -rho * c->k[0] * c->lambda[0];
        c->centre[1] = -rho * c->k[1] * c->lambda[1];
        c->centre[2] = -rho * c->k[1] * c->lambda[2];
        c->limit = c->friction * c->lambda[0];
    }
}
