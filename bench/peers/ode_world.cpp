// ODE: rigid bodies, boxes as boxes, else triangle meshes (OPCODE), one QuickStep per frame.
//
// Everything that the task does not say is as ODE has it by default (20 iterations, error reduction 0.2). ODE has no
// margins around meshes. Two bodies share the root of the product of their coefficients.
#include "world.hpp"

#include <ode/ode.h>

#include <cmath>

static const int max_contacts = 16; // of a pair

// A mesh in ODE's numbers.
struct Shape {
    std::vector<dReal> coordinates;
    std::vector<dTriIndex> corners;
    dTriMeshDataID data;
    double half[3] = {0, 0, 0}; // [m] of a box
    bool box;

    explicit Shape(const Mesh &mesh) : data(dGeomTriMeshDataCreate())
    {
        box = is_box(mesh, half);
        for (const auto &v : mesh.vertices)
            for (double x : v)
                coordinates.push_back((dReal)x);
        for (const auto &t : mesh.triangles)
            for (int i : t)
                corners.push_back((dTriIndex)i);
        const int stride = 3 * (int)sizeof(dReal);
#ifdef dDOUBLE
        dGeomTriMeshDataBuildDouble(data, coordinates.data(), stride, (int)mesh.vertices.size(), corners.data(),
                                    (int)corners.size(), 3 * (int)sizeof(dTriIndex));
#else
        dGeomTriMeshDataBuildSingle(data, coordinates.data(), stride, (int)mesh.vertices.size(), corners.data(),
                                    (int)corners.size(), 3 * (int)sizeof(dTriIndex));
#endif
    }
    ~Shape()
    {
        dGeomTriMeshDataDestroy(data);
    }
};

class Simulation
{
  public:
    explicit Simulation(const World &task)
        : dt((dReal)task.dt), bodies(task.bodies), world(dWorldCreate()), space(dHashSpaceCreate(nullptr)),
          joints(dJointGroupCreate(0))
    {
        dWorldSetGravity(world, (dReal)task.gravity[0], (dReal)task.gravity[1], (dReal)task.gravity[2]);
        for (size_t i = 0; i < task.bodies.size(); i++)
            add(task, i);
    }

    ~Simulation()
    {
        dJointGroupDestroy(joints);
        dSpaceDestroy(space);
        dWorldDestroy(world);
    }

    void step()
    {
        contact_count = 0;
        dSpaceCollide(space, this, &Simulation::near);
        dWorldQuickStep(world, dt);
        dJointGroupEmpty(joints);
    }

    int contacts() const
    {
        return contact_count;
    }

    Pose pose(size_t i) const
    {
        const dReal *x = dGeomGetPosition(geoms[i]);
        dQuaternion q;
        dGeomGetQuaternion(geoms[i], q);
        return {{x[0], x[1], x[2]}, {q[0], q[1], q[2], q[3]}};
    }

  private:
    void add(const World &task, size_t i)
    {
        const Body &body = task.bodies[i];
        auto &shape = shapes[shape_key(body)];
        if (shape == nullptr)
            shape = std::make_unique<Shape>(turn_to_axes(task.meshes[body.mesh], body));
        const double *half = shape->half;
        const dGeomID geom = shape->box
                                 ? dCreateBox(space, (dReal)(2 * half[0]), (dReal)(2 * half[1]), (dReal)(2 * half[2]))
                                 : dCreateTriMesh(space, shape->data, nullptr, nullptr, nullptr);
        dGeomSetData(geom, reinterpret_cast<void *>(i));
        geoms.push_back(geom);
        if (body.mass > 0)
            dGeomSetBody(geom, make_body(body));
        const Pose pose = pose_of_axes(body);
        const dQuaternion q = {(dReal)pose.q[0], (dReal)pose.q[1], (dReal)pose.q[2], (dReal)pose.q[3]};
        dGeomSetPosition(geom, (dReal)pose.x[0], (dReal)pose.x[1], (dReal)pose.x[2]);
        dGeomSetQuaternion(geom, q);
    }

    dBodyID make_body(const Body &body)
    {
        const dBodyID id = dBodyCreate(world);
        dMass mass;
        dMassSetParameters(&mass, (dReal)body.mass, 0, 0, 0, (dReal)body.moments[0], (dReal)body.moments[1],
                           (dReal)body.moments[2], 0, 0, 0);
        dBodySetMass(id, &mass);
        dBodySetLinearVel(id, (dReal)body.velocity[0], (dReal)body.velocity[1], (dReal)body.velocity[2]);
        dBodySetAngularVel(id, (dReal)body.spin[0], (dReal)body.spin[1], (dReal)body.spin[2]);
        return id;
    }

    static void near(void *self, dGeomID a, dGeomID b)
    {
        static_cast<Simulation *>(self)->collide(a, b);
    }

    void collide(dGeomID a, dGeomID b)
    {
        const dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
        if (body_a == nullptr && body_b == nullptr)
            return;
        dContact found[max_contacts];
        const int count = dCollide(a, b, max_contacts, &found[0].geom, sizeof *found);
        const Body &p = bodies[reinterpret_cast<size_t>(dGeomGetData(a))];
        const Body &q = bodies[reinterpret_cast<size_t>(dGeomGetData(b))];
        for (int i = 0; i < count; i++) {
            found[i].surface = {};
            found[i].surface.mode = dContactBounce | dContactApprox1;
            found[i].surface.mu = (dReal)std::sqrt(p.friction * q.friction);
            found[i].surface.bounce = (dReal)std::sqrt(p.restitution * q.restitution);
            dJointAttach(dJointCreateContact(world, joints, &found[i]), body_a, body_b);
        }
        contact_count += count;
    }

    dReal dt;
    const std::vector<Body> &bodies;
    dWorldID world;
    dSpaceID space;
    dJointGroupID joints;
    std::map<ShapeKey, std::unique_ptr<Shape>> shapes;
    std::vector<dGeomID> geoms;
    int contact_count = 0;
};

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: ode_world TASK\n");
        return 2;
    }
    dInitODE2(0);
    char about[64];
    std::snprintf(about, sizeof about, "ODE %s", dODE_VERSION);
    return serve_world<Simulation>(about, read_world(argv[1]));
}
