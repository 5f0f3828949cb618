// Numbers that can change a trajectory: one list, each with its unit, its source and what happens when it is changed.
//
// Whoever changes one changes results: hashes of scenes, and what docs/theory says. Settings of a world are not here
// but in include/nacre/settings.def; bounds that a proof of rounding counts stay beside their proofs; numbers that only
// cost time are in effort_constants.h. docs/constants.md is made from this file (tests/tools/constants.py). Sources:
// "chosen" is a guess that no measurement backs. Effects are read from the code, unless they name what was measured.
#ifndef NC_BASE_MODEL_CONSTANTS_H
#define NC_BASE_MODEL_CONSTANTS_H

// ---- Collisions on free flights ----------------------------------------------------------------------------

// [rest distance] How much farther apart than the nearest points a point of the same contact patch may be. Source:
// chosen. Effect: more: patches gain points that do not touch yet; less: flat landings turn bodies.
#define NC_PATCH_SLACK_RESTS 0.25

// [sweeps] Every solve of collisions may make at least this many, however many contacts it has. Source: chosen.
// Effect: fewer: large batches keep more of their approach speed, and more rounds follow.
#define NC_COLLIDE_MIN_SWEEPS 50

// [updates] Maximum of single-contact updates in the solve of one pair. Source: measured: very unequal inertias
// need 5,000. Effect: fewer: such pairs leave with a residual.
#define NC_COLLIDE_PAIR_UPDATES 8192

// [1] Part of the largest violation that the solve of one pair may leave. Source: restitution is a ratio of
// velocities to nine digits. Effect: more: restitution is met with fewer digits.
#define NC_COLLIDE_PAIR_TOLERANCE 1e-10

// [rad] Bodies that turn by more in a step do not rest on what they hit, and do not gain energy where their velocity is
// carried (settle.c). Source: chosen. Effect: more: fast hinges count as resting and do not bounce.
#define NC_COLLIDE_RESTING_TURN 0.35

// [1] Part of the largest violation that a solve of many contacts may leave; paths are swept again after it.
// Source: chosen. Effect: less: more sweeps per round; more: more rounds.
#define NC_COLLIDE_BATCH_TOLERANCE 1e-2

// [1] The same part for islands of few contacts. Source: bodies that fall level on each other must not turn.
// Effect: more: they turn visibly.
#define NC_COLLIDE_SMALL_TOLERANCE 1e-9

// [updates] An island has few contacts if its solve fits into this many single-contact updates. Source: chosen.
// Effect: more: larger islands are solved to the small tolerance.
#define NC_COLLIDE_SMALL_UPDATES 16384

// ---- Rounds of collisions (docs/theory/step.md) ------------------------------------------------------------

// [looks] A pair that was found colliding so often is not resolved one by one. Source: measured: 1000 boats, 1000
// breaking spheres. Effect: more: more passes before a component is solved as a whole.
#define NC_ROUNDS_REPEATED_COLLISIONS 2

// [bodies] A component is crowded above one colliding pair per so many of its bodies. Source: measured: 1000 boats,
// 1000 breaking spheres. Effect: less: components stay on the first rung longer.
#define NC_ROUNDS_BODIES_PER_PAIR 16

// [pairs] A crowded component is solved as a whole if this many pairs still collide after NC_ROUNDS_GROWING_PASSES
// passes. Source: measured: 1000 boats, 1000 breaking spheres. Effect: more: more passes pair by pair.
#define NC_ROUNDS_GROWING_PAIRS 16

// [passes] The number of passes after which NC_ROUNDS_GROWING_PAIRS counts. Source: measured: 1000 boats, 1000
// breaking spheres. Effect: as the constant before.
#define NC_ROUNDS_GROWING_PASSES 3

// [passes] Maximum on the first rung, pair by pair. Source: measured: 1000 boats, 1000 breaking spheres. Effect:
// fewer: more components are solved in batches.
#define NC_ROUNDS_SINGLE_PASSES 20

// [bodies] A batch has at most one of so many bodies of its component; larger ones are solved as a whole. Source:
// measured: 1000 boats, 1000 breaking spheres. Effect: more: smaller batches.
#define NC_ROUNDS_BODIES_PER_BATCHED 8

// [solves] Maximum on the second rung, in batches. Source: measured: 1000 boats, 1000 breaking spheres. Effect:
// fewer: more pairs are left to certify.
#define NC_ROUNDS_BATCH_SOLVES 20

// [solves] Maximum on the third rung, the whole component. Source: measured: 1000 boats, 1000 breaking spheres.
// Effect: fewer: more pairs are left to certify.
#define NC_ROUNDS_WHOLE_SOLVES 6

// [pairs] A crowded component with this many colliding pairs is large, and is solved as a whole at once. Source:
// measured: 1000 boats, 1000 breaking spheres. Effect: more: large piles make passes pair by pair first.
#define NC_ROUNDS_LARGE_PAIRS 100

// [solves] Maximum for a large component on the third rung; after every other solve only pairs seen colliding are
// swept again. Source: measured: 1000 boats, 1000 breaking spheres. Effect: fewer: more pairs are left to certify.
#define NC_ROUNDS_LARGE_WHOLE_SOLVES 8

// [solves] Maximum for a component with little play. Source: chosen: straight taut chains. Effect: fewer: certify holds
// their links.
#define NC_TIGHT_SOLVES 16

// [bodies] Components of more are not solved as a whole because of their play. Source: cost: chosen. Effect: fewer:
// certify holds long taut chains.
#define NC_TIGHT_MAX_BODIES 256

// [rest distance that the sizes give] A pair that rests nearer has little play. Source: chosen: joints of chains.
// Effect: more: more components are solved as a whole, at their cost.
#define NC_TIGHT_RESTS 0.25

// [floor distance] A pair with little play that collides is brought to this distance. Source: chosen. Effect: more:
// chains are lifted; less: certify holds them.
#define NC_TIGHT_CLEAR_FLOORS 2

// [1] The motion of a component with little play that has less than this part of its energy was stopped within the
// step. Source: chosen; chords of what turns have a little less, too. Effect: more: mechanisms lose energy; less:
// chains keep velocities that they do not have.
#define NC_TIGHT_STOPPED_SHARE 0.5

// ---- Dynamic contact ---------------------------------------------------------------------------------------

// [sweeps] Maximum in the solve of one pair, or of one pair of clusters. Source: chosen. Effect: fewer: more
// responses per pair.
#define NC_SEPARATE_PAIR_SWEEPS 50

// [step] Paths of several segments that are to be farther apart at an earlier time are bent as if at this one.
// Source: chosen. Effect: less: large velocities for collisions at the start of a step.
#define NC_SEPARATE_EARLIEST_AIM 0.125

// [1] Part of the largest violation that a solve of a batch may leave; paths are swept again after it. Source:
// chosen. Effect: less: more sweeps per round; more: more rounds.
#define NC_SEPARATE_BATCH_TOLERANCE 1e-2

// [sweeps] Maximum in the solve of a batch. Source: chosen. Effect: fewer: more rounds, or pairs that certify
// holds.
#define NC_SEPARATE_BATCH_SWEEPS 50

// [step] Proposals of pairs that collide before this time go back to those of resting contact. Source: chosen
// (docs/theory/step.md). Effect: more: more of dynamic contact is taken back; less: more bodies are held by
// certify.
#define NC_RETREAT_BEFORE 0.125

// [rounds] Maximum of rounds that take proposals back. Source: chosen. Effect: fewer: more bodies are held by
// certify.
#define NC_RETREAT_ROUNDS 16

