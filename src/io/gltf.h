// Inside io: a .glb file that is being read.
#ifndef NC_IO_GLTF_H
#define NC_IO_GLTF_H

#include "io/file.h"
#include "io/io.h"
#include "io/json_tree.h"

// The lists of a glTF file that Nacre looks into.
typedef enum nc_gltf_list {
    NC_GLTF_ACCESSORS,
    NC_GLTF_ANIMATIONS,
    NC_GLTF_BUFFER_VIEWS,
    NC_GLTF_MATERIALS,
    NC_GLTF_MESHES,
    NC_GLTF_NODES,
    NC_GLTF_SCENES,
    NC_GLTF_LIST_COUNT
} nc_gltf_list;

// Numbers of an accessor, in the file's binary data.
typedef struct nc_gltf_numbers {
    const uint8_t *data;
    size_t stride; // [bytes] from one item to the next
    int count;     // items
    int width;     // numbers an item
    int component; // type of a number: 5120 .. 5126
    bool normalized;
} nc_gltf_numbers;

typedef enum nc_gltf_drive { NC_GLTF_TRANSLATION, NC_GLTF_ROTATION, NC_GLTF_SCALE } nc_gltf_drive;
typedef enum nc_gltf_curve { NC_GLTF_LINEAR, NC_GLTF_STEP, NC_GLTF_CUBIC } nc_gltf_curve;

// What an animation does to one property of a node.
typedef struct nc_gltf_channel {
    int node;
    nc_gltf_drive drive;
    nc_gltf_curve curve;
    nc_gltf_numbers times;  // [s] strictly ascending
    nc_gltf_numbers values; // of a cubic curve three per key: tangent in, value, tangent out
    int times_accessor;
} nc_gltf_channel;

typedef struct nc_gltf_row {
    nc_gltf_node node;
    bool has_matrix;
    nc_gltf_transform matrix; // what a matrix comes to
    nc_vec3 translation, scale;
    nc_quat rotation;
} nc_gltf_row;

struct nc_gltf {
    nc_allocator allocator;
    char *path;
    size_t path_size;
    char *bytes; // the whole file, with a zero byte after its JSON
    size_t size;
    const uint8_t *binary; // in `bytes`
    size_t binary_size;
    nc_json_tree json;
    NC_ARRAY(int) lists[NC_GLTF_LIST_COUNT]; // JSON values of their members
    NC_ARRAY(nc_gltf_row) nodes;
    NC_ARRAY(int) order; // all nodes, parents first
    NC_ARRAY(nc_gltf_channel) channels;
};

// ---- JSON of the file -----------------------------------------------------------------------------------------

// Member `key` of the map `value` as a whole number from 0 to below `limit`; -1 when it is absent. `what` and `row`
// name the map in the error: "node 3".
nc_code nc_gltf_whole(const nc_gltf *gltf, int value, const char *key, double limit, const char *what, int row,
                      double *out, nc_error *err);
// The same for the number of a member of a list.
nc_code nc_gltf_index(const nc_gltf *gltf, int value, const char *key, nc_gltf_list list, const char *what, int row,
                      int *out, nc_error *err);
// Member `key` as `count` numbers; false in *out_found when it is absent.
nc_code nc_gltf_vector(const nc_gltf *gltf, int value, const char *key, int count, const char *what, int row,
                       double *out, bool *out_found, nc_error *err);
// The text of member "name", "" when there is none.
const char *nc_gltf_name(const nc_gltf *gltf, int value);

// ---- parts ----------------------------------------------------------------------------------------------------

// The numbers of an accessor, all of them inside the file's binary data.
nc_code nc_gltf_accessor(const nc_gltf *gltf, int accessor, nc_gltf_numbers *out, nc_error *err);
double nc_gltf_number(const nc_gltf_numbers *numbers, int item, int k);

nc_code nc_gltf_read_nodes(nc_gltf *gltf, nc_error *err);
// The value of a channel at a time, 3 or 4 numbers; rotations (x, y, z, w) are of unit length.
void nc_gltf_sample(const nc_gltf_channel *channel, double time, double *out);

#endif
