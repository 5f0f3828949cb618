// The tables of a run file, the statements on them, and the two rows that describe the run.
//
// docs/run-file.md documents every column; change both together and see its version policy. Columns of poses are ANY
// and not REAL because SQLite's REAL loses the sign of -0.0, and a pose must come back with the bits it had.
#include "run/run.h"

#include <stdio.h>

// The columns of `report` and of `cloth` come from the rows of nacre/report.def and nacre/cloth_report.def.
#define SQL_WHOLE                    " INTEGER NOT NULL, "
#define SQL_LONG                     " INTEGER NOT NULL, "
#define SQL_REAL                     " REAL, "
#define SQL_FAR                      " REAL, "
#define DECLARE(column, field, kind) #column SQL_##kind

// Added after the others: files may be without it, and get it when they are opened for appending.
#define APPEARANCE_TABLE                                                                                               \
    "create table if not exists appearance (body INTEGER PRIMARY KEY, color TEXT NOT NULL, material TEXT NOT NULL,"    \
    " sum INTEGER NOT NULL) STRICT"

// Made with the first frame of a world that has joints.
#define JOINT_TABLE                                                                                                    \
    "create table if not exists joint (frame INTEGER NOT NULL, joint INTEGER NOT NULL, name TEXT NOT NULL,"            \
    " kind TEXT NOT NULL, body_a INTEGER NOT NULL, body_b INTEGER NOT NULL, broken INTEGER NOT NULL, x ANY NOT NULL,"  \
    " y ANY NOT NULL, z ANY NOT NULL, turn_x ANY NOT NULL, turn_y ANY NOT NULL, turn_z ANY NOT NULL, vx ANY NOT NULL," \
    " vy ANY NOT NULL, vz ANY NOT NULL, wx ANY NOT NULL, wy ANY NOT NULL, wz ANY NOT NULL, drive_x ANY NOT NULL,"      \
    " drive_y ANY NOT NULL, drive_z ANY NOT NULL, drive_turn_x ANY NOT NULL, drive_turn_y ANY NOT NULL,"               \
    " drive_turn_z ANY NOT NULL, fx ANY NOT NULL, fy ANY NOT NULL, fz ANY NOT NULL, torque_x ANY NOT NULL,"            \
    " torque_y ANY NOT NULL, torque_z ANY NOT NULL, error ANY NOT NULL, error_angle ANY NOT NULL,"                     \
    " anchor_x ANY NOT NULL, anchor_y ANY NOT NULL, anchor_z ANY NOT NULL, anchor_b_x ANY NOT NULL,"                   \
    " anchor_b_y ANY NOT NULL, anchor_b_z ANY NOT NULL, axis_x ANY NOT NULL, axis_y ANY NOT NULL,"                     \
    " axis_z ANY NOT NULL, lower_x ANY, lower_y ANY, lower_z ANY, lower_turn_x ANY, lower_turn_y ANY,"                 \
    " lower_turn_z ANY, upper_x ANY, upper_y ANY, upper_z ANY, upper_turn_x ANY, upper_turn_y ANY, upper_turn_z ANY,"  \
    " sum INTEGER NOT NULL, PRIMARY KEY (frame, joint)) STRICT, WITHOUT ROWID"