// [pushes] A pair of clusters is pushed this often before it is rigidified. Source: chosen
// (docs/theory/failsafe.md). Effect: fewer: more rigidification with `failsafe: kinematic`.
#define NC_FAILSAFE_PAIR_PUSHES 5

// ---- Proposals and velocities ------------------------------------------------------------------------------

// [1] A proposal moves a body by at most this many times its own speed, and by NC_PROPOSAL_MAX_RESTS besides.
// Source: tests/unit/test_clutter.c accepts 3 (v dt + g dt^2) + 3 d_rest. Effect: more: bodies may leap; less:
// contact pushes are shortened.
#define NC_PROPOSAL_MAX_SPEEDS 2

// [rest distance] A proposal may exceed NC_PROPOSAL_MAX_SPEEDS by this much per step. Source: as the constant
// before. Effect: as above.
#define NC_PROPOSAL_MAX_RESTS 2

// [1] Proposals of bodies that joints connect move no point by more than this many times the fastest point that one of
// them has, with what springs and drives give and errors that are removed. Source: chosen; a lever may multiply speeds.
// Effect: more: bodies may leap (a ball on a rope that hit a wall, by 4.5 m with no bound); less: levers are slowed.
#define NC_MECHANISM_MAX_SPEEDS 4

// [steps] Contacts slower than gravity makes them in this many steps do not bounce, where the scene gives no
// `rest_speed`. Source: chosen (docs/theory/step.md). Effect: less: resting bodies rattle; more: slow bounces are
// lost.
#define NC_REST_SPEED_STEPS 2

// [steps] A body that certify also held in this many steps before gets the velocity of its motion. Source: chosen
// (docs/theory/step.md, "Held bodies"). Effect: less: bodies that wait for one step lose their velocity; more: bodies
// that are held keep velocities that they do not have.
#define NC_HELD_STEPS 1

// [floor distance] A body whose path is rounded by more stays where it is, and is reported as too far. Source:
// chosen: room for certify (docs/theory/motion.md). Effect: more: pairs far from the origin are held by rounding.
#define NC_PATH_ERROR_FLOORS (1.0 / 64)

// [1] Part of dt^2 times force times arm by which an inertia may be smaller before solvers see it raised. Source:
// chosen; the method is that of Andrews, Teichmann and Kry 2017. Effect: more: light links under load are flung;
// less: they turn slowly.
#define NC_STIFF_INERTIA_SHARE 1.0

// [rad] Smaller rotations of a script are rounding: the body keeps its bits. Source: rounding of the script's own
// poses. Effect: more: slow scripts stand still.
#define NC_SCRIPT_STILL_ANGLE 1e-15

// [1] Scripted bodies that were held continue with no less than 2^-this of their motion. Source: chosen
// (docs/theory/step.md, "Held bodies"). Effect: more: jammed mechanisms get through in smaller steps, and wait
// longer.
#define NC_SCRIPT_MAX_HALVINGS 5

// [rad] Impulses within this angle of a plane or line do not act across it. Source: chosen, above rounding. Effect:
// more: momentum across nearly parallel impulses is kept that is not free.
#define NC_ENERGY_SPAN_ANGLE 1e-6

// [1] Of the largest moment of inertia of a floating group: there is none about axes with less. Source: chosen, above
// the rounding of eigenvalues. Effect: more: angular momentum about thin groups is lost where their energy is limited.
#define NC_FLOATING_MIN_INERTIA 0x1p-46

// [rest distance] Resting contact lifts no group of bodies by less that its kinetic energy does not pay for. Source:
// chosen, above what solves leave. Effect: less: bodies at rest tremble by what solves leave; more: corners that are
// too near stay there.
#define NC_CLIMB_MIN_RESTS 0x1p-16

// [1] A lift that takes more than the kinetic energy of a group is shortened where it takes less than this many times
// as much. Source: chosen. Effect: less: bodies that rock gain energy where they turn back; more: bodies that are too
// near part in more steps.
#define NC_CLIMB_PAID_TIMES 2.0

// [rest distance] Contacts that an impact left nearer than they rest by more keep the energy of their way back. Source:
// chosen, above what solves leave. Effect: less: bodies at rest keep velocities of solver residuals; more: bodies that
// land gain energy.
#define NC_LIFT_MIN_RESTS 0x1p-10

// [1] What is kept, over the work of the way: its end is known to first order. Source: chosen; 1e-5 was missing without
// it in a chain. Effect: more: what landed hops; less: it gains energy.
#define NC_LIFT_WORK_MARGIN (1 + 0x1p-10)

// [starts] A step that breaks bodies is started again at most this often; after that no body breaks in it. Source:
// chosen. Effect: fewer: chains of breaking take more steps.
#define NC_FRACTURE_MAX_STARTS 32

// [impulse] Below this part of the sum of impulses, their sum as vectors has no direction of its own. Source:
// chosen, above rounding. Effect: more: impacts on opposite sides take the first normal.
#define NC_FRACTURE_NORMAL_SHARE 1e-6

// ---- Rest distances and play (docs/theory/step.md) ---------------------------------------------------------

// [1] Cosine of the angle between normals, below which they are opposite (14 degrees). Source: facets of a pin of
// 16 sides are, walls of a wider wedge are not. Effect: nearer to -1: round pins have no play; nearer to 0: wedges
// have.
#define NC_PLAY_OPPOSITE_COSINE (-0.97)

// [1] Part of the play at which both sides of a pair rest. Source: half of the play stays free. Effect: more: pins
// are braked; less: pairs come nearer to the floor distance.
#define NC_PLAY_REST_SHARE 0.25

// [floor distance] No pair rests nearer than this because of its play. Source: chosen: room for certify. Effect:
// less: certify holds more; more: tight fits are braked.
#define NC_PLAY_MIN_REST_FLOORS 4

// [cells] Resolution of the cube of directions, per edge of a face; of each cell the nearest contact counts.
// Source: chosen. Effect: more: opposite sides are found more exactly, at more cost.
#define NC_PLAY_CELLS_PER_EDGE 4

// [floor distance] No pair rests nearer than this because its bodies are small. Source: chosen: room for certify.
// Effect: less: certify holds more small bodies.
#define NC_SIZE_REST_MIN_FLOORS 8

// [rest distance] Bodies that start this far apart were meant to be at rest, and keep their rest distance. Source:
// rounding of scenes that place bodies at the rest distance. Effect: less: starts that are a little too near are
// taken for rest.
#define NC_REST_ROUNDING (1 - 0x1p-20)

// [largest coordinate of what moves] The floor distance is no less where the scene does not give it. Source: keeps
// exports of 32-bit numbers apart. Effect: less: such exports may show intersections.
#define NC_START_FLOAT_FLOOR 0x1p-20

// [smallest start distance] The floor distance is no more. Source: room for a step's second-order errors between a pair
// that rests where it starts and the floor; where both were one, taut chains were held by certify. Effect: more:
// certify holds taut chains; less: certificates cost more.
#define NC_START_FLOOR_SHARE 0.125

// [rounding of both poses] Bodies that start or are born nearer than this touch, and are refused. Source: chosen,
// far above the proven rounding. Effect: less: starts without room for certify are accepted.
#define NC_TOUCHING_ERRORS 0x1p10

// ---- Contacts that act, turn and roll (docs/theory/step.md) ------------------------------------------------

// [rest distance] Contacts farther beyond it than this are idle at first. Source: chosen. Effect: more: more
// contacts act that do not touch; less: more solves.
#define NC_ACTIVE_TOUCH_RESTS 0x1p-4

