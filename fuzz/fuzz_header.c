// The headers of foreign mesh files, which are compared with the file's size before assimp sees them.
// First byte: the format. Next four: how large the file claims to be beyond the bytes given.
#include "fuzz.h"

#include "io/soup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const formats[] = {"ply", "stl", "off", "glb", "gltf", "fbx"};
    static nc_file_head head;
    if (size < 5)
        return 0;
    uint32_t beyond;
    memcpy(&beyond, data + 1, sizeof beyond);
    head.path = "fuzz.mesh";
    head.count = size - 5 < sizeof head.bytes ? size - 5 : sizeof head.bytes;
    head.size = head.count < sizeof head.bytes ? head.count : head.count + beyond; // what is left out comes after
    memcpy(head.bytes, data + 5, head.count);
    nc_error err;
    const nc_code code = nc_header_check(formats[data[0] % 6], &head, &err);
    fuzz_honest(code, &err);
    return 0;
}