static const char *const tables[] = {
    "create table run (id INTEGER PRIMARY KEY CHECK (id = 1), title TEXT NOT NULL, scene_path TEXT NOT NULL,"
    " scene TEXT NOT NULL, timestep REAL NOT NULL, pipeline TEXT NOT NULL, steps_wanted INTEGER NOT NULL,"
    " output_every INTEGER NOT NULL, checkpoint_every INTEGER NOT NULL, store INTEGER NOT NULL, nacre TEXT NOT NULL,"
    " sum INTEGER NOT NULL) STRICT",

    "create table progress (id INTEGER PRIMARY KEY CHECK (id = 1), meshes INTEGER NOT NULL, bodies INTEGER NOT NULL,"
    " exempt_pairs INTEGER NOT NULL, frames INTEGER NOT NULL, events INTEGER NOT NULL, clusters INTEGER NOT NULL,"
    " fractures INTEGER NOT NULL, pieces INTEGER NOT NULL, contacts INTEGER NOT NULL, path_segments INTEGER NOT NULL,"
    " last_step INTEGER NOT NULL, finished INTEGER NOT NULL, sum INTEGER NOT NULL) STRICT",

    "create table mesh (id INTEGER PRIMARY KEY, vertex_count INTEGER NOT NULL, triangle_count INTEGER NOT NULL,"
    " edge_count INTEGER NOT NULL, point_count INTEGER NOT NULL, vertices BLOB NOT NULL, triangles BLOB NOT NULL,"
    " edges BLOB NOT NULL, points BLOB NOT NULL, hash INTEGER NOT NULL, sum INTEGER NOT NULL) STRICT",

    "create table body (id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, mesh INTEGER NOT NULL,"
    " mass REAL NOT NULL, friction REAL NOT NULL, restitution REAL NOT NULL, born_step INTEGER NOT NULL,"
    " gone_step INTEGER NOT NULL, slot INTEGER NOT NULL, generation INTEGER NOT NULL, sum INTEGER NOT NULL) STRICT",

    "create table exempt (body_a INTEGER NOT NULL, body_b INTEGER NOT NULL, sum INTEGER NOT NULL,"
    " PRIMARY KEY (body_a, body_b)) STRICT, WITHOUT ROWID",

    "create table frame (id INTEGER PRIMARY KEY, step INTEGER NOT NULL UNIQUE, time REAL NOT NULL,"
    " hash INTEGER NOT NULL, bodies INTEGER NOT NULL, sum INTEGER NOT NULL) STRICT",

    "create table pose (frame INTEGER NOT NULL, body INTEGER NOT NULL, x ANY NOT NULL, y ANY NOT NULL, z ANY NOT NULL,"
    " qw ANY NOT NULL, qx ANY NOT NULL, qy ANY NOT NULL, qz ANY NOT NULL, vx ANY NOT NULL, vy ANY NOT NULL,"
    " vz ANY NOT NULL, wx ANY NOT NULL, wy ANY NOT NULL, wz ANY NOT NULL, PRIMARY KEY (frame, body))"
    " STRICT, WITHOUT ROWID",

    "create table report (frame INTEGER PRIMARY KEY, steps INTEGER NOT NULL, "
#define NC_REPORT(column, field, kind, ...) DECLARE(column, field, kind)
#include "nacre/report.def"
    "sum INTEGER NOT NULL) STRICT",

    "create table event (id INTEGER PRIMARY KEY, step INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL,"
    " sum INTEGER NOT NULL) STRICT",

    "create table checkpoint (step INTEGER PRIMARY KEY, frame INTEGER NOT NULL, meshes INTEGER NOT NULL,"
    " packing TEXT NOT NULL, size INTEGER NOT NULL, state BLOB NOT NULL, sum INTEGER NOT NULL) STRICT",

    "create table cluster (frame INTEGER NOT NULL, body INTEGER NOT NULL, cluster INTEGER NOT NULL,"
    " sum INTEGER NOT NULL, PRIMARY KEY (frame, body)) STRICT, WITHOUT ROWID",

    "create table shape (frame INTEGER NOT NULL, body INTEGER NOT NULL, vertices INTEGER NOT NULL,"
    " packing TEXT NOT NULL, positions BLOB NOT NULL, sum INTEGER NOT NULL, PRIMARY KEY (frame, body)) STRICT",

    "create table cloth (frame INTEGER PRIMARY KEY, "
#define NC_CLOTH_REPORT(column, field, kind, ...) DECLARE(column, field, kind)
#include "nacre/cloth_report.def"
    "sum INTEGER NOT NULL) STRICT",

    "create table fracture (id INTEGER PRIMARY KEY, step INTEGER NOT NULL, frame INTEGER NOT NULL,"
    " body INTEGER NOT NULL, name TEXT NOT NULL, impulse REAL NOT NULL, threshold REAL NOT NULL, x REAL NOT NULL,"
    " y REAL NOT NULL, z REAL NOT NULL, nx REAL NOT NULL, ny REAL NOT NULL, nz REAL NOT NULL, pattern TEXT NOT NULL,"
    " pieces INTEGER NOT NULL, reason TEXT NOT NULL, sum INTEGER NOT NULL) STRICT",

    "create table piece (body INTEGER PRIMARY KEY, fracture INTEGER NOT NULL, sum INTEGER NOT NULL) STRICT",

    APPEARANCE_TABLE,

    // What nacre run --store fills. Numbers are ANY for the same reason as those of poses.
    "create table contact (frame INTEGER NOT NULL, id INTEGER NOT NULL, step INTEGER NOT NULL, phase TEXT NOT NULL,"
    " body_a INTEGER NOT NULL, body_b INTEGER NOT NULL, kind TEXT NOT NULL, feature_a INTEGER NOT NULL,"
    " feature_b INTEGER NOT NULL, x ANY NOT NULL, y ANY NOT NULL, z ANY NOT NULL, nx ANY NOT NULL, ny ANY NOT NULL,"
    " nz ANY NOT NULL, distance ANY NOT NULL, impulse_x ANY NOT NULL, impulse_y ANY NOT NULL,"
    " impulse_z ANY NOT NULL, normal_impulse ANY NOT NULL, tangential_impulse ANY NOT NULL, sum INTEGER NOT NULL,"
    " PRIMARY KEY (frame, id)) STRICT, WITHOUT ROWID",

    "create table path (step INTEGER NOT NULL, body INTEGER NOT NULL, segment INTEGER NOT NULL, x ANY NOT NULL,"
    " y ANY NOT NULL, z ANY NOT NULL, qw ANY NOT NULL, qx ANY NOT NULL, qy ANY NOT NULL, qz ANY NOT NULL,"
    " t0 ANY NOT NULL, t1 ANY NOT NULL, ax ANY NOT NULL, ay ANY NOT NULL, az ANY NOT NULL, dx ANY NOT NULL,"
    " dy ANY NOT NULL, dz ANY NOT NULL, theta_x ANY NOT NULL, theta_y ANY NOT NULL, theta_z ANY NOT NULL,"
    " eps_x ANY NOT NULL, eps_y ANY NOT NULL, eps_z ANY NOT NULL, sum INTEGER NOT NULL,"
    " PRIMARY KEY (step, body, segment)) STRICT, WITHOUT ROWID",

    // Impulses of a pair over a frame, divided by its time.
    "create view pair_force as select contact.frame, frame.step, frame.time, body_a, body_b, a.name as name_a,"
    " b.name as name_b, count(*) as contacts, sum(impulse_x) / (report.steps * run.timestep) as fx,"
    " sum(impulse_y) / (report.steps * run.timestep) as fy, sum(impulse_z) / (report.steps * run.timestep) as fz,"
    " sum(normal_impulse) / (report.steps * run.timestep) as normal,"
    " sum(tangential_impulse) / (report.steps * run.timestep) as tangential from contact join run"
    " join frame on frame.id = contact.frame join report on report.frame = contact.frame"
    " join body as a on a.id = body_a join body as b on b.id = body_b group by contact.frame, body_a, body_b",

    // What velocities changed by since the frame before, over the time between: nc_run_read_accelerations.
    "create view acceleration as select pose.frame, frame.step, frame.time, pose.body, body.name,"
    " (pose.vx - old.vx) / (frame.time - before.time) as ax, (pose.vy - old.vy) / (frame.time - before.time) as ay,"
    " (pose.vz - old.vz) / (frame.time - before.time) as az,"
    " (pose.wx - old.wx) / (frame.time - before.time) as alpha_x,"
    " (pose.wy - old.wy) / (frame.time - before.time) as alpha_y,"
    " (pose.wz - old.wz) / (frame.time - before.time) as alpha_z from pose join frame on frame.id = pose.frame"
    " join frame as before on before.id = pose.frame - 1"
    " join pose as old on old.frame = before.id and old.body = pose.body join body on body.id = pose.body",

    // Poses with what one wants to select them by.
    "create view motion as select pose.frame, frame.step, frame.time, pose.body, body.name, body.type, x, y, z, qw,"
    " qx, qy, qz, vx, vy, vz, wx, wy, wz from pose join frame on frame.id = pose.frame join body on body.id ="
    " pose.body",
};

