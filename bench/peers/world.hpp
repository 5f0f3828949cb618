// What the peers that simulate share: the world they are given, and the talk with `nacre bench`.
//
// The task file holds gravity, the time step, meshes and bodies, all numbers as hexadecimal floats. A peer prints
// "ready" and a line about itself, and then answers each line "run STEPS": it starts from the task's state, takes that
// many steps, and prints the seconds of processor time these took and the number of contacts in the last one; then one
// line per body, its pose at the end as in the task. "follow STEPS" does the same, with such an answer after every step.
#ifndef NACRE_BENCH_PEERS_WORLD_HPP
#define NACRE_BENCH_PEERS_WORLD_HPP

#include "task.hpp"

#include <cmath>
#include <map>
#include <memory>
#include <tuple>

struct Mesh {
    std::vector<std::array<double, 3>> vertices; // [m]
    std::vector<std::array<int, 3>> triangles;
};

struct Body {
    int mesh;
    double mass;        // [kg] 0: it does not move
    double moments[3];  // [kg m^2] principal moments of inertia
    double axes[4];     // turns principal axes into mesh axes
    double friction;    // [1]
    double restitution; // [1]
    Pose pose;          // centre of mass, orientation of the mesh axes
    double velocity[3]; // [m/s]
    double spin[3];     // [rad/s]
};

struct World {
    double gravity[3]; // [m/s^2]
    double dt;         // [s]
    double margin;     // [m] what a peer that has margins puts around shapes
    std::vector<Mesh> meshes;
    std::vector<Body> bodies;
};

template <size_t N> void read_numbers(std::FILE *file, double (&out)[N])
{
    for (double &x : out)
        x = read_number(file);
}

inline Mesh read_mesh(std::FILE *file)
{
    Mesh mesh;
    mesh.vertices.resize((size_t)read_number(file));
    mesh.triangles.resize((size_t)read_number(file));
    for (auto &v : mesh.vertices)
        for (double &x : v)
            x = read_number(file);
    for (auto &t : mesh.triangles)
        for (int &i : t)
            i = (int)read_number(file);
    return mesh;
}

inline Body read_body(std::FILE *file)
{
    Body body;
    body.mesh = (int)read_number(file);
    body.mass = read_number(file);
    read_numbers(file, body.moments);
    read_numbers(file, body.axes);
    body.friction = read_number(file);
    body.restitution = read_number(file);
    body.pose = read_pose(file);
    read_numbers(file, body.velocity);
    read_numbers(file, body.spin);
    return body;
}

inline std::FILE *open_task(const char *path)
{
    std::FILE *file = std::fopen(path, "r");
    if (file == nullptr) {
        std::perror(path);
        std::exit(1);
    }
    return file;
}

inline void read_world_from(std::FILE *file, World &world)
{
    read_numbers(file, world.gravity);
    world.dt = read_number(file);
    world.margin = read_number(file);
    world.meshes.resize((size_t)read_number(file));
    world.bodies.resize((size_t)read_number(file));
    for (Mesh &mesh : world.meshes)
        mesh = read_mesh(file);
    for (Body &body : world.bodies)
        body = read_body(file);
}

inline World read_world(const char *path)
{
    World world;
    std::FILE *file = open_task(path);
    read_world_from(file, world);
    std::fclose(file);
    return world;
}

// a b, w first.
inline void quat_mul(const double (&a)[4], const double (&b)[4], double (&out)[4])
{
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

// Peers want the axes of a body to be its principal axes: the mesh in those, and the pose that goes with it.
inline Mesh turn_to_axes(const Mesh &mesh, const Body &body)
{
    Mesh turned = mesh;
    const double back[4] = {body.axes[0], -body.axes[1], -body.axes[2], -body.axes[3]};
    for (auto &v : turned.vertices) {
        const double pure[4] = {0, v[0], v[1], v[2]};
        double half[4], whole[4];
        quat_mul(back, pure, half);
        quat_mul(half, body.axes, whole);
        v = {whole[1], whole[2], whole[3]};
    }
    return turned;
}

inline Pose pose_of_axes(const Body &body)
{
    Pose pose = body.pose;
    quat_mul(body.pose.q, body.axes, pose.q);
    return pose;
}

// And back: prints the pose of the mesh's axes.
inline void print_pose(const Body &body, const Pose &of_axes)
{
    const double back[4] = {body.axes[0], -body.axes[1], -body.axes[2], -body.axes[3]};
    double q[4];
    quat_mul(of_axes.q, back, q);
    std::printf("%a %a %a %a %a %a %a\n", of_axes.x[0], of_axes.x[1], of_axes.x[2], q[0], q[1], q[2], q[3]);
}

// Is the mesh a box about its origin with sides along its axes? Peers have a shape of their own for it.
inline bool is_box(const Mesh &mesh, double (&half)[3])
{
    if (mesh.vertices.size() != 8 || mesh.triangles.size() != 12)
        return false;
    for (int k = 0; k < 3; k++)
        half[k] = std::fabs(mesh.vertices[0][k]);
    for (const auto &v : mesh.vertices)
        for (int k = 0; k < 3; k++)
            if (!(std::fabs(std::fabs(v[k]) - half[k]) <= 1e-9 * (half[0] + half[1] + half[2])))
                return false;
    return true;
}

// Bodies whose shape is the same share it: one for a mesh, its axes, and whether it moves.
using ShapeKey = std::tuple<int, bool, double, double, double, double>;
inline ShapeKey shape_key(const Body &body)
{
    return {body.mesh, body.mass > 0, body.axes[0], body.axes[1], body.axes[2], body.axes[3]};
}

template <typename Simulation> void print_state(const World &world, const Simulation &simulation, double seconds)
{
    std::printf("%.9g %.17g\n", seconds, (double)simulation.contacts());
    for (size_t i = 0; i < world.bodies.size(); i++)
        print_pose(world.bodies[i], simulation.pose(i));
}

// Answers "run STEPS" and "follow STEPS" until the input ends. `Simulation(world)` is the start; it has step(),
// contacts() and pose(body), the pose of the principal axes. `Task` is a World, or what a Simulation needs beside it.
template <typename Simulation, typename Task> int serve_world(const char *about, const Task &task)
{
    char line[128], job[16];
    std::printf("ready %s\n", about);
    std::fflush(stdout);
    while (std::fgets(line, sizeof line, stdin) != nullptr) {
        int steps = 0;
        if (std::sscanf(line, "%15s %d", job, &steps) != 2)
            return 1;
        const bool follows = std::strcmp(job, "follow") == 0;
        if (!follows && std::strcmp(job, "run") != 0)
            return 1;
        Simulation simulation(task);
        double seconds = 0;
        for (int i = 0; i < steps; i++) {
            const double start = cpu_seconds();
            simulation.step();
            seconds += cpu_seconds() - start;
            if (follows)
                print_state(task, simulation, seconds);
        }
        if (!follows)
            print_state(task, simulation, seconds);
        std::fflush(stdout);
    }
    return 0;
}

#endif