// [directions] Tried for a pair of features; a pair that they do not decide acts. Source: chosen. Effect: fewer:
// more contacts act that would not touch.
#define NC_ACTIVE_DIRECTIONS 24

// [directions] The same for pairs that rest nearer than their sizes say, as a pin in its hole does. Source: measured: a
// bar on a pin keeps 98.6% of its energy in a turn, and less with more. Effect: as the constant before.
#define NC_ACTIVE_TIGHT_DIRECTIONS 12

// [step] A direction that holds for less decides nothing. Source: chosen. Effect: more: more contacts act.
#define NC_ACTIVE_MIN_ADVANCE 1e-3

// [1] Cosine of 1/128 rad: features whose direction turns by more along the motion pass each other. Source: chosen.
// Effect: less: features that pass with a normal that is turned forward by less stop what slides.
#define NC_ACTIVE_PASS_COSINE (1 - 0x1p-15)

// [1] Sine of 1/128 rad: a vertex is beside a face whose normal is turned by more against the row's. Source: chosen.
// Effect: more: features that touch and pass stop what slides.
#define NC_ACTIVE_PASS_SINE 0x1p-7

// [rest distance] Slower features, per step, do not pass. Source: chosen. Effect: less: more solves.
#define NC_ACTIVE_PASS_SLIDE_RESTS 0x1p-6

// [rest distance] By so much what passes may come nearer than it rests. Source: chosen, above what solves leave.
// Effect: less: edges ahead stop a face that slides over them and lies a little lower than it rests.
#define NC_ACTIVE_PASS_RESTS 0x1p-8

// [rest distance] So near features may come that are past each other at the end of the motion. Source: chosen. Effect:
// more: what falls beside a rim, nearer to it than it rests, lands on the rim.
#define NC_ACTIVE_RIM_RESTS 0x1p-2

// [rest distance] Features that move less against each other are not past each other. Source: chosen: as far as
// features are near by default. Effect: more: slow bodies land on rims; less: slow contact that turns is let go.
#define NC_ACTIVE_RIM_TRAVEL_RESTS 4

// [bodies] Islands of more are not solved again for contacts that come to act or turn. Source: cost: chosen.
// Effect: more: large islands take several solves.
#define NC_RESOLVE_MAX_BODIES 64

// [rest distance per step] Error of a contact's bias from which its island is solved again. Source: chosen. Effect:
// less: more solves; more: pins drift.
#define NC_PREDICT_BIAS_TOLERANCE_RESTS 0x1p-5

// [solves] Maximum of solves of an island for its bias. Source: chosen. Effect: fewer: pins drift.
#define NC_PREDICT_BIAS_SOLVES 3

// [solves] Maximum of solves at the start of the step for contacts that come to act. Source: chosen. Effect: fewer:
// more dynamic contact.
#define NC_PREDICT_SOLVES 6

// [solves] Maximum of solves at the end of the step for contacts that come to act. Source: chosen. Effect: fewer:
// velocities into contacts that were idle.
#define NC_SETTLE_SOLVES 6

// [floor distance] Contacts that come nearer in the next flight hit there, and do not bounce at the end of this
// step. Source: chosen (docs/theory/step.md). Effect: more: more bounces a step late.
#define NC_SETTLE_HIT_FLOORS 2

// [1] A contact that made less than this part of the approach that its velocity says was stopped in the step, and
// bounces at its end. Source: chosen; a body that falls freely at 2 g dt or more has made at least 3/4 of it. Effect:
// more: faces that slide over edges are braked; less: bodies keep velocities that they do not have.
#define NC_SETTLE_STOPPED_SHARE 0.5

// [rest distance per step] Smaller biases of turning contacts are left out. Source: chosen. Effect: more: riders on
// turntables drift.
#define NC_CHORD_MIN_BIAS_RESTS 0x1p-7

// [rad] Contacts that turn by more in a step, and slide by more than NC_SURFACE_MIN_SLIDE_RESTS, look at the
// surface where they arrive. Source: chosen. Effect: less: more searches for the surface at the end; more: threads
// block.
#define NC_SURFACE_MIN_TURN 0x1p-7

// [rest distance] The least slide for that. Source: chosen. Effect: as the constant before.
#define NC_SURFACE_MIN_SLIDE_RESTS 4

// [1] A curved surface may turn on the way by the angle of this cosine; more is an edge. Source: chosen. Effect:
// less: edges count as curves.
#define NC_SURFACE_COSINE 0.9

// [1] The surface at the end may be farther or nearer by this, per length of the slide. Source: chosen. Effect:
// more: other surfaces are taken for this one.
#define NC_SURFACE_SLOPE 0.25

// [rest distance] The surface at the end may be farther or nearer by this besides. Source: chosen. Effect: more:
// other surfaces are taken for this one.
#define NC_SURFACE_WINDOW_RESTS 2

// [1] The normal of two edges turns with them where it is across both within this cosine. Source: chosen. Effect:
// less: normals at the ends of edges turn too.
#define NC_EDGE_NORMAL_COSINE 0.999

// [1] The same normal turns only where the product of the turned edges is longer than this part of what it was.
// Source: chosen. Effect: less: normals of edges that become parallel turn.
#define NC_EDGE_NORMAL_SHRINK 0.5

// [1] The same normal turns only where the edges cross at more than this sine. Source: chosen. Effect: less:
// normals of nearly parallel edges turn.
#define NC_EDGE_NORMAL_SINE 0.05

// [rest distance per step] A contact turns if turning closes it by more. Source: chosen. Effect: less: more islands
// keep the velocities of their motion.
#define NC_CARRY_TURN_RESTS 0x1p-7

// [rest distance per step] A contact without friction screws if it slides by more and its bodies turn about its
// normal. Source: chosen: flanks of a thread. Effect: more: bolts are braked.
#define NC_CARRY_SLIDE_RESTS 0.5

// [rad per step] A contact that screws turns about its normal by more than this. Source: chosen: flanks of a
// thread. Effect: more: bolts are braked.
#define NC_CARRY_SCREW_ANGLE 0x1p-9

// [1] A contact that screws turns about its normal by more than this part of the whole turn. Source: chosen: flanks
// of a thread. Effect: more: bolts are braked.
#define NC_CARRY_SCREW_SHARE 0.5

// [rest distance of the bodies' size] How much a surface may be cut off a round one and count as round. Source:
// chosen (docs/theory/step.md). Effect: less: rolling balls lose speed at their facets; more: polyhedra roll.
#define NC_ROLL_SLACK_RESTS 0x1p-5

// [1] Sine of the angle between the axis and the plane of contact; what turns about the normal does not roll.
// Source: chosen: flanks of a thread. Effect: more: threads count as level.
#define NC_ROLL_MAX_TILT 0.5

// ---- Arcs in parts (docs/theory/step.md) -------------------------------------------------------------------

// [parts] An island is advanced in this many parts of a step, if they bring the deviation below NC_ARC_SAG_RESTS.
// Source: the deviation falls with the square. Effect: fewer: arcs do not fit into their play.
#define NC_ARC_PARTS_LOW 2

// [parts] The next number of parts that is tried. Source: as the constant before. Effect: as above.
#define NC_ARC_PARTS_MEDIUM 4

// [parts] The largest number of parts; paths have 8 segments, and certify needs some. Source: as the constant
// before. Effect: as above.
#define NC_ARC_PARTS_HIGH 6

// [parts] Tried where proposals of NC_ARC_PARTS_HIGH parts collide. Source: measured: places where one number of parts
// fails and others do not. Effect: as above.
#define NC_ARC_PARTS_OTHER 5

