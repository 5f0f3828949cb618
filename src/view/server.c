// The viewer's server: civetweb underneath, one handler on top.
//
// Nothing is read from the disk but the run. Only the exact paths of `routes` exist; every request must name this
// server as its Host, and an Origin, where there is one, must be this server's: no page from elsewhere can read a run,
// not even one whose name resolves to this machine. Requests are small, replies bounded, and a slow client is
// dropped.
#include "view/view.h"

#ifdef NC_WITH_CIVETWEB

#include "reel/reel.h"
#include "view/guard.h"

#include <civetweb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define THREADS       "16"
#define TIMEOUT_MS    "3000"
#define REQUEST_MAX   "8192"
#define WRITE_PIECE   (256 << 10) // bytes written at a time
#define SLOWEST_BYTES (128 << 10) // a second: who takes less for long is dropped
#define SLOWEST_START 3.0         // seconds before that is asked
#define WAIT_MAX      2.0         // seconds that a question waits for new frames
#define WAIT_LOOK_NS  40000000    // between two looks for them
#define NEAR_STACK    (1 << 20)   // bytes, of the thread that searches near features
#define WAITING_MAX   6           // requests that wait at a time; others get a reply immediately

// Frames and contacts are read through two connections, so that a long search for contacts holds up no frame.
typedef struct channel {
    nc_view view;
    pthread_mutex_t lock;
} channel;

struct nc_view_server {
    channel data, near;
    atomic_int waiting; // questions that wait for new frames
    atomic_int changes; // of what is not in the run file: another run, a pause
    atomic_bool ends;
    nc_view_guard guard;
    const nc_buffer *refusal; // NULL: the scene was not refused
    bool is_live;
    nc_view_live live;        // written with both channels locked
    nc_view_control *control; // NULL: pages can only look
    struct mg_context *context;
};

// ---- replies ------------------------------------------------------------------------------------------------

static const char *reason(int status)
{
    switch (status) {
    case 200:
        return "OK";
    case 400:
        return "Bad Request";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 503:
        return "Service Unavailable";
    default:
        return "Internal Server Error";
    }
}

// Writes piece by piece; false when the other side takes too little for too long.
static bool send_body(struct mg_connection *connection, const uint8_t *bytes, size_t size)
{
    const double start = nc_clock();
    for (size_t sent = 0; sent < size;) {
        const size_t piece = size - sent < WRITE_PIECE ? size - sent : WRITE_PIECE;
        if (mg_write(connection, bytes + sent, piece) != (int)piece)
            return false;
        sent += piece;
        if (nc_clock() - start > SLOWEST_START + (double)sent / SLOWEST_BYTES)
            return false;
    }
    return true;
}

static int send_reply(struct mg_connection *connection, int status, const char *type, const void *bytes, size_t size)
{
    const bool head_only = strcmp(mg_get_request_info(connection)->request_method, "HEAD") == 0;
    mg_printf(connection,
              "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nCache-Control: no-store\r\n"
              "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n"
              "Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n"
              "Content-Security-Policy: frame-ancestors 'none'\r\n%sConnection: close\r\n\r\n",
              status, reason(status), type, size, status == 405 ? "Allow: GET, HEAD\r\n" : "");
    if (!head_only)
        send_body(connection, bytes, size);
    return status;
}

static int refuse(struct mg_connection *connection, int status, const char *sentence)
{
    char text[600];
    const int length = snprintf(text, sizeof text, "%s\n", sentence);
    const size_t size = length < 0 ? 0 : (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
    return send_reply(connection, status, "text/plain; charset=utf-8", text, size);
}

// ---- what there is ------------------------------------------------------------------------------------------

static nc_code write_head(nc_view *view, const nc_view_query *q, nc_buffer *out, nc_error *err)
{
    (void)q;
    return nc_view_write_head(view, out, err);
}

static nc_code write_bodies(nc_view *view, const nc_view_query *q, nc_buffer *out, nc_error *err)
{
    return nc_view_write_bodies(view, q->first, q->count, out, err);
}

static nc_code write_mesh(nc_view *view, const nc_view_query *q, nc_buffer *out, nc_error *err)
{
    return nc_view_write_mesh(view, q->row, out, err);
}

static nc_code write_frames(nc_view *view, const nc_view_query *q, nc_buffer *out, nc_error *err)
{
    return nc_view_write_frames(view, q->first, q->count, 1, out, err);
}

static nc_code write_reports(nc_view *view, const nc_view_query *q, nc_buffer *out, nc_error *err)
{
    return nc_view_write_reports(view, q->first, q->count, 1, out, err);
}

typedef struct near_search {
    nc_view *view;
    int64_t frame;
    nc_buffer *out;
    nc_error *err;
    nc_code code;
} near_search;

static void *run_near_search(void *arg)
{
    near_search *s = arg;
    s->code = nc_view_write_near(s->view, s->frame, s->out, s->err);
    return NULL;
}

// The search for near features keeps its elements on the stack, and the server's threads have about 100 kB of it: it
// has a thread of its own, with room.
static nc_code write_near(nc_view *view, const nc_view_query *q, nc_buffer *out, nc_error *err)
{
    near_search search = {view, q->first, out, err, NC_OK};
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0)
        return nc_fail(err, NC_OUT_OF_MEMORY, "out of memory for a thread");
    const bool started = pthread_attr_setstacksize(&attributes, NEAR_STACK) == 0 &&
                         pthread_create(&thread, &attributes, run_near_search, &search) == 0;
    pthread_attr_destroy(&attributes);
    if (!started)
        return nc_fail(err, NC_OUT_OF_MEMORY, "there is no room for a thread with %d bytes of stack", NEAR_STACK);
    pthread_join(thread, NULL);
    return search.code;
}