#define RUN_COLUMNS                                                                                                    \
    "id, title, scene_path, scene, timestep, pipeline, steps_wanted, output_every, checkpoint_every, store, nacre, "   \
    "sum"
#define PROGRESS_COLUMNS                                                                                               \
    "id, meshes, bodies, exempt_pairs, frames, events, clusters, fractures, pieces, contacts, path_segments, "         \
    "last_step,"                                                                                                       \
    " finished, sum"
#define MESH_COLUMNS                                                                                                   \
    "id, vertex_count, triangle_count, edge_count, point_count, vertices, triangles, edges, points, hash, sum"
#define BODY_COLUMNS "id, name, type, mesh, mass, friction, restitution, born_step, gone_step, slot, generation, sum"
#define FRACTURE_COLUMNS                                                                                               \
    "id, step, frame, body, name, impulse, threshold, x, y, z, nx, ny, nz, pattern, pieces, reason, sum"
#define CONTACT_COLUMNS                                                                                                \
    "frame, id, step, phase, body_a, body_b, kind, feature_a, feature_b, x, y, z, nx, ny, nz, distance, impulse_x,"    \
    " impulse_y, impulse_z, normal_impulse, tangential_impulse, sum"
#define PATH_COLUMNS                                                                                                   \
    "step, body, segment, x, y, z, qw, qx, qy, qz, t0, t1, ax, ay, az, dx, dy, dz, theta_x, theta_y, theta_z, eps_x,"  \
    " eps_y, eps_z, sum"