// [rounds] Islands whose proposals collide get other parts at most this often. Source: the numbers above; the last one
// is NC_ARC_PARTS_HIGH again. Effect: fewer: certify halts cranks.
#define NC_ARC_SPLITS 4

// [rest distance] Islands are advanced in parts where an arc leaves its chord by more than this, and
// NC_ARC_PLAY_SAGS times as much is more than the play. Source: chosen. Effect: less: more islands in parts, at
// their cost; more: cranks jam.
#define NC_ARC_SAG_RESTS 0.5

// [1] The multiple of an arc's deviation that must exceed the play. Source: chosen. Effect: as the constant before.
#define NC_ARC_PLAY_SAGS 8

// [rest distance] A part is solved again while features are nearer than this at its end. Source: chosen. Effect:
// more: more corrections.
#define NC_ARC_RESOLVE_RESTS 0.75

// [solves] Maximum of repeated solves of a part. Source: measured: a pin that leaps from flank to flank in its hole
// needs 8 in one of 4,000 steps of a slider crank. Effect: fewer: dynamic contact bends more paths.
#define NC_ARC_CORRECTIONS 8

// [rest distance] Smaller pushes in a part do not count as pushing apart. Source: chosen. Effect: more: pushes
// become velocity.
#define NC_ARC_PUSH_RESTS 0x1p-6

// [bodies] Islands of more are not advanced in parts. Source: cost: chosen. Effect: less: large mechanisms jam.
#define NC_ARC_MAX_BODIES 256

// [d_prox] Play is searched for up to this many times the distance at which features are near. Source: chosen.
// Effect: less: loose bearings count as having no play.
#define NC_ARC_PLAY_REACH 4

// ---- Warm starts -------------------------------------------------------------------------------------------

// [impulses] Of a pair of bodies, this many impulses that lost their contact may go to a new one; the others are
// forgotten. Source: cost stays linear: chosen. Effect: fewer: more sweeps after contacts changed.
#define NC_WARM_MAX_LEFT_OVER 64

// [rest distance] A new contact takes over impulses from so far around. Source: chosen. Effect: less: more sweeps;
// more: impulses at wrong places.
#define NC_WARM_REACH_RESTS 10

// ---- Pipelines vsp and isp ---------------------------------------------------------------------------------

// [rest distance] Depth that the correction of positions leaves alone. Source: chosen. Effect: less: bodies at rest
// are moved by rounding.
#define NC_VSP_SLACK_RESTS 0x1p-16

// [rest distance] Bodies that are to move by less in a step stay, to the bit. Source: half of NC_VSP_SLACK_RESTS.
// Effect: more: slow motion stops.
#define NC_VSP_STILL_RESTS 0x1p-17

// [vsp.iterations] Iterations over a layer, at most. Source: measured, docs/theory/vsp.md#weight. Effect: less: lower
// bodies carry what their layers err upward, and tall stacks lean; more: slower.
#define NC_VSP_LAYER_ITERATIONS 2

// [sweeps] Over collisions in the pipeline isp. Source: Guendelman et al. 2003. Effect: more: less approach speed
// is left for contact.
#define NC_ISP_COLLISION_SWEEPS 5

// ---- When resting contact is solved (docs/theory/contact.md) -----------------------------------------------

// [rest distance per step] Resting contact is solved when no contact point errs by more. Source: chosen
// (docs/theory/contact.md). Effect: less: more sweeps; more: piles creep.
#define NC_SOLVE_FLOOR_RESTS 0x1p-8

// [floor of the solve] Velocities that move less in NC_PLATEAU_WINDOWS windows have come to rest. Source: chosen
// (docs/theory/contact.md). Effect: more: sweeps stop early.
#define NC_SOLVE_PLATEAU_FLOORS 0x1p-3

// [1] Compliance where targets cannot all be met. Source: chosen: changes nothing that can be seen. Effect: more:
// grippers give way; less: impulses grow.
#define NC_SOLVE_COMPLIANCE 1e-4

// [bodies] Islands of more are swept only. Source: measured: docs/theory/contact.md. Effect: fewer: large chains
// stretch.
#define NC_NEWTON_MAX_BODIES 1000

// [m/s] Residuals below this do not count as unconverged, and need no further solve. Source: chosen. Effect: more:
// islands are given up earlier.
#define NC_RESIDUAL_SMALL 1e-4

// [1] Factors of the energy clamp below this are a clamp, and an island that was started warm is solved again;
// above it, rounding. Source: chosen, far above rounding. Effect: less: warm starts that added energy are scaled
// instead of solved again.
#define NC_CLAMPED (1.0 - 0x1p-30)

// [1] Part of the speeds that cancel in a relative velocity which is rounding: solves do not go below. Source:
// about 128 u. Effect: less: sweeps on rounding; more: fast bodies are solved coarsely.
#define NC_SPEED_ROUNDING 0x1p-46

// [sweeps] Length of a window at whose ends velocities are compared. Source: chosen (docs/theory/contact.md).
// Effect: fewer: sweeps stop early.
#define NC_PLATEAU_SWEEPS 4

// [windows] Sweeps end after this many quiet windows in a row. Source: chosen (docs/theory/contact.md). Effect:
// fewer: sweeps stop early.
#define NC_PLATEAU_WINDOWS 2

// [floor of the solve] Residual with which small islands may stop because velocities do not move. Source: chosen.
// Effect: more: small islands stop before Newton.
#define NC_QUIET_RESIDUAL_FLOORS (1.0 / 16.0)

// [contacts] An island is a tower up to so many contacts times the square of its layers. Source: chosen: walls and
// stacks lean, piles do not. Effect: more: piles are solved like towers.
#define NC_TOWER_CONTACTS 16

// [1] Newton's method stops for towers at this part of where sweeps stop: they lean by what is left. Source:
// chosen. Effect: more: towers lean.
#define NC_TOWER_STOP_SHARE (1.0 / 16.0)

// [1] Compliance is raised by this factor where energy rose past all reason. Source: chosen. Effect: more: targets
// that cannot be met give way further.
#define NC_SOFTEN_FACTOR 10

// [1] The least compliance for that. Source: chosen. Effect: as the constant before.
#define NC_SOFTEN_MIN_COMPLIANCE 1e-6

// [solves] Maximum of solves of an island with raised compliance. Source: chosen. Effect: fewer: energy that no one
// gave stays in proposals.
#define NC_SOFTEN_ATTEMPTS 3

// ---- Shock propagation (docs/theory/contact.md) ------------------------------------------------------------

// [first violation] Residual of a pile above which sweeps have failed, and layers are tried. Source: chosen.
// Effect: less: more piles in layers, at their cost.
#define NC_SHOCK_MIN_RESIDUAL (1.0 / 16.0)

// [first violation] Residual up to which a tower keeps what layers did. Source: chosen. Effect: less: towers lean.
#define NC_SHOCK_TOWER_RESIDUAL 1e-4

// [sweeps] A layer of a tower may make at least this many. Source: a layer's error is carried up by all above it.
// Effect: fewer: towers sink.
#define NC_SHOCK_MIN_SWEEPS 100

// [sweeps] Maximum for a layer of a pile. Source: chosen. Effect: fewer: layers help less.
#define NC_SHOCK_PILE_SWEEPS 20

// [1] A layer is solved to this part of where sweeps stop. Source: as NC_SHOCK_MIN_SWEEPS. Effect: more: towers
// sink.
#define NC_SHOCK_STOP_SHARE (1.0 / 16.0)

