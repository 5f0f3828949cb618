// Four contacts at a time. Not for other folders.
//
// Contacts of a large island are put into groups of four that share no body (of finite mass), so that a group can be
// updated as one, lane by lane the same arithmetic as one contact's (pgs.c). A hub, the table that a thousand shards
// lie on, has more contacts than there are such groups: four of its contacts make a group too, in which each lane has a
// quarter of the hub as its own, and the hub gets what its quarters get on average (mass splitting; Tonge, Benevolenski
// and Voroshilov 2012). Their impulses fall short of what one contact after the other would get, and never overshoot.
// Velocities are scaled so that every mass is 1: sqrt(m) v, and C^-1 w with C C^T = I^-1. Then a row is all there is to
// know about a contact: what it reads from velocities it also gives to them.
#ifndef NC_CONTACT_WIDE_H
#define NC_CONTACT_WIDE_H

#include "math/math.h"

typedef struct nc_wide_slot {
    nc_lanes v; // sqrt(m) v; the fourth is 1/sqrt(m)
    nc_lanes w; // C^-1 w; the fourth is 0
} nc_wide_slot;

typedef struct nc_wide_memo {
    nc_wide_slot before; // the last sweep
    nc_wide_slot along;  // what the direction of the impulses does to the velocities
} nc_wide_memo;

// One row of four contacts.
typedef struct nc_wide_row {
    nc_lanes direction[3];         // [1]
    nc_lanes turn_a[3], turn_b[3]; // C^T (arm x direction); B's with the opposite sign
    nc_lanes offset;               // [m/s] drift along the direction, less the target
    nc_lanes inv, k;               // diagonal of K: its inverse (with compliance), and itself
    nc_lanes lambda;               // [N s]
    nc_lanes step, along;          // [N s] see nc_block_memo
} nc_wide_row;

enum { NC_HUB_NONE, NC_HUB_A, NC_HUB_B };

// Row 0 is the normal, rows 1 and 2 are the principal tangents. Lanes that are empty have slots of no body, and zeros.
typedef struct nc_wide {
    int a[NC_LANES], b[NC_LANES]; // wide slots; of infinite bodies: the one of nobody
    int hub;                      // NC_HUB_*: the side that all lanes have in common
    int idle;                     // all impulses and directions are 0
    nc_wide_row row[3];
    nc_lanes friction; // [1]
    nc_lanes soft;     // [1/kg] compliance of the normal row
    nc_lanes carry[2]; // K between normal and tangents
    nc_lanes asked;    // [m/s] out: most that its rows asked for when they were swept last
} nc_wide;

// Groups [begin, end), swept in their order. Parts of one phase have no body in common.
typedef struct nc_wide_part {
    int begin, end;
    int last;                 // see nc_wide_sweeps.chosen
    int slot_begin, slot_end; // wide slots of a region; phase 0 only
    int slot_last;            // see nc_wide_sweeps.moving
    int phase;                // ascending
    double residual, gain;    // out: of the last sweep; see nc_pgs_sweeps
} nc_wide_part;

// Groups of one island, and the scaled velocities they refer to.
typedef struct nc_wide_sweeps {
    nc_wide *groups;
    int group_count;
    int *chosen;         // groups that a sweep visits: of each part in places [begin, last)
    int *moving;         // wide slots that their bodies have: of each part in places [slot_begin, slot_last)
    nc_wide_part *parts; // all groups, in their order
    int part_count;
    nc_wide_slot *slots;
    nc_wide_memo *memos;
    int slot_count;
    double beta, keep; // momentum: lambda += beta along, then along = keep (step + beta along)
} nc_wide_sweeps;

// One sweep over a part's chosen groups.
void nc_wide_sweep(const nc_wide_sweeps *sweeps, nc_wide_part *part);
// The same by one of its copies, which this processor can run: they give the same bits.
void nc_wide_sweep_by(nc_copy copy, const nc_wide_sweeps *sweeps, nc_wide_part *part);

// Chooses all groups.
void nc_wide_choose_all(const nc_wide_sweeps *sweeps);
// Chooses the groups that asked for more than `speed` [m/s] when they were swept last. Returns how many contacts are
// left out; 0: all groups are chosen, since none asked, or so many that leaving out the others saves little.
int nc_wide_choose_busy(const nc_wide_sweeps *sweeps, double speed);

// Memory for what must lie at multiples of 64 bytes; one line more than needed, and it begins where this says.
typedef struct nc_line {
    double words[8];
} nc_line;
static inline void *nc_lines_begin(nc_line *lines)
{
    return (uint8_t *)lines + (64 - (uintptr_t)lines % 64) % 64;
}

#endif