#define JOINT_COLUMNS                                                                                                  \
    "frame, joint, name, kind, body_a, body_b, broken, x, y, z, turn_x, turn_y, turn_z, vx, vy, vz, wx, wy, wz,"       \
    " drive_x, drive_y, drive_z, drive_turn_x, drive_turn_y, drive_turn_z, fx, fy, fz, torque_x, torque_y, torque_z,"  \
    " error, error_angle, anchor_x, anchor_y, anchor_z, anchor_b_x, anchor_b_y, anchor_b_z, axis_x, axis_y, axis_z,"   \
    " lower_x, lower_y, lower_z, lower_turn_x, lower_turn_y, lower_turn_z, upper_x, upper_y, upper_z, upper_turn_x,"   \
    " upper_turn_y, upper_turn_z, sum"
#define POSE_COLUMNS       "frame, body, x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz"
#define SHAPE_COLUMNS      "frame, body, vertices, packing, positions, sum"
#define CHECKPOINT_COLUMNS "step, frame, meshes, packing, size, state, sum"

static const char *const statements[NC_SQL_COUNT] = {
    [NC_SQL_INSERT_RUN] = "insert or replace into run (" RUN_COLUMNS ") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [NC_SQL_SELECT_RUN] = "select " RUN_COLUMNS " from run where id = 1",
    [NC_SQL_REPLACE_PROGRESS] =
        "insert or replace into progress (" PROGRESS_COLUMNS ") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [NC_SQL_SELECT_PROGRESS] = "select " PROGRESS_COLUMNS " from progress where id = 1",
    [NC_SQL_INSERT_MESH] = "insert into mesh (" MESH_COLUMNS ") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [NC_SQL_SELECT_MESH] = "select " MESH_COLUMNS " from mesh where id = ?",
    [NC_SQL_REPLACE_BODY] =
        "insert or replace into body (" BODY_COLUMNS ") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [NC_SQL_SELECT_BODY] = "select " BODY_COLUMNS " from body where id = ?",
    [NC_SQL_SELECT_BODIES] = "select " BODY_COLUMNS " from body order by id",
    [NC_SQL_INSERT_APPEARANCE] = "insert or replace into appearance (body, color, material, sum) values (?, ?, ?, ?)",
    [NC_SQL_SELECT_APPEARANCE] = "select body, color, material, sum from appearance where body = ?",
    [NC_SQL_SELECT_APPEARANCES] = "select body, color, material, sum from appearance order by body",
    [NC_SQL_INSERT_EXEMPT] = "insert into exempt (body_a, body_b, sum) values (?, ?, ?)",
    [NC_SQL_SELECT_EXEMPT] = "select body_a, body_b, sum from exempt order by body_a, body_b",
    [NC_SQL_INSERT_FRAME] = "insert into frame (id, step, time, hash, bodies, sum) values (?, ?, ?, ?, ?, ?)",
    [NC_SQL_SELECT_FRAME] = "select id, step, time, hash, bodies, sum from frame where id = ?",
    [NC_SQL_FRAME_OF_STEP] = "select id from frame where step = ?",
    [NC_SQL_INSERT_POSE] = "insert into pose (" POSE_COLUMNS ") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [NC_SQL_SELECT_POSES] = "select " POSE_COLUMNS " from pose where frame = ? order by body",
    [NC_SQL_INSERT_REPORT] = "insert into report (frame, steps, "
#define NC_REPORT(column, ...) #column ", "
#include "nacre/report.def"
                             "sum) values (?, ?, "
#define NC_REPORT(...) "?, "
#include "nacre/report.def"
                             "?)",
    [NC_SQL_SELECT_REPORT] = "select frame, steps, "
#define NC_REPORT(column, ...) #column ", "
#include "nacre/report.def"
                             "sum from report where frame = ?",
    [NC_SQL_INSERT_EVENT] = "insert into event (id, step, kind, text, sum) values (?, ?, ?, ?, ?)",
    [NC_SQL_SELECT_EVENT] = "select id, step, kind, text, sum from event where id = ?",
    [NC_SQL_INSERT_CLUSTER] = "insert into cluster (frame, body, cluster, sum) values (?, ?, ?, ?)",
    [NC_SQL_SELECT_CLUSTERS] = "select frame, body, cluster, sum from cluster where frame = ? order by body",
    [NC_SQL_INSERT_FRACTURE] =
        "insert into fracture (" FRACTURE_COLUMNS ") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [NC_SQL_SELECT_FRACTURE] = "select " FRACTURE_COLUMNS " from fracture where id = ?",
    [NC_SQL_INSERT_PIECE] = "insert into piece (body, fracture, sum) values (?, ?, ?)",
    [NC_SQL_SELECT_PIECES] = "select body, fracture, sum from piece where fracture = ? order by body",
    [NC_SQL_REPLACE_CHECKPOINT] =
        "insert or replace into checkpoint (" CHECKPOINT_COLUMNS ") values (?, ?, ?, ?, ?, ?, ?)",
    [NC_SQL_DELETE_CHECKPOINTS] =
        "delete from checkpoint where step not in (select step from checkpoint order by step desc limit 2)",
    [NC_SQL_SELECT_CHECKPOINTS] = "select " CHECKPOINT_COLUMNS " from checkpoint order by step desc",
    [NC_SQL_INSERT_SHAPE] = "insert into shape (" SHAPE_COLUMNS ") values (?, ?, ?, ?, ?, ?)",
    [NC_SQL_SELECT_SHAPES] = "select " SHAPE_COLUMNS " from shape where frame = ? order by body",
    [NC_SQL_INSERT_CONTACT] = "insert into contact (" CONTACT_COLUMNS
                              ") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [NC_SQL_SELECT_CONTACTS] = "select " CONTACT_COLUMNS " from contact where frame = ? order by id",
    [NC_SQL_INSERT_PATH] = "insert into path (" PATH_COLUMNS
                           ") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [NC_SQL_SELECT_PATHS] = "select " PATH_COLUMNS " from path where step = ? order by body, segment",
    [NC_SQL_INSERT_JOINT] = "insert into joint (" JOINT_COLUMNS
                            ") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
                            " ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [NC_SQL_SELECT_JOINTS] = "select " JOINT_COLUMNS " from joint where frame = ? order by joint",
    [NC_SQL_INSERT_CLOTH] = "insert into cloth (frame, "
#define NC_CLOTH_REPORT(column, ...) #column ", "
#include "nacre/cloth_report.def"
                            "sum) values (?, "
#define NC_CLOTH_REPORT(...) "?, "
#include "nacre/cloth_report.def"
                            "?)",
    [NC_SQL_SELECT_CLOTH] = "select frame, "
#define NC_CLOTH_REPORT(column, ...) #column ", "
#include "nacre/cloth_report.def"
                            "sum from cloth where frame = ?",
};