// [classes] Number of classes of mass within a layer. Source: chosen. Effect: fewer: light bodies are not held
// beneath heavy ones.
#define NC_LAYER_MASS_CLASSES 8

// [1] A class of mass spans a factor of 2^this. Source: chosen. Effect: as the constant before.
#define NC_LAYER_MASS_EXPONENT 3

// ---- Which islands get Newton's method (docs/theory/contact.md) --------------------------------------------

// [flops] Islands whose factorisation costs at most this per contact get Newton's method after
// NC_NEWTON_FIRST_SWEEPS sweeps. Source: measured: arches, chains, gears and houses of cards have 25 to 470, piles
// 900 and more. Effect: more: piles get it, at their cost.
#define NC_EAGER_FLOPS_PER_CONTACT 640

// [flops] A factorisation may always cost this much. Source: chosen (docs/theory/contact.md). Effect: less: small
// islands are only swept.
#define NC_EAGER_MIN_FLOPS 50000

// [bodies] Larger islands do not get Newton's method before all sweeps were made. Source: chosen
// (docs/theory/contact.md). Effect: less: long chains stretch.
#define NC_EAGER_MAX_BODIES 300

// [contacts] Islands of more contacts with friction are swept longer before Newton's method. Source: measured: 150
// triangles that slide over pegs take half of the time. Effect: fewer: card houses and arches are solved less exactly.
#define NC_EAGER_MAX_RUBBING 64

// [contacts] Islands of more than NC_EAGER_MAX_BODIES bodies and of more contacts than this are only swept. Source:
// rubble does not converge in the work there is. Effect: more: cost without effect.
#define NC_LATE_MAX_CONTACTS 3000

// [flops] Maximum cost of a factorisation of an island that sweeps failed to solve. Source: chosen
// (docs/theory/contact.md). Effect: less: more islands are left unconverged.
#define NC_LATE_MAX_FLOPS 4e6

// [sweeps] Made before Newton's method. Source: chosen (docs/theory/contact.md). Effect: fewer: it starts farther
// from the solution.
#define NC_NEWTON_FIRST_SWEEPS 60

// [floor of the solve] Residual at which Newton's method stops. Source: chosen (docs/theory/contact.md). Effect:
// more: bearings drift.
#define NC_NEWTON_STOP_FLOORS 0x1p-10

// [m/s] Residual at which Newton's method stops where it comes after sweeps have failed. Source: chosen
// (docs/theory/contact.md). Effect: more: piles creep.
#define NC_NEWTON_LATE_STOP (NC_RESIDUAL_SMALL / 8)

// [sweeps] Made on the exact cone after Newton's method. Source: chosen. Effect: fewer: friction outside its cone
// by the residual.
#define NC_NEWTON_POLISH_SWEEPS 8

// [contacts] Contacts times sweeps of a pile before each Newton's method. Source: measured on stored islands: a
// factorisation of a pile takes as long as 150 sweeps, and from where these lead Newton needs a third as many. Effect:
// fewer: more factorisations.
#define NC_LONGER_UPDATES 2e6

// [sweeps] Made between two looks at their progress. Source: measured on stored islands. Effect: fewer: piles are given
// up early.
#define NC_LONGER_SWEEPS 250

// [1] Part of the residual that may be left after NC_LONGER_SWEEPS sweeps. Source: measured on stored islands. Effect:
// less: piles are given up early.
#define NC_LONGER_PROGRESS 0.85

// [1] Sweeps of a pile end when more is left this often. Source: measured on stored islands. Effect: as the constant
// before.
#define NC_LONGER_FAILURES 2

// [m/s] Residual at which the sweeps of a pile end. Source: chosen, below what counts as solved. Effect: more: piles
// creep.
#define NC_LONGER_RESIDUAL (NC_RESIDUAL_SMALL / 4)

// [1] Maximum of turns of sweeps and Newton's method. Source: measured on stored islands. Effect: fewer: more islands
// unconverged.
#define NC_LONGER_CYCLES 6

// [1] Part of the targets above 0 that is requested where opening contacts takes too much. Source: chosen: straight
// taut chains. Effect: more: joints that cannot open throw their links.
#define NC_EASE_SHARE 0.125

// [solves] Maximum of solves of an island with eased targets; the last one asks for none. Source: chosen. Effect:
// fewer: as the constant before.
#define NC_EASE_ATTEMPTS 3

// [solves] The same within Newton's method. Source: chosen. Effect: as above.
#define NC_EASE_NEWTON_ATTEMPTS 2

// [work of lifting every body for itself] More work of opening contacts is out of proportion. Source: chosen: straight
// taut chains. Effect: less: mechanisms open their joints slowly.
#define NC_EASE_WORK 4

// [1] A solution with compliance is taken where its residual is below this part of the rigid one's. Source: chosen.
// Effect: more: rigid solutions are given up for soft ones.
#define NC_SOFT_MIN_GAIN 0.125

// ---- Newton's method without friction, and with the pyramid (docs/theory/contact.md) -----------------------

// [1] Part of the first slope that a line search may leave. Source: chosen (docs/theory/contact.md). Effect: more:
// more factorisations.
#define NC_CONVEX_LINE_SLOPE 1e-3

// [evaluations] Maximum in a line search. Source: chosen. Effect: fewer: shorter steps.
#define NC_CONVEX_LINE_STEPS 40

// [factorisations] Maximum in a pass. Source: chosen. Effect: fewer: more passes.
#define NC_CONVEX_PASS_FACTORISATIONS 20

// [passes] Maximum in a stage. Source: chosen (docs/theory/contact.md). Effect: fewer: more islands unconverged.
#define NC_CONVEX_PASSES 24

// [factorisations] Maximum in all passes of a stage, checked between passes. Source: chosen
// (docs/theory/contact.md). Effect: fewer: more islands unconverged.
#define NC_CONVEX_MAX_FACTORISATIONS 60

// [factorisations] Always allowed, also for islands with many contacts. Source: chosen (docs/theory/contact.md).
// Effect: fewer: large islands are left to sweeps.
#define NC_CONVEX_MIN_FACTORISATIONS 6

// [contacts] Contacts times factorisations of a stage, at most. Source: chosen (docs/theory/contact.md). Effect:
// less: long taut chains stretch.
#define NC_CONVEX_CONTACT_WORK 800000

// [contacts] The same where there is friction. Source: chosen (docs/theory/contact.md): rubble may not converge.
// Effect: less: more is left to sweeps.
#define NC_CONVEX_FRICTION_WORK 16000

// [first residual] More after NC_CONVEX_EARLY_PASSES passes: targets cannot be met. Source: chosen
// (docs/theory/contact.md). Effect: less: islands that would converge get compliance.
#define NC_CONVEX_UNREACHABLE_RESIDUAL 0.7

// [contacts] Islands of more are given up like that also with compliance. Source: chosen: rubble. Effect: more:
// cost without effect.
#define NC_CONVEX_SOFT_MAX_CONTACTS 256

// [1] Weight of the proximal term in the first pass, of K. Source: chosen (docs/theory/contact.md). Effect: more:
// more passes; less: worse conditioned.
#define NC_CONVEX_RHO_FIRST 1e-4

// [1] What of the weight stays for the next pass. Source: chosen. Effect: more: more passes.
#define NC_CONVEX_RHO_NEXT 0.1

// [1] Weight below which rounding begins to show. Source: chosen (docs/theory/contact.md). Effect: less:
// factorisations fail.
#define NC_CONVEX_RHO_MIN 1e-6

