// Nacre inside a C++ program: handles that free themselves, errors as exceptions, memory from the program's own books.
#include <nacre/nacre.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <stdexcept>

namespace
{

void check(nc_code code, const nc_error &err)
{
    if (code != NC_OK)
        throw std::runtime_error(std::string(nc_code_name(code)) + ": " + err.text);
}

// Every byte Nacre holds passes through here.
struct Books {
    std::size_t held = 0, most = 0;
};

void *resize(void *ctx, void *ptr, std::size_t old_size, std::size_t new_size)
{
    Books &books = *static_cast<Books *>(ctx);
    void *moved = nullptr;
    if (new_size == 0)
        std::free(ptr);
    else if ((moved = std::realloc(ptr, new_size)) == nullptr)
        return nullptr;
    books.held += new_size - old_size;
    books.most = books.held > books.most ? books.held : books.most;
    return moved;
}

struct Release {
    void operator()(nc_world *world) const
    {
        nc_world_destroy(world);
    }
    void operator()(nc_mesh *mesh) const
    {
        nc_mesh_release(mesh);
    }
};
using World = std::unique_ptr<nc_world, Release>;
using Mesh = std::unique_ptr<nc_mesh, Release>;

Mesh make_shape(const char *name, const nc_allocator &allocator)
{
    nc_error err{};
    nc_mesh *mesh = nullptr;
    check(nc_shape_create(name, nullptr, 0, &allocator, &mesh, &err), err);
    return Mesh(mesh);
}

World make_world(const nc_allocator &allocator)
{
    nc_error err{};
    nc_world *world = nullptr;
    nc_world_def def = nc_world_def_default();
    def.allocator = allocator;
    check(nc_world_create(&def, &world, &err), err);
    return World(world);
}

// Height after `seconds` of a body thrown upwards; without air it is known in closed form.
double throw_boat(const nc_allocator &allocator, double speed, double seconds)
{
    nc_error err{};
    const Mesh boat = make_shape("boat", allocator);
    const World world = make_world(allocator);
    nc_body_def def = nc_body_def_default();
    def.type = NC_DYNAMIC;
    def.mesh = boat.get();
    def.mass.area_density = 6;
    def.velocity = nc_v3(0, speed, 0);
    def.spin = nc_v3(3, 2, 1);
    nc_body_id id{};
    check(nc_body_create(world.get(), &def, &id, &err), err);
    nc_body_state first{}, last{};
    check(nc_body_read(world.get(), id, &first, &err), err);
    for (int step = 0; step < 100; step++)
        check(nc_world_step(world.get(), seconds / 100, nullptr, &err), err);
    check(nc_body_read(world.get(), id, &last, &err), err);
    return last.pose.x.y - first.pose.x.y;
}

} // namespace

int main()
{
    Books books;
    const nc_allocator allocator = {resize, &books};
    try {
        std::cout << "Nacre " << nc_version() << "\n";
        std::cout << "thrown up at 10 m/s, after 1 s: " << throw_boat(allocator, 10, 1)
                  << " m (closed form: " << 10 - 9.8 / 2 << " m)\n";
        make_shape("bout", allocator);
    } catch (const std::runtime_error &error) {
        std::cout << "as it should, an unknown shape says: " << error.what() << "\n";
    }
    std::cout << "most memory held: " << books.most << " bytes; now: " << books.held << "\n";
    return books.held == 0 ? 0 : 1;
}