const char *nc_schema_sql(nc_sql which)
{
    return statements[which];
}

nc_code nc_schema_create(nc_run *run, nc_error *err)
{
    char pragmas[128];
    snprintf(pragmas, sizeof pragmas, "pragma application_id = %d; pragma user_version = %d", NC_RUN_APPLICATION_ID,
             NC_RUN_FORMAT_VERSION);
    nc_code code = nc_sql_exec(run, pragmas, "creating", err);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0] && code == NC_OK; i++)
        code = nc_sql_exec(run, tables[i], "creating the tables", err);
    run->has_appearances = code == NC_OK;
    return code;
}

// Is the table there that files of older versions are without?
static nc_code find_appearances(nc_run *run, nc_error *err)
{
    int64_t count = 0;
    const nc_code code = nc_sql_query_int(
        run, "select count(*) from sqlite_schema where type = 'table' and name = 'appearance'", &count, err);
    run->has_appearances = count > 0;
    return code;
}

nc_code nc_schema_add_appearances(nc_run *run, nc_error *err)
{
    const nc_code code =
        run->has_appearances ? NC_OK : nc_sql_exec(run, APPEARANCE_TABLE, "adding the table of appearances", err);
    run->has_appearances = code == NC_OK;
    return code;
}

nc_code nc_schema_find_joints(nc_run *run, nc_error *err)
{
    int64_t count = 0;
    const nc_code code = nc_sql_query_int(
        run, "select count(*) from sqlite_schema where type = 'table' and name = 'joint'", &count, err);
    run->has_joints = count > 0;
    return code;
}