static nc_code write_clusters(nc_view *view, const nc_view_query *q, nc_buffer *out, nc_error *err)
{
    return nc_view_write_clusters(view, q->first, out, err);
}

static nc_code write_contacts(nc_view *view, const nc_view_query *q, nc_buffer *out, nc_error *err)
{
    return nc_view_write_contacts(view, q->first, out, err);
}

static nc_code write_joints(nc_view *view, const nc_view_query *q, nc_buffer *out, nc_error *err)
{
    return nc_view_write_joints(view, q->first, out, err);
}

static nc_code write_tree(nc_view *view, const nc_view_query *q, nc_buffer *out, nc_error *err)
{
    return nc_view_write_tree(view, q->row, q->depth, out, err);
}

#define JSON   "application/json"
#define BINARY "application/octet-stream"

static const struct route {
    const char *path, *type;
    bool near; // through the connection for contacts
    nc_code (*write)(nc_view *view, const nc_view_query *query, nc_buffer *out, nc_error *err);
} routes[] = {
    {"/api/head", JSON, false, write_head},         {"/api/bodies", JSON, false, write_bodies},
    {"/api/mesh", BINARY, false, write_mesh},       {"/api/frames", BINARY, false, write_frames},
    {"/api/reports", JSON, false, write_reports},   {"/api/near", JSON, true, write_near},
    {"/api/clusters", JSON, false, write_clusters}, {"/api/tree", JSON, true, write_tree},
    {"/api/contacts", JSON, true, write_contacts},  {"/api/joints", JSON, false, write_joints},
};

static int status_of(nc_code code)
{
    return code == NC_NOT_FOUND || code == NC_BAD_ARGUMENT ? 404 : 500;
}

static bool has_more(channel *through, int64_t frames)
{
    nc_run_info info;
    pthread_mutex_lock(&through->lock);
    const nc_code code = through->view.run != NULL ? nc_run_read_info(through->view.run, &info, NULL) : NC_NOT_FOUND;
    pthread_mutex_unlock(&through->lock);
    return code != NC_OK || info.finished || info.frame_count > frames;
}

// A run that is being written is followed as it grows: the reply waits until there is something new, for a while. Few
// may wait at a time, so that threads are left for other requests.
static void wait_for_frames(nc_view_server *server, channel *through, int64_t frames)
{
    const struct timespec pause = {.tv_nsec = WAIT_LOOK_NS};
    const double start = nc_clock();
    const int changes = atomic_load(&server->changes);
    if (frames == 0)
        return;
    if (atomic_fetch_add(&server->waiting, 1) < WAITING_MAX)
        while (!atomic_load(&server->ends) && nc_clock() - start < WAIT_MAX &&
               atomic_load(&server->changes) == changes && !has_more(through, frames))
            nanosleep(&pause, NULL);
    atomic_fetch_sub(&server->waiting, 1);
}

static int respond(nc_view_server *server, struct mg_connection *connection, const struct route *route)
{
    nc_view_query query;
    nc_error err = {0};
    if (!nc_view_query_read(mg_get_request_info(connection)->query_string, &query))
        return refuse(connection, 400, "Malformed request.");
    channel *through = route->near ? &server->near : &server->data;
    nc_buffer out = nc_buffer_create(NULL);
    wait_for_frames(server, through, query.after);
    pthread_mutex_lock(&through->lock);
    const bool is_open = through->view.run != NULL;
    const nc_code code = is_open ? route->write(&through->view, &query, &out, &err) : NC_NOT_FOUND;
    pthread_mutex_unlock(&through->lock);
    const int status = !is_open        ? refuse(connection, 503, "There is no run: the scene could not be started.")
                       : code == NC_OK ? send_reply(connection, 200, route->type, out.data, out.size)
                                       : refuse(connection, status_of(code), err.text);
    nc_buffer_free(&out);
    return status;
}

