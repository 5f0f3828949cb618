// Clips for ParaView: a .pvd file that names a .vtp file for each frame, in a folder beside it.
#include "io/vtk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

typedef struct collection {
    nc_vtp vtp;
    nc_writer writer; // the .pvd file
    const char *path;
    char *name; // of a frame's file
    size_t name_size;
    size_t stem; // characters of `path` without its extension
    size_t base; // characters of `path` before the file's own name
} collection;

static void write_xml_text(nc_writer *writer, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '&' || *text == '<' || *text == '"')
            nc_writer_text(writer, "&#%d;", *text);
        else
            nc_writer_bytes(writer, text, 1);
    }
}

// "film/film_0012.vtp", or "film/film_contacts_0012.vtp".
static void name_file(collection *c, const char *kind, int64_t frame)
{
    const int stem = (int)c->stem, own = (int)(c->stem - c->base);
    snprintf(c->name, c->name_size, "%.*s/%.*s%s_%04lld.vtp", stem, c->path, own, c->path + c->base, kind,
             (long long)frame);
}

static void write_entry(collection *c, int part, const char *name)
{
    nc_writer_text(&c->writer, "<DataSet timestep=\"%.17g\" group=\"\" part=\"%d\" name=\"%s\" file=\"", c->vtp.time,
                   part, name);
    write_xml_text(&c->writer, c->name + c->base);
    nc_writer_text(&c->writer, "\"/>\n");
}

static nc_code read_contacts(collection *c, nc_error *err)
{
    nc_vtp *vtp = &c->vtp;
    const nc_clip *clip = vtp->clip;
    if (clip->read_contacts == NULL)
        return NC_OK;
    const nc_code code = clip->read_contacts(clip->ctx, &vtp->contacts, &vtp->contact_count, err);
    if (code != NC_OK)
        return code;
    memset(vtp->contacts_of, 0, (size_t)clip->body_count * sizeof *vtp->contacts_of);
    for (int i = 0; i < vtp->contact_count; i++) {
        vtp->contacts_of[vtp->contacts[i].a]++;
        vtp->contacts_of[vtp->contacts[i].b]++;
    }
    return NC_OK;
}

static nc_code write_frame(collection *c, int64_t frame, nc_error *err)
{
    nc_vtp *vtp = &c->vtp;
    const nc_clip *clip = vtp->clip;
    nc_code code = clip->read(clip->ctx, frame, &vtp->time, vtp->poses, vtp->present, err);
    if (code == NC_OK && clip->read_motion != NULL)
        code = clip->read_motion(clip->ctx, vtp->velocities, vtp->spins, err);
    if (code == NC_OK)
        code = read_contacts(c, err);
    if (code != NC_OK)
        return code;
    name_file(c, "", frame);
    write_entry(c, 0, "bodies");
    code = nc_vtp_write_bodies(vtp, c->name, err);
    if (code != NC_OK || clip->read_contacts == NULL)
        return code;
    name_file(c, "_contacts", frame);
    write_entry(c, 1, "contacts");
    return nc_vtp_write_contacts(vtp, c->name, err);
}

static nc_code make_folder(collection *c, nc_error *err)
{
    struct stat status;
    snprintf(c->name, c->name_size, "%.*s", (int)c->stem, c->path);
    if (mkdir(c->name, 0777) == 0 || (errno == EEXIST && stat(c->name, &status) == 0 && S_ISDIR(status.st_mode)))
        return NC_OK;
    return nc_fail_at(err, NC_IO, c->path, 0, 0, "its folder '%.200s' cannot be made: %s", c->name, strerror(errno));
}

static nc_code write_all(collection *c, nc_error *err)
{
    nc_code code = make_folder(c, err);
    if (code == NC_OK)
        code = nc_writer_open(&c->writer, c->path, &c->vtp.allocator, err);
    if (code != NC_OK)
        return code;
    nc_writer_text(&c->writer, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
                               "byte_order=\"LittleEndian\">\n<Collection>\n");
    for (int64_t frame = 0; frame < c->vtp.clip->frame_count && code == NC_OK; frame++)
        code = write_frame(c, frame, err);
    nc_writer_text(&c->writer, "</Collection>\n</VTKFile>\n");
    const nc_code closing = nc_writer_close(&c->writer, code == NC_OK, code == NC_OK ? err : NULL);
    return code != NC_OK ? code : closing;
}

static bool allocate(collection *c)
{
    nc_vtp *vtp = &c->vtp;
    const nc_allocator *a = &vtp->allocator;
    const size_t bodies = (size_t)vtp->clip->body_count;
    vtp->poses = nc_alloc(a, bodies, sizeof *vtp->poses);
    vtp->present = nc_alloc(a, bodies, 1);
    c->name = nc_alloc(a, c->name_size, 1);
    bool made = vtp->poses != NULL && vtp->present != NULL && c->name != NULL;
    if (made && vtp->clip->read_motion != NULL) {
        vtp->velocities = nc_alloc(a, bodies, sizeof *vtp->velocities);
        vtp->spins = nc_alloc(a, bodies, sizeof *vtp->spins);
        made = vtp->velocities != NULL && vtp->spins != NULL;
    }
    if (made && vtp->clip->read_contacts != NULL) {
        vtp->contacts_of = nc_alloc(a, bodies, sizeof *vtp->contacts_of);
        made = vtp->contacts_of != NULL;
    }
    return made;
}

static void release(collection *c)
{
    nc_vtp *vtp = &c->vtp;
    const nc_allocator *a = &vtp->allocator;
    const size_t bodies = (size_t)vtp->clip->body_count;
    nc_free(a, vtp->poses, bodies, sizeof *vtp->poses);
    nc_free(a, vtp->present, bodies, 1);
    nc_free(a, vtp->velocities, bodies, sizeof *vtp->velocities);
    nc_free(a, vtp->spins, bodies, sizeof *vtp->spins);
    nc_free(a, vtp->contacts_of, bodies, sizeof *vtp->contacts_of);
    nc_free(a, c->name, c->name_size, 1);
}

nc_code nc_export_vtk(const nc_clip *clip, const char *path, const nc_allocator *allocator, nc_error *err)
{
    nc_code code = nc_clip_check(clip, err);
    const size_t length = strlen(path);
    if (code == NC_OK && (length < 5 || strcasecmp(path + length - 4, ".pvd") != 0 || path[length - 5] == '/'))
        code = nc_fail(err, NC_BAD_ARGUMENT, "'%.200s' must be a name that ends in .pvd", path);
    if (code != NC_OK)
        return code;
    collection c = {.vtp = {.clip = clip, .allocator = nc_allocator_or_default(allocator)},
                    .path = path,
                    .name_size = 2 * length + 64,
                    .stem = length - 4};
    const char *slash = strrchr(path, '/');
    c.base = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    nc_c_locale locale;
    if (!nc_c_locale_enter(&locale))
        return nc_fail_memory(err, sizeof locale);
    code = allocate(&c) ? write_all(&c, err) : nc_fail_memory(err, (size_t)clip->body_count * sizeof(nc_pose));
    release(&c);
    nc_c_locale_leave(&locale);
    return code;
}