nc_code nc_schema_add_joints(nc_run *run, nc_error *err)
{
    return nc_sql_exec(run, JOINT_TABLE, "adding the table of joints", err);
}

nc_code nc_schema_check(nc_run *run, nc_error *err)
{
    int64_t id = 0, version = 0;
    nc_code code = nc_sql_query_int(run, "pragma application_id", &id, err);
    if (code == NC_OK)
        code = nc_sql_query_int(run, "pragma user_version", &version, err);
    if (code != NC_OK)
        return code;
    if (id != NC_RUN_APPLICATION_ID)
        return nc_fail_at(err, NC_BAD_FILE, run->path, 0, 0,
                          "it is not a run file: its SQLite application id is %lld, not %d", (long long)id,
                          NC_RUN_APPLICATION_ID);
    if (version > NC_RUN_FORMAT_VERSION)
        return nc_fail_at(err, NC_BAD_FILE, run->path, 0, 0,
                          "its format version is %lld, and this Nacre reads versions up to %d: use a newer one",
                          (long long)version, NC_RUN_FORMAT_VERSION);
    code = find_appearances(run, err);
    if (code != NC_OK)
        return code;
    if (version < 1)
        return nc_fail_at(err, NC_BAD_FILE, run->path, 0, 0, "its format version is %lld, which never was",
                          (long long)version);
    return NC_OK;
}

