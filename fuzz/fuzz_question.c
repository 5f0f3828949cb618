// Questions of `nacre query`. What is accepted must be answered or refused with a sentence, and a sweep that is called
// clear must not start in contact.
#include "fuzz.h"

#include "narrow/narrow.h"
#include "scene/scene.h"

static void ask_sweep(const nc_question *q)
{
    nc_error err;
    nc_sweep_result result;
    nc_intersection where;
    bool meet = false;
    nc_sweep_def def = q->sweep;
    def.limit = def.limit < 100 ? def.limit : 100;
    const nc_code code = nc_mesh_sweep(q->a, &q->motion_a, q->b, &q->motion_b, &def, &result, &err);
    fuzz_honest(code, &err);
    if (code != NC_OK || result.verdict != NC_CLEAR)
        return;
    FUZZ_PROMISE(result.toi == def.t_max);
    if (nc_mesh_intersect(q->a, q->motion_a.start, q->b, q->motion_b.start, &meet, &where, &err) == NC_OK)
        FUZZ_PROMISE(!meet);
}

static void ask_distance(const nc_question *q)
{
    nc_error err;
    nc_proximity nearest;
    const nc_code code = nc_mesh_distance(q->a, q->motion_a.start, q->b, q->motion_b.start, &nearest, &err);
    fuzz_honest(code, &err);
    if (code == NC_OK)
        FUZZ_PROMISE(nearest.lower_bound >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nc_error err;
    nc_question question;
    const nc_code code = nc_question_read("fuzz.json", (const char *)data, size, NULL, &question, &err);
    fuzz_honest(code, &err);
    // Large meshes take long and show nothing new.
    if (code == NC_OK && nc_mesh_view(question.a).triangle_count + nc_mesh_view(question.b).triangle_count < 2000) {
        ask_sweep(&question);
        ask_distance(&question);
    }
    nc_question_free(&question);
    return 0;
}
