// The end of a run in words.
#include "run_text.h"

#include "scene/scene.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

static const char *plural(int64_t count)
{
    return count == 1 ? "y" : "ies";
}

// ---- one line for everybody ---------------------------------------------------------------------------------

static void print_status(const nc_session_summary *s)
{
    printf("%s: ", s->path);
    if (s->status == NC_SESSION_JAMMED)
        printf("jammed after %.4g s; ", s->time);
    else if (s->status != NC_SESSION_FINISHED)
        printf("%s after %" PRId64 " of %" PRId64 " steps; ", nc_session_status_name(s->status), s->steps,
               s->steps_planned);
}

static void print_bodies(const nc_session_summary *s)
{
    const int64_t resting = (int64_t)s->dynamic - s->moving;
    if (s->run.has_cloth)
        printf("%d object%s of cloth and obstacles", s->bodies, s->bodies == 1 ? "" : "s");
    else if (s->dynamic == 0)
        printf("%d bod%s, none of which can move freely", s->bodies, plural(s->bodies));
    else if (s->moving == 0)
        printf("%d bod%s came to rest", s->dynamic, plural(s->dynamic));
    else if (resting == 0)
        printf("%d bod%s still move%s", s->dynamic, plural(s->dynamic), s->dynamic == 1 ? "s" : "");
    else
        printf("%" PRId64 " of %d bodies came to rest, %d still move%s", resting, s->dynamic, s->moving,
               s->moving == 1 ? "s" : "");
    if (s->run.fractures > 0)
        printf("; %" PRId64 " bod%s broke into %" PRId64 " pieces", s->run.fractures, plural(s->run.fractures),
               s->run.pieces);
}

// No two swept boxes overlapped.
static bool is_without_contact(const nc_run_summary *s)
{
    return !s->has_cloth && isinf(s->smallest_distance) && s->contacts == 0 && s->collisions == 0;
}

static void print_verdict(const nc_session_summary *s)
{
    if (s->audited && s->intersecting_frames > 0)
        printf("; %" PRId64 " FRAMES HAVE INTERSECTING BODIES", s->intersecting_frames);
    else if (s->bodies < 2)
        return;
    else if (s->steps > 0 && is_without_contact(&s->run))
        printf("; no two came near each other");
    else
        printf("; nothing ever crossed%s", s->exempt_pairs > 0 ? " but for pairs that may" : "");
}

static void print_line(const nc_session_summary *s)
{
    print_status(s);
    print_bodies(s);
    print_verdict(s);
    printf("; %.3g s of CPU\n", (double)clock() / CLOCKS_PER_SEC);
}

// ---- details ------------------------------------------------------------------------------------------------

// Counts of the summary that are not 0, without the two that come first: ", 3 sticks, 1 full cluster".
static void print_rare(const nc_run_summary *s)
{
    nc_report_field field;
    for (int i = 0, table = 0; (field = nc_run_summary_field(i, &table)).name != NULL && table == 0; i++) {
        const bool frequent = strcmp(field.name, "collisions") == 0 || strcmp(field.name, "contacts") == 0;
        if (field.use != NC_FIELD_SUMMARY || !nc_field_is_whole(&field) || frequent || nc_field_whole(&field, s) <= 0)
            continue;
        const int64_t value = nc_field_whole(&field, s);
        printf(", %" PRId64 " ", value);
        for (const char *c = field.name; *c != '\0'; c++)
            if (value != 1 || c[0] != 's' || c[1] != '\0') // 1 stick
                putchar(*c == '_' ? ' ' : *c);
    }
}