// [passes] NC_CONVEX_UNREACHABLE_RESIDUAL counts only after this many. Source: chosen. Effect: fewer: islands are
// given up early.
#define NC_CONVEX_EARLY_PASSES 2

// [passes] A stage is given up after this many passes that bring nothing. Source: chosen. Effect: fewer: islands
// are given up early.
#define NC_CONVEX_MAX_STALLS 3

// [best residual] A pass that leaves more brought nothing. Source: chosen. Effect: less: islands are given up
// early.
#define NC_CONVEX_STALL_SHARE 0.5

// [residual before] A pass that leaves more is taken back, and the weight rises. Source: chosen. Effect: less: more
// passes.
#define NC_CONVEX_DIVERGED 4

// [1] Part of the residual before that a pass leaves in its own problem. Source: chosen. Effect: more: more passes.
#define NC_CONVEX_INNER_RESIDUAL 0.02

// ---- Newton's method with Coulomb's cone (docs/theory/contact.md) ------------------------------------------

// [halvings] Maximum of halvings of a step. Source: chosen. Effect: fewer: more passes fail.
#define NC_COULOMB_LINE_HALVINGS 9

// [1] Part of what a step promises that it must bring. Source: chosen. Effect: more: shorter steps.
#define NC_COULOMB_LINE_GAIN 0.01

// [factorisations] Maximum in a pass. Source: chosen. Effect: fewer: more passes fail.
#define NC_COULOMB_PASS_FACTORISATIONS 15

// [factorisations] Maximum in a stage, checked between passes. Source: measured on stored islands. Effect: fewer:
// more islands unconverged.
#define NC_COULOMB_MAX_FACTORISATIONS 160

// [factorisations] Always allowed, also for large islands. Source: measured on stored islands. Effect: fewer: large
// islands are left to sweeps.
#define NC_COULOMB_MIN_FACTORISATIONS 12

// [factorisations] Maximum in a stage once less is left than NC_COULOMB_FINE_RESIDUAL. Source: measured on stored
// islands. Effect: fewer: larger residuals stay.
#define NC_COULOMB_FINE_FACTORISATIONS 60

// [m/s] Below this residual NC_COULOMB_FINE_FACTORISATIONS counts. Source: measured on stored islands. Effect: as
// the constant before.
#define NC_COULOMB_FINE_RESIDUAL (NC_RESIDUAL_SMALL / 8)

// [flops] Maximum of all factorisations of a stage, about. Source: measured on stored islands. Effect: less: more
// islands unconverged.
#define NC_COULOMB_STAGE_FLOPS 8e8

// [flops] Estimated cost of a contact in one factorisation. Source: estimated. Effect: more: fewer factorisations
// are allowed.
#define NC_COULOMB_FLOPS_PER_CONTACT 1000

// [1] Weight of the proximal term in the first pass, of K. Source: measured on stored islands. Effect: more: more
// passes; less: more passes fail.
#define NC_COULOMB_RHO_FIRST 1e-2

// [1] Weight below which rounding begins to show. Source: measured on stored islands. Effect: less: factorisations
// fail.
#define NC_COULOMB_RHO_MIN 1e-6

// [1] Largest weight. Source: measured on stored islands. Effect: less: hard passes stay unsolved.
#define NC_COULOMB_RHO_MAX 10.0

// [1] Factor of the weight after a pass that was solved. Source: measured on stored islands. Effect: more: more
// passes; less: more passes fail.
#define NC_COULOMB_RHO_DOWN 0.3

// [1] Factor of the weight after a pass that was not. Source: measured on stored islands. Effect: less: more passes
// fail.
#define NC_COULOMB_RHO_UP 3.3

// [passes] The weight stays for this many passes after one that was not solved. Source: measured on stored islands.
// Effect: fewer: more passes fail.
#define NC_COULOMB_RHO_STAYS 2

// [passes] A stage is given up after this many unsolved passes in a row. Source: measured on stored islands.
// Effect: fewer: islands are given up early.
#define NC_COULOMB_MAX_FAILURES 8

// [passes] A stage ends after this many calm passes in a row (NC_COULOMB_STALLED_SHARE). Source: measured on stored
// islands. Effect: fewer: larger residuals stay.
#define NC_COULOMB_STALLED_PASSES 2

// [best residual] A pass with the least weight that leaves more is calm. Source: chosen. Effect: less: stages end
// early.
#define NC_COULOMB_STALLED_SHARE 0.5

// [1] Part of the residual before that a pass leaves in its own problem. Source: measured on stored islands.
// Effect: more: more passes.
#define NC_COULOMB_INNER_RESIDUAL 0.05

// [m/s] Larger residuals count as this much for NC_COULOMB_INNER_RESIDUAL. Source: measured on stored islands.
// Effect: more: passes stop early where impulses must grow.
#define NC_COULOMB_INNER_MAX 1e-3

// [first residual] More after a solved pass with at most the weight NC_COULOMB_UNREACHABLE_RHO: targets cannot be met.
// Source: measured on stored islands. Effect: less: islands that would converge get compliance.
#define NC_COULOMB_UNREACHABLE_RESIDUAL 0.7

// [1] The largest weight with which NC_COULOMB_UNREACHABLE_RESIDUAL counts. Source: measured on stored islands.
// Effect: as the constant before.
#define NC_COULOMB_UNREACHABLE_RHO 1e-4

// ---- Order of sweeps in large islands: decides what unconverged sweeps leave -------------------------------

// [contacts] Islands of fewer are swept one contact after the other. Source: cost: chosen. Effect: other orders of
// sweeps.
#define NC_WIDE_MIN_CONTACTS 64

// [colours] Contacts of a colour have no body in common; a contact that finds no free colour stands alone. Source:
// bits of a word. Effect: other orders of sweeps.
#define NC_WIDE_COLOURS 64

// [bodies] Maximum of bodies of a part with more contacts than colours, which are split among lanes. Source:
// chosen. Effect: fewer: more contacts stand alone.
#define NC_WIDE_MAX_HUBS 16

// [1] A hub is split only beside bodies lighter by this factor. Source: one per lane: a quarter of a hub must still
// be as heavy. Effect: less: sweeps fall short by more.
#define NC_WIDE_HUB_MASS_RATIO 4

// [contacts] An island is halved into regions of at least this size, about; one thread sweeps a region. Source:
// cost: chosen. Effect: other orders of sweeps.
#define NC_REGION_MIN_CONTACTS 1000

// [halvings] An island is halved at most this often. Source: 16 regions. Effect: other orders of sweeps.
#define NC_REGION_MAX_LEVELS 4

// [bins] Planes to choose from along an axis, where an island is halved. Source: chosen. Effect: other orders of
// sweeps.
#define NC_REGION_BINS 256

// [contacts] A body counts as at most this much where regions are balanced. Source: chosen. Effect: other orders of
// sweeps.
#define NC_REGION_MAX_WEIGHT 64

// [groups] Large islands with at least this many groups of four contacts are swept in turns: all groups, then those
// that ask for much. Source: chosen: sweeps over fewer take no time. Effect: fewer: other islands stop elsewhere.
#define NC_LOCAL_MIN_GROUPS 512

// [sweeps] Such turns begin after this many sweeps over all groups. Source: measured: docs/performance.md. Effect:
// fewer: what is wide is solved late.
#define NC_LOCAL_FIRST_SWEEP 64

// [residual that is enough] Groups that ask for more are swept in their turn. Source: measured: docs/performance.md.
// Effect: less: more groups are swept.
#define NC_LOCAL_MIN_ASKED 0.25