// The refusal may be another one as soon as the lock is gone.
static int respond_refusal(nc_view_server *server, struct mg_connection *connection)
{
    nc_buffer out = nc_buffer_create(NULL);
    pthread_mutex_lock(&server->data.lock);
    const bool done = server->refusal != NULL && nc_buffer_append(&out, server->refusal->data, server->refusal->size);
    pthread_mutex_unlock(&server->data.lock);
    const int status =
        done ? send_reply(connection, 200, JSON, out.data, out.size) : refuse(connection, 404, "Not found.");
    nc_buffer_free(&out);
    return status;
}

// ---- what a page can request ----------------------------------------------------------------------------------

typedef enum command_kind { PAUSE, CONTINUE, RESTART } command_kind;

static const struct command {
    const char *path;
    command_kind kind;
} commands[] = {{"/api/pause", PAUSE}, {"/api/continue", CONTINUE}, {"/api/restart", RESTART}};

static void obey(nc_view_server *server, command_kind kind)
{
    if (kind == RESTART)
        atomic_store(&server->control->restart, true);
    atomic_store(&server->control->paused, kind == PAUSE);
    atomic_fetch_add(&server->changes, 1);
}

// A page of ours sends its Origin with a POST; it was compared with the Host already.
static int respond_command(nc_view_server *server, struct mg_connection *connection, const char *path,
                           const char *origin)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(path, commands[i].path) != 0)
            continue;
        if (server->control == NULL || origin[0] == '\0')
            return refuse(connection, 403, "This page can only look.");
        obey(server, commands[i].kind);
        return send_reply(connection, 200, JSON, "{}\n", 3);
    }
    return refuse(connection, 405, "Only GET and HEAD are supported.");
}

// ---- the one handler ----------------------------------------------------------------------------------------

// The value of a header; "" when it is not there, NULL when it is there twice.
static const char *only_header(const struct mg_request_info *info, const char *name)
{
    const char *found = "";
    int count = 0;
    for (int i = 0; i < info->num_headers; i++)
        if (mg_strcasecmp(info->http_headers[i].name, name) == 0) {
            found = info->http_headers[i].value;
            count++;
        }
    return count <= 1 ? found : NULL;
}

static int handle(struct mg_connection *connection)
{
    nc_view_server *server = mg_get_user_data(mg_get_context(connection));
    const struct mg_request_info *info = mg_get_request_info(connection);
    const char *path = info->request_uri != NULL ? info->request_uri : "";
    const char *origin = only_header(info, "Origin");
    const char *sentence = nc_view_guard_refuses(&server->guard, only_header(info, "Host"), origin);
    if (sentence != NULL)
        return refuse(connection, 403, sentence);
    const bool posts = strcmp(info->request_method, "POST") == 0;
    if (!posts && strcmp(info->request_method, "GET") != 0 && strcmp(info->request_method, "HEAD") != 0)
        return refuse(connection, 405, "Only GET and HEAD are supported.");
    if (strcmp(path, "/") == 0 && !posts)
        return send_reply(connection, 200, "text/html; charset=utf-8", nc_view_page, nc_view_page_size);
    const char *site = only_header(info, "Sec-Fetch-Site");
    if (site == NULL || (site[0] != '\0' && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0))
        return refuse(connection, 403, "Cross-origin requests are refused.");
    if (posts)
        return respond_command(server, connection, path, origin);
    if (strcmp(path, "/api/refusal") == 0)
        return respond_refusal(server, connection);
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
        if (strcmp(path, routes[i].path) == 0)
            return respond(server, connection, &routes[i]);
    return refuse(connection, 404, "Not found.");
}

// What civetweb refuses by itself (a request that is no HTTP, or too long) ends in the same plain way.
static int handle_error(struct mg_connection *connection, int status, const char *message)
{
    (void)message;
    mg_printf(connection,
              "HTTP/1.1 %d Refused\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 8\r\n"
              "Connection: close\r\n\r\nRefused\n",
              status);
    return 0;
}

static int keep_silent(const struct mg_connection *connection, const char *message)
{
    (void)connection;
    (void)message;
    return 1;
}

// ---- start and stop -----------------------------------------------------------------------------------------