// One line about contact. Limits that were reached are named only when there are any.
static void print_contact(const nc_run_summary *s)
{
    if (s->smallest_distance < 0)
        return;
    if (is_without_contact(s)) {
        printf("contact: no close approaches\n");
        return;
    }
    printf("contact: %" PRId64 " collision%s, %" PRId64 " resting contact%s", s->collisions,
           s->collisions == 1 ? "" : "s", s->contacts, s->contacts == 1 ? "" : "s");
    print_rare(s);
    if (isinf(s->smallest_distance))
        printf(", no close approaches\n");
    else
        printf(", smallest distance %.3g m\n", s->smallest_distance);
    if (s->sticks + s->halts + s->jams > 0)
        printf("Sticks, halts and jams: bodies held to guarantee that nothing crosses (docs/glossary.md, \"Held\").\n");
}

static void print_cloth(const nc_run_summary *s)
{
    printf("contact: %" PRId64 " impulses of penalty layers, the deepest layer %" PRId64, s->contact_kicks,
           s->deepest_layer);
    if (s->smallest_distance >= 0 && !isinf(s->smallest_distance))
        printf(", smallest distance %.3g m", s->smallest_distance);
    putchar('\n');
}

// What ranks exchanged; imbalance is the time of the slowest rank of each exchange over the mean.
static void print_ranks(const nc_session_summary *s)
{
    const nc_session_ranks *ranks = &s->ranks;
    const double steps = s->steps_here > 0 ? (double)s->steps_here : 1;
    double shared = 0, most = 0, bytes = 0, exchanges = 0;
    for (int k = 0; k < NC_RANK_WORKS; k++) {
        shared += ranks->shared[k];
        most += ranks->most_shared[k];
        bytes += (double)ranks->bytes[k];
        exchanges += (double)ranks->exchanges[k];
    }
    printf("ranks: %d; per step %.3g exchanges and %.4g kB; each rank computed %.3g s, %.3g s of it shared, imbalance "
           "%.2f\n",
           ranks->count, exchanges / steps, 1e-3 * bytes / steps, ranks->seconds, shared,
           shared > 0 ? most / shared : 1.0);
    for (int k = 0; k < NC_RANK_WORKS; k++)
        if (ranks->exchanges[k] > 0)
            printf("  %s: per step %.3g exchanges, %.4g kB; %.3g s on each rank, %.3g s on the slowest\n",
                   nc_rank_work_name((nc_rank_work)k), (double)ranks->exchanges[k] / steps,
                   1e-3 * (double)ranks->bytes[k] / steps, ranks->shared[k], ranks->most_shared[k]);
}

static void print_details(const nc_session_summary *s)
{
    printf("%s: %s, %" PRId64 " steps (%.6g s), %" PRId64 " frames, %.3g s of work, state hash %016" PRIx64 "\n",
           s->path, nc_session_status_name(s->status), s->steps, s->time, s->frames, s->seconds, s->hash);
    if (s->run.has_cloth)
        print_cloth(&s->run);
    else
        print_contact(&s->run);
    if (s->ranks.count > 1)
        print_ranks(s);
}

// ---- what was asked for -------------------------------------------------------------------------------------

static void print_audit(const nc_session_summary *s)
{
    if (s->intersecting_frames > 0) {
        printf("audit: %" PRId64 " of %" PRId64 " frames have intersecting bodies, the first is frame %" PRId64 "\n",
               s->intersecting_frames, s->audited_frames, s->first_intersecting);
        return;
    }
    printf("audit: no intersections in %" PRId64 " frames", s->audited_frames);
    if (s->audited_steps > 0)
        printf(" and during %" PRId64 " steps", s->audited_steps);
    if (s->audited_pieces > 0)
        printf(", which are %" PRId64 " linear pieces between kicks", s->audited_pieces);
    putchar('\n');
}

void nc_run_text_print(const nc_session_summary *summary, const nc_buffer *expectations, bool verbose)
{
    print_line(summary);
    if (verbose)
        print_details(summary);
    if (summary->audited)
        print_audit(summary);
    if (expectations->size == 0)
        return;
    fwrite(expectations->data, 1, expectations->size, stdout);
    if (expectations->data[expectations->size - 1] != '\n')
        putchar('\n');
}