// [1] Largest part of all groups that is swept for itself. Source: chosen. Effect: less: turns begin later.
#define NC_LOCAL_MAX_SHARE 0.5

// [sweeps] Over the chosen groups in a turn. Source: measured: docs/performance.md. Effect: as the constant above.
#define NC_LOCAL_SWEEPS 32

// [sweeps] Over all groups in a turn. Source: measured: docs/performance.md. Effect: fewer: the others are seen late.
#define NC_LOCAL_FULL_SWEEPS 4

// ---- Certification (docs/theory/certify.md) ----------------------------------------------------------------

// [evaluations] Maximum for the sweeps of each of the two certifications of a step, with NC_CERTIFY_BODY_BUDGET per
// body. Source: measured: docs/theory/certify.md, "Bounded work". Effect: less: steps that need more hold bodies;
// no others change.
#define NC_CERTIFY_STEP_BUDGET 4000000

// [evaluations] Added to NC_CERTIFY_STEP_BUDGET for each body. Source: measured: docs/theory/certify.md, "Bounded
// work". Effect: as the constant before.
#define NC_CERTIFY_BODY_BUDGET 20000

// [evaluations] A sweep may always make this many, whatever was used before. Source: chosen. Effect: less: more
// bodies are held once the budget is used up.
#define NC_SWEEP_MIN_BUDGET 256

// [evaluations] Maximum of a sweep in the first attempt. Source: chosen. Effect: less: more second attempts, which
// count against the budget of the step; no hash of 24 scenes changed with less.
#define NC_SWEEP_FIRST_BUDGET (1 << 14)

// [evaluations] Maximum of any sweep. Source: chosen; no sweep of the scenes needed more than 100,000
// (docs/theory/certify.md). Effect: less: more sweeps are undecided.
#define NC_SWEEP_MAX_BUDGET (1 << 21)

// [floor distance] Features that come within the gap and this collide. Source: chosen. Effect: less: more
// evaluations; more: collisions are found earlier.
#define NC_SWEEP_TOLERANCE_FLOORS 0.125

// [evaluations] Maximum for one pair of features; then it is undecided. Source: chosen. Effect: fewer: more pairs
// are held.
#define NC_SWEEP_EVALUATIONS 200

// [floor distance] Delta: the gap that pressed features keep. Source: docs/theory/certify.md. Effect: less: pressed
// pairs come nearer to rounding.
#define NC_GAP_PRESSED_FLOORS (1.0 / 16)

// [rounding of both paths] Sigma: what a pressed pair may lose per step. Source: docs/theory/certify.md. Effect:
// more: pressed pairs may lose more per step; less: rounding may count as approach.
#define NC_GAP_ERRORS 16

// [floor distance] Pairs that start nearer are jammed, and both sides halt. Source: half of NC_GAP_PRESSED_FLOORS.
// Effect: more: more halts.
#define NC_JAM_FLOORS (1.0 / 32)

// [start distance] Gap of features that start nearer than the floor, at most. Source: chosen: they may move.
// Effect: more: features that start near cannot move.
#define NC_GAP_START_SHARE 0.75

// [start distance] Features that start near collide within this part of how far beyond their gap they start.
// Source: chosen. Effect: more: pairs that part only after a moment are held.
#define NC_HIT_START_SHARE 0.25

// ---- Sweeps: which certificate is found first decides verdicts within the tolerance, and the bits of the time of
// impact ---

// [pairs of nodes] Room of a sweep for pairs that wait; what finds no room is undecided. Source: chosen. Effect:
// less: undecided pairs; no hash of 24 scenes changed with less.
#define NC_SWEEP_MAX_WAITING 512

// [step] Shorter intervals are not halved but left to the features. Source: chosen. Effect: more: more feature
// tests; no hash of 24 scenes changed.
#define NC_SWEEP_MIN_SPAN 0x1p-16

// [boxes' size] An interval is halved where points stray from their chords by more. Source: chosen for cost.
// Effect: other bits of the time of impact: 10 of 24 scenes.
#define NC_SWEEP_STRAY_SHARE 0.02

// [boxes' size] An interval is halved where boxes travel by more. Source: chosen for cost. Effect: other bits of
// the time of impact: 10 of 24 scenes.
#define NC_SWEEP_TRAVEL_SHARE 0.7

// [steps] Maximum of the search for a direction between two patches. Source: chosen. Effect: fewer: more feature
// tests; no hash of 24 scenes changed.
#define NC_SWEEP_PATCH_STEPS 8

// [floor distance] A weaker bound of two elements is not taken before all directions were tried. Source: chosen:
// reported distances near the truth. Effect: less: smaller reported distances, and more sweeps again; no hash of 24
// scenes changed.
#define NC_SWEEP_WEAK_FLOORS 4

// [radius of the other one] A cloud of points no larger than this stays whole beside another cloud, whose tree is
// opened. Source: chosen: a body in a container. Effect: cost, and the bits of times of impact.
#define NC_SWEEP_WHOLE_SHARE 0.5

// [distance needed] A weaker bound of two clouds is worth another look. Source: chosen: reported distances near the
// truth. Effect: less: smaller reported distances, and more sweeps again; no hash of 24 scenes changed.
#define NC_CLOUD_WEAK_NEEDS 4

// [looks] Maximum of searches for a stronger bound, the first one included. Source: chosen. Effect: fewer: smaller
// reported distances; no hash of 24 scenes changed.
#define NC_CLOUD_MAX_SEARCHES 3

// [squared distance] A search for a direction ends when a step can gain no more. Source: chosen. Effect: more:
// trees decide more pairs.
#define NC_CLOUD_MIN_GAIN 0.02

// [steps] Maximum of the search for a direction between two whole bodies. Source: chosen. Effect: fewer: trees
// decide more pairs; no hash of 24 scenes changed.
#define NC_WHOLE_STEPS 16

// [searches] A pair for which no direction was found so often is not tried again in this step. Source: chosen.
// Effect: fewer: trees decide more pairs; no hash of 24 scenes changed.
#define NC_WHOLE_MAX_FAILURES 3

// [intervals] Room of a feature test for intervals that wait; with more it is undecided. Source: chosen. Effect:
// less: undecided pairs; no hash of 24 scenes changed with less.
#define NC_MARCH_MAX_LATER 64

// [intervals] The same in twofold arithmetic. Source: chosen. Effect: less: undecided pairs.
#define NC_MARCH_EXACT_MAX_LATER 128

// [1] A feature test tries this part of the time for which the current plane separates. Source: chosen for cost.
// Effect: other bits of the time of impact: 12 of 24 scenes.
#define NC_MARCH_PLANE_SHARE 0.99

// [1] A feature test tries this part of the time that the rate of approach leaves. Source: chosen. Effect: other
// bits of the time of impact.
#define NC_MARCH_RATE_SHARE 0.95

// [interval] A feature test tries no later time than this part of its interval. Source: chosen. Effect: other bits
// of the time of impact.
#define NC_MARCH_SPAN_SHARE 0.75

// [spare distance] A feature test tries a time until which straying from the chords uses up this part. Source:
// chosen. Effect: other bits of the time of impact.
#define NC_MARCH_STRAY_SHARE 0.3

// ---- Near features -----------------------------------------------------------------------------------------

// [distance] Places nearer to each other than this part of a contact's distance are one place. Source: chosen.
// Effect: more: fewer contacts at corners; less: doubled ones.
#define NC_NEAR_SMALL 0x1p-10

// [slack of the frame] From this distance on, the direction between two points is right to 1e-7. Source: chosen,
// from the rounding of the frame. Effect: less: normals of touching features from rounding.
#define NC_NEAR_FAR_SLACKS 0x1p16

