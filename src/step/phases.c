// The two pipelines.
#include "step/phases.h"

#include <stddef.h>

#define SECONDS(column) offsetof(nc_step_report, seconds_##column)
#define COUNT(table)    ((int)(sizeof(table) / sizeof(table)[0]))

// English section 2.
static const nc_step_phase shell[] = {
    {"wake", nc_step_wake, {SECONDS(collide)}},                                     //   what moves wakes what sleeps
    {"collide", nc_step_collide, {SECONDS(collide)}},                               // 1 bounces
    {"accelerate", nc_step_accelerate, {SECONDS(predict)}},                         // 2 half of the forces
    {"rest_at_start", nc_step_rest_at_start, {SECONDS(predict), SECONDS(contact)}}, // 3 resting contact at x_n
    {"propose", nc_step_propose, {SECONDS(predict)}},                               // 4 motions
    {"separate", nc_step_separate, {SECONDS(separate)}},                            // 5 no two paths may cross
    {"wake_held", nc_step_wake_held, {SECONDS(separate)}},                          //
    {"settle", nc_step_settle, {SECONDS(settle)}},                                  // 6 velocities with all forces
    {"rest_at_end", nc_step_rest_at_end, {SECONDS(settle), SECONDS(contact)}},      // 7 resting contact at x_n+1
    {"wake_near", nc_step_wake_near, {SECONDS(settle)}},                            //
    {"limit", nc_step_limit, {SECONDS(settle)}},                                    //   held bodies, energy
    {"lift", nc_step_lift, {SECONDS(settle)}},                                      //   what will be pushed up
    {"weigh", nc_step_weigh, {SECONDS(settle)}},                                    //   scripts with a maximum force
    {"strain_joints", nc_step_strain_joints, {SECONDS(settle)}},                    //   what joints bear
    {"fall_asleep", nc_step_fall_asleep, {SECONDS(settle)}},                        //   what has come to rest
    {"commit", nc_step_commit, {SECONDS(commit)}},                                  //
};

// Erleben, Fig. 14: velocities are solved for with the forces, before bodies move.
static const nc_step_phase layers[] = {
    {"wake", nc_step_wake, {SECONDS(predict)}},                             // what moves wakes what sleeps
    {"mechanisms_collide", nc_step_mechanisms_collide, {SECONDS(collide)}}, // bounces of islands with joints
    {"vsp_begin", nc_step_vsp_begin, {SECONDS(predict), SECONDS(contact)}}, // contacts at x_n
    {"vsp_solve", nc_step_vsp_solve, {SECONDS(predict), SECONDS(contact), SECONDS(solve)}},     // layer by layer
    {"mechanisms_at_start", nc_step_mechanisms_at_start, {SECONDS(predict), SECONDS(contact)}}, // islands with joints
    {"vsp_propose", nc_step_vsp_propose, {SECONDS(predict)}},                                   // motions
    {"separate", nc_step_separate, {SECONDS(separate)}},                                   // no two paths may cross
    {"wake_held", nc_step_wake_held, {SECONDS(separate)}},                                 //
    {"settle", nc_step_settle, {SECONDS(settle)}},                                         //
    {"mechanisms_at_end", nc_step_mechanisms_at_end, {SECONDS(settle), SECONDS(contact)}}, // islands with joints
    {"limit", nc_step_limit, {SECONDS(settle)}},                                           // held bodies, energy
    {"strain_joints", nc_step_strain_joints, {SECONDS(settle)}},                           // what joints bear
    {"fall_asleep", nc_step_fall_asleep, {SECONDS(settle)}},                               // what has come to rest
    {"commit", nc_step_commit, {SECONDS(commit)}},                                         //
};

// Nothing moves, and nothing can.
static const nc_step_phase still[] = {
    {"stay", nc_step_stay, {SECONDS(predict)}},
    {"commit", nc_step_commit, {SECONDS(commit)}},
};

nc_phase_list nc_step_phases(nc_pipeline pipeline, bool nothing_moves)
{
    if (nothing_moves)
        return (nc_phase_list){COUNT(still), still};
    return pipeline == NC_PIPELINE_SHELL ? (nc_phase_list){COUNT(shell), shell}
                                         : (nc_phase_list){COUNT(layers), layers};
}
