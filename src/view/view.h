// What the viewer's page is given: a run as replies of bounded size, by the server or inside an exported page.
//
// Replies are JSON, or little-endian binary (docs/viewer.md). Coordinates are float32, relative to `origin`.
#ifndef NC_VIEW_VIEW_H
#define NC_VIEW_VIEW_H

#include "nacre/nacre.h"

#include "base/base.h"

#include <stdatomic.h>
#include <stdio.h>

// A reply holds no more bytes of frames than this, but always one frame.
#define NC_VIEW_FRAMES_MAX   (4 << 20)
#define NC_VIEW_BODIES_MAX   20000  // bodies in a reply
#define NC_VIEW_REPORTS_MAX  4000   // rows of reports in a reply
#define NC_VIEW_CONTACTS_MAX 20000  // contacts of a frame that are written; all are counted
#define NC_VIEW_JOINTS_MAX   20000  // joints of a frame that are written; all are counted
#define NC_VIEW_MEMBERS_MAX  100000 // bodies in clusters of a frame
#define NC_VIEW_BOXES_MAX    4096   // boxes of a tree
#define NC_VIEW_MESH_MAX     (256 << 20)

// What a page may request of the simulation whose run it shows. Shared by the server's threads and the one that
// simulates.
typedef struct nc_view_control {
    atomic_bool paused;
    atomic_bool restart; // requested; who simulates takes it back
} nc_view_control;

// A scene that is simulated while it is looked at, and again when it is saved.
typedef struct nc_view_live {
    int generation;                 // of the run that is shown; another one is another run
    const nc_view_control *control; // NULL: nothing can be requested
    char trouble[1200];             // why the scene as it was saved last is not simulated; "": it is
} nc_view_live;

// A run opened for looking at it. Used by one thread at a time.
typedef struct nc_view {
    nc_run *run;
    nc_run_frame frame; // the one read last
    nc_mesh **meshes;   // read when first asked for
    int mesh_count;
    nc_world_def settings;    // distances and gravity, as the last checkpoint has them
    nc_vec3 origin;           // [m] subtracted from all positions, so that float32 can hold them
    bool refused;             // the run is the start of a scene that is refused, and no more
    const nc_view_live *live; // borrowed; NULL: a run file
} nc_view;

// On failure nothing is left open.
nc_code nc_view_open(const char *path, nc_view *out, nc_error *err);
void nc_view_close(nc_view *view);
// The mesh of a row, borrowed.
nc_code nc_view_mesh(nc_view *view, int row, const nc_mesh **out, nc_error *err);

// Each appends one reply. NC_NOT_FOUND when the run has no such row or frame.
nc_code nc_view_write_head(nc_view *view, nc_buffer *out, nc_error *err);
nc_code nc_view_write_bodies(nc_view *view, int64_t first, int64_t count, nc_buffer *out, nc_error *err);
nc_code nc_view_write_mesh(nc_view *view, int64_t row, nc_buffer *out, nc_error *err);
// Frames first, first + every, ... at most `count` of them.
nc_code nc_view_write_frames(nc_view *view, int64_t first, int64_t count, int64_t every, nc_buffer *out, nc_error *err);
nc_code nc_view_write_reports(nc_view *view, int64_t first, int64_t count, int64_t every, nc_buffer *out,
                              nc_error *err);
// What is near what in a frame, found from its poses.
nc_code nc_view_write_near(nc_view *view, int64_t frame, nc_buffer *out, nc_error *err);
// Who was joined with whom in the last step of a frame.
nc_code nc_view_write_clusters(nc_view *view, int64_t frame, nc_buffer *out, nc_error *err);
// Where impulses acted in the steps that led to a frame, of a run that stores contacts.
nc_code nc_view_write_contacts(nc_view *view, int64_t frame, nc_buffer *out, nc_error *err);
// Joints of a frame: where they are, their limits, positions and reactions. An empty list where a run has none.
nc_code nc_view_write_joints(nc_view *view, int64_t frame, nc_buffer *out, nc_error *err);
// Boxes of a mesh's tree, `depth` levels below the root or at a leaf above that.
nc_code nc_view_write_tree(nc_view *view, int64_t row, int64_t depth, nc_buffer *out, nc_error *err);

// Bytes of a frame's record in a reply.
int64_t nc_view_frame_size(int64_t poses);
// How many frames a reply of frames holds.
int64_t nc_view_frames_in(const nc_buffer *reply);

// ---- a scene that is refused -----------------------------------------------------------------------------------

#define NC_VIEW_REFUSED_PAIRS 200 // pairs that are listed, and whose depth is measured; all are counted
#define NC_VIEW_REFUSED_PARTS 400 // elements of each of the two that are shown

// Appends what is wrong with the start of a model, as JSON: the error, the command that repairs it, and the pairs that
// touch or overlap with names, depth, direction and elements; of cloth, of itself too.
nc_code nc_view_write_refusal(nc_model model, const char *sentence, const char *command, nc_buffer *out, nc_error *err);

// ---- the page -----------------------------------------------------------------------------------------------

// Made from web/ by the build; size 0 when it was built without npm. The data of an exported page goes where
// NC_VIEW_PAGE_MARK stands.
#define NC_VIEW_PAGE_MARK "<!--nacre-data-->"
extern const unsigned char nc_view_page[];
extern const size_t nc_view_page_size;
// NC_UNSUPPORTED, with what to install, when there is no page.
nc_code nc_view_page_check(nc_error *err);

// Writes `view` as one page that needs no server: frames first, first + every, ..., `count` of them, with the contacts
// of each if they are wanted, and without trees. NC_UNSUPPORTED, with the way out, when it would be larger than
// NC_VIEW_HTML_MAX.
#define NC_VIEW_HTML_MAX ((int64_t)100 << 20)
typedef struct nc_view_selection {
    int64_t first, count, every;
    bool contacts;
} nc_view_selection;
nc_code nc_view_export(nc_view *view, const nc_view_selection *chosen, const char *path, nc_error *err);

// ---- the server ---------------------------------------------------------------------------------------------

typedef struct nc_view_server nc_view_server;

typedef struct nc_view_server_def {
    const char *run;          // path of a run file
    const char *host;         // IPv4 address to listen at; NULL: loopback
    int port;                 // 0: any that is free
    const nc_buffer *refusal; // of a scene that is refused (nc_view_write_refusal), borrowed; NULL: none
    bool live;                // the run is replaced when its scene is saved (nc_view_server_show)
    nc_view_control *control; // borrowed; NULL: pages can only look
} nc_view_server_def;

// Opens the run and answers requests in threads of its own. On failure nothing is left running.
nc_code nc_view_server_start(const nc_view_server_def *def, nc_view_server **out, nc_error *err);
void nc_view_server_stop(nc_view_server *server); // NULL is allowed
int nc_view_server_port(const nc_view_server *server);

// Of a live server. Between `release` and `show`, by the same thread, it has no run file open, and requests wait: the
// file may be rewritten. Pages then load what `show` names, with its refusal or NULL. When it cannot be opened there is
// no run, and pages get the error.
void nc_view_server_release(nc_view_server *server);
nc_code nc_view_server_show(nc_view_server *server, const char *run, const nc_buffer *refusal, nc_error *err);
// Tells pages why the scene that was saved last is not simulated; "": it is.
void nc_view_server_tell(nc_view_server *server, const char *trouble);

// Four numbers up to 255 with dots between them: not a name, so nobody can make it mean another machine.
bool nc_view_is_address(const char *text, size_t length);

#endif