// ---- Free rotation -----------------------------------------------------------------------------------------

// [1] Corrections stop when the energy is within this of its target, relatively. Source: about 90 u. Effect: more:
// energy drifts.
#define NC_SPIN_ENERGY_TOLERANCE 1e-14

// [1] An axis L x omega shorter than this, relative to the energy, is not trusted. Source: Su 2.3. Effect: less:
// corrections about an axis that is rounding.
#define NC_SPIN_AXIS_TOLERANCE 1e-7

// [corrections] Maximum for one orientation. Source: chosen. Effect: fewer: energy drifts.
#define NC_SPIN_CORRECTIONS 4

// ---- Sleep (docs/theory/sleep.md) ---------------------------------------------------------------------------

// [s] Bodies that have rested so long may fall asleep. Source: chosen: what begins to slide at an acceleration of half
// its rest distance per s^2 has left the tolerance by then. Effect: less: what begins to move slowly is frozen; more:
// rest costs longer.
#define NC_SLEEP_SECONDS 1.0

// [steps] And at least so many steps. Source: chosen. Effect: as the constant before, for long steps.
#define NC_SLEEP_MIN_STEPS 8

// [rest distance] A body rests while it is no farther than this from where its rest began. Source: measured: in a
// settled pile of 1000 boats 97 of 100 stay within it for a second. Effect: more: what creeps is frozen; less: piles
// whose solver leaves a residual never sleep.
#define NC_SLEEP_DRIFT_RESTS 0.25

// [rest distance] No body of those that fall asleep would move farther than this in the time they rest for. Source:
// measured: boats of settled piles would move by two thirds of it. Effect: as the constant before.
#define NC_SLEEP_SPEED_RESTS 1.0

// [bodies] In groups of at least so many some need not have rested. Source: chosen. Effect: less: a body that creeps in
// a small stack is frozen; more: piles stay awake for the few bodies that creep in them.
#define NC_SLEEP_PILE_BODIES 64

// [bodies] One of so many need not have rested there. Source: measured: one of 30 boats of a settled pile of 1000 has
// not. Effect: as the constant before.
#define NC_SLEEP_PILE_SHARE 16

// ---- Joints -------------------------------------------------------------------------------------------------

// [1] Weight of the proximal term of a joint's rows, of their J J^T. Source: docs/theory/joints.md: a chain of 100
// links with 1000 times their mass has 5e-6 for its smallest eigenvalue. Effect: more: more passes; less: rounding
// shows.
#define NC_JOINT_PROXIMAL 1e-8

// [1] The same of contacts in islands with joints. Source: chosen. Effect: more: more passes; less: friction that
// slides takes more steps of Newton's method per pass.
#define NC_JOINT_CONTACT_PROXIMAL 1e-4

// [1] Where a pass does not come to its minimum, the constant before is multiplied by this. Source: measured: a ball on
// a rope that hits a wall of 96 bricks. Effect: more: fewer passes are lost, those after them gain less.
#define NC_JOINT_CONTACT_PROXIMAL_STEP 10

// [1] And is not made larger than this. Source: as the constant before. Effect: more: islands that are hard are left
// with less violation, and take more passes.
#define NC_JOINT_CONTACT_PROXIMAL_MOST 1

// [passes] Limit of an island with joints. Source: chosen. Effect: fewer: friction is left with a residual.
#define NC_JOINT_PASSES 40

// [steps] Limit of Newton's method in a pass. Source: chosen. Effect: fewer: more passes.
#define NC_JOINT_PASS_STEPS 30

// [passes] Passes without progress, after which an island is left as it is. Source: chosen. Effect: more: cost.
#define NC_JOINT_STALLS 4

// [1] A pass that leaves more than this share of the least violation so far brought no progress. Source: chosen.
// Effect: more: cost without effect.
#define NC_JOINT_STALL_SHARE 0.7

// [1] Part of the largest speed in an island by which its joints may be violated. Source: drift of a chain of 100
// links. Effect: more: joints open, and corrections follow.
#define NC_JOINT_TOLERANCE 1e-13

// [m/s] Joints of islands with friction may be violated by this. Source: within the constant that comes next for steps
// of 10 ms. Effect: more: joints drift; less: passes that change nothing else.
#define NC_JOINT_RUBBING_STOP 1e-10

// [m] or [rad] How near a proposal's end must come to where a joint wants it. Source: chosen: above the rounding of
// paths metres away. Effect: more: joints drift; less: more solves.
#define NC_JOINT_AIM 1e-12

// [solves] Limit of solves that bring proposals there. Source: chosen: each gains a power of the angle turned in a
// step. Effect: fewer: fast joints have errors.
#define NC_JOINT_AIM_SOLVES 8

// [1] Part of the least miss so far that another solve must get below to count as progress. Source: chosen. Effect:
// more: solves that oscillate go on.
#define NC_JOINT_AIM_PROGRESS 0.5

// [m] or [rad] Proposals that miss by more do not make velocities. Source: chosen. Effect: more: fast mechanisms gain
// energy; less: they lose it.
#define NC_JOINT_ROUGH 1e-6

// [1/rad^2] Part of the kinetic energy, per square of the angle turned in a step, that a mechanism may gain in a step
// by its integrator. Source: chosen: a pendulum gains a hundredth of it. Effect: less: mechanisms that swing lose
// energy.
#define NC_JOINT_TURN_ENERGY 0.5

// [m] or [rad] A limit of an axis is reached within this. Source: chosen. Effect: less: limits bounce a step late.
#define NC_JOINT_LIMIT_TOUCH 1e-6

// [1] Part of the energy by which a solve may raise it before it counts as more than rounding. Source: chosen.
// Effect: less: joints are held back by rounding; more: solves that fail may add energy.
#define NC_JOINT_ENERGY_ROUNDING 1e-9

// [m] or [rad] The part of a joint's error that one step removes, at most. Source: chosen. Effect: more: loops near a
// singular position are flung by their corrections; less: errors last longer.
#define NC_JOINT_CORRECTION 5e-3

// [tries] So often half of the removal of errors of joints is tried, where more makes errors larger. Source: chosen.
// Effect: more: errors near singular positions shrink in more of the steps, by less.
#define NC_JOINT_EASE_TRIES 6

// [1] Twist and swing of two axes whose sine, or 1 + cosine, is below this have no direction of their own. Source:
// chosen, above rounding. Effect: less: limits of balls near half a turn are solved with larger numbers.
#define NC_JOINT_LEAST_TWIST 1e-9

// [1] Paces that are tried of a scripted body with a maximum force in a step. Source: chosen; a line through two loads
// is exact for one body that is lifted. Effect: fewer: such bodies wait where they could creep; more: steps take
// longer.
#define NC_LOAD_TRIES 6

// [1] Starts of a step because of loads, at most; then the paces that were seen to be within the maximum are taken.
// Source: chosen. Effect: as above, where several bodies with a maximum press on each other.
#define NC_LOAD_STARTS 12

// [1] Part of the maximum force that a pace aims at. Source: chosen, for rounding. Effect: less: bodies press with
// less.
#define NC_LOAD_AIM 0.999

// [1] Part of the maximum force from which on a pace is not raised any more. Source: chosen. Effect: less: bodies
// accelerate their loads more slowly; more: more starts.
#define NC_LOAD_ENOUGH 0.9

// [1] A pace below this is none. Source: chosen. Effect: less: bodies that are clamped creep.
#define NC_LOAD_LEAST_PACE 0x1p-20

#endif