static nc_code listen_at(nc_view_server *server, const nc_view_server_def *def, nc_error *err)
{
    char where[80];
    const char *host = def->host != NULL ? def->host : "127.0.0.1";
    snprintf(where, sizeof where, "%s:%d", host, def->port);
    const char *options[] = {"listening_ports",
                             where,
                             "num_threads",
                             THREADS,
                             "request_timeout_ms",
                             TIMEOUT_MS,
                             "max_request_size",
                             REQUEST_MAX,
                             "enable_keep_alive",
                             "no",
                             "decode_url",
                             "no",
                             "enable_directory_listing",
                             "no",
                             "access_control_allow_origin",
                             "",
                             "access_control_allow_methods",
                             "",
                             "access_control_allow_headers",
                             "",
                             "linger_timeout_ms",
                             "1000",
                             NULL};
    const struct mg_callbacks callbacks = {
        .begin_request = handle, .http_error = handle_error, .log_message = keep_silent, .log_access = keep_silent};
    struct mg_server_port port = {0};
    server->context = mg_start(&callbacks, server, options);
    if (server->context == NULL || mg_get_server_ports(server->context, 1, &port) < 1)
        return nc_fail(err, NC_IO, "cannot listen at %s: the port is taken, or the address is not this machine's",
                       where);
    nc_view_guard_open(&server->guard, port.port, def->host != NULL);
    return NC_OK;
}

// Both channels, on the run and its refusal; they are locked, or nobody else has the server yet.
static nc_code open_channels(nc_view_server *server, const char *run, const nc_buffer *refusal, nc_error *err)
{
    nc_code code = nc_view_open(run, &server->data.view, err);
    if (code == NC_OK)
        code = nc_view_open(run, &server->near.view, err);
    if (code != NC_OK)
        nc_view_close(&server->data.view);
    server->refusal = refusal;
    server->data.view.refused = refusal != NULL;
    server->data.view.live = server->is_live ? &server->live : NULL;
    return code;
}

nc_code nc_view_server_start(const nc_view_server_def *def, nc_view_server **out, nc_error *err)
{
    nc_view_server *server = calloc(1, sizeof *server);
    *out = NULL;
    if (server == NULL)
        return nc_fail_memory(err, sizeof *server);
    pthread_mutex_init(&server->data.lock, NULL);
    pthread_mutex_init(&server->near.lock, NULL);
    mg_init_library(0);
    server->is_live = def->live;
    server->control = def->control;
    server->live = (nc_view_live){.generation = 1, .control = def->control};
    nc_code code = open_channels(server, def->run, def->refusal, err);
    if (code == NC_OK)
        code = listen_at(server, def, err);
    if (code != NC_OK)
        nc_view_server_stop(server);
    else
        *out = server;
    return code;
}

void nc_view_server_release(nc_view_server *server)
{
    pthread_mutex_lock(&server->data.lock);
    pthread_mutex_lock(&server->near.lock);
    nc_view_close(&server->data.view);
    nc_view_close(&server->near.view);
}

nc_code nc_view_server_show(nc_view_server *server, const char *run, const nc_buffer *refusal, nc_error *err)
{
    const nc_code code = open_channels(server, run, refusal, err);
    server->live.generation++;
    server->live.trouble[0] = '\0';
    pthread_mutex_unlock(&server->near.lock);
    pthread_mutex_unlock(&server->data.lock);
    atomic_fetch_add(&server->changes, 1);
    return code;
}

void nc_view_server_tell(nc_view_server *server, const char *trouble)
{
    pthread_mutex_lock(&server->data.lock);
    snprintf(server->live.trouble, sizeof server->live.trouble, "%s", trouble);
    pthread_mutex_unlock(&server->data.lock);
    atomic_fetch_add(&server->changes, 1);
}

void nc_view_server_stop(nc_view_server *server)
{
    if (server == NULL)
        return;
    atomic_store(&server->ends, true);
    if (server->context != NULL)
        mg_stop(server->context);
    nc_view_close(&server->data.view);
    nc_view_close(&server->near.view);
    pthread_mutex_destroy(&server->data.lock);
    pthread_mutex_destroy(&server->near.lock);
    mg_exit_library();
    free(server);
}

int nc_view_server_port(const nc_view_server *server)
{
    return nc_view_guard_port(&server->guard);
}

#else

nc_code nc_view_server_start(const nc_view_server_def *def, nc_view_server **out, nc_error *err)
{
    (void)def;
    *out = NULL;
    return nc_fail(err, NC_UNSUPPORTED,
                   "this nacre was built without civetweb, which serves the page. Install it (Debian: apt-get install "
                   "libcivetweb-dev) and build again; 'nacre export RUN -o RUN.html' needs no server");
}

void nc_view_server_stop(nc_view_server *server)
{
    (void)server;
}

int nc_view_server_port(const nc_view_server *server)
{
    (void)server;
    return 0;
}

void nc_view_server_release(nc_view_server *server)
{
    (void)server;
}

nc_code nc_view_server_show(nc_view_server *server, const char *run, const nc_buffer *refusal, nc_error *err)
{
    (void)server, (void)run, (void)refusal;
    return nc_fail(err, NC_UNSUPPORTED, "this nacre was built without civetweb, which serves the page");
}

void nc_view_server_tell(nc_view_server *server, const char *trouble)
{
    (void)server, (void)trouble;
}

#endif