nc_code nc_run_write_head(nc_run *run, const nc_run_head *head, nc_error *err)
{
    nc_row row;
    const nc_code code = nc_row_open(run, NC_SQL_INSERT_RUN, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_put_int(&row, 1);
    nc_row_put_text(&row, head->title);
    nc_row_put_text(&row, head->scene_path);
    nc_row_put_text(&row, head->scene);
    nc_row_put_real(&row, head->timestep);
    nc_row_put_text(&row, head->pipeline);
    nc_row_put_int(&row, head->steps_wanted);
    nc_row_put_int(&row, head->output_every);
    nc_row_put_int(&row, head->checkpoint_every);
    nc_row_put_int(&row, head->store);
    nc_row_put_text(&row, nc_version());
    return nc_row_write(&row, "storing the scene", err);
}

// Steps to the one row that must be there.
static nc_code only_row(nc_run *run, nc_sql which, nc_row *row, nc_error *err)
{
    bool found = false;
    nc_code code = nc_row_open(run, which, row, err);
    if (code == NC_OK)
        code = nc_row_next(row, &found, "reading", err);
    if (code == NC_OK && !found)
        return nc_fail_at(err, NC_BAD_FILE, run->path, 0, 0,
                          "it is damaged: the row that describes the run is missing");
    return code;
}

nc_code nc_run_read_head(nc_run *run, nc_row *row, nc_run_head *out, nc_error *err)
{
    nc_code code = only_row(run, NC_SQL_SELECT_RUN, row, err);
    if (code != NC_OK)
        return code;
    (void)nc_row_take_int(row);
    out->title = nc_row_take_text(row);
    out->scene_path = nc_row_take_text(row);
    out->scene = nc_row_take_text(row);
    out->timestep = nc_row_take_real(row);
    out->pipeline = nc_row_take_text(row);
    out->steps_wanted = nc_row_take_int(row);
    out->output_every = nc_row_take_int(row);
    out->checkpoint_every = nc_row_take_int(row);
    out->store = nc_row_take_int(row);
    (void)nc_row_take_text(row);
    code = nc_row_check(row, "run row", 1, err);
    if (code != NC_OK)
        nc_row_close(row);
    return code;
}

nc_code nc_run_write_progress(nc_run *run, const nc_run_progress *progress, nc_error *err)
{
    nc_row row;
    const nc_code code = nc_row_open(run, NC_SQL_REPLACE_PROGRESS, &row, err);
    if (code != NC_OK)
        return code;
    nc_row_put_int(&row, 1);
    nc_row_put_int(&row, progress->mesh_count);
    nc_row_put_int(&row, progress->body_count);
    nc_row_put_int(&row, progress->exempt_count);
    nc_row_put_int(&row, progress->frame_count);
    nc_row_put_int(&row, progress->event_count);
    nc_row_put_int(&row, progress->cluster_count);
    nc_row_put_int(&row, progress->fracture_count);
    nc_row_put_int(&row, progress->piece_count);
    nc_row_put_int(&row, progress->contact_count);
    nc_row_put_int(&row, progress->path_count);
    nc_row_put_int(&row, progress->last_step);
    nc_row_put_int(&row, progress->finished);
    return nc_row_write(&row, "storing the progress", err);
}

nc_code nc_run_read_progress(nc_run *run, nc_run_progress *out, nc_error *err)
{
    nc_row row;
    nc_code code = only_row(run, NC_SQL_SELECT_PROGRESS, &row, err);
    if (code != NC_OK)
        return code;
    (void)nc_row_take_int(&row);
    out->mesh_count = nc_row_take_int(&row);
    out->body_count = nc_row_take_int(&row);
    out->exempt_count = nc_row_take_int(&row);
    out->frame_count = nc_row_take_int(&row);
    out->event_count = nc_row_take_int(&row);
    out->cluster_count = nc_row_take_int(&row);
    out->fracture_count = nc_row_take_int(&row);
    out->piece_count = nc_row_take_int(&row);
    out->contact_count = nc_row_take_int(&row);
    out->path_count = nc_row_take_int(&row);
    out->last_step = nc_row_take_int(&row);
    out->finished = nc_row_take_int(&row) != 0;
    code = nc_row_check(&row, "progress row", 1, err);
    nc_row_close(&row);
    if (code == NC_OK && (out->body_count > INT_MAX || out->mesh_count > INT_MAX || out->exempt_count > INT_MAX))
        code = nc_fail_at(err, NC_BAD_FILE, run->path, 0, 0, "it is damaged: its counts are beyond reason");
    return code;
}
