// What the programs that simulate with Bullet share: rigid bodies, boxes as boxes, else GImpact meshes for what moves
// and triangle trees for what does not, one step per frame. With `hulls`, what moves is the convex hull of its mesh.
//
// Everything that the task does not say is as Bullet has it by default (10 iterations of the solver, bodies at rest
// fall asleep, no continuous detection). Bullet multiplies the coefficients of two bodies, so each gets the root.
#ifndef NACRE_BENCH_PEERS_BULLET_HPP
#define NACRE_BENCH_PEERS_BULLET_HPP

#include "world.hpp"

#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <btBulletDynamicsCommon.h>

#include <cmath>

inline btVector3 vector_of(const double (&x)[3])
{
    return btVector3((btScalar)x[0], (btScalar)x[1], (btScalar)x[2]);
}

inline btTransform transform_of(const Pose &pose)
{
    const btQuaternion q((btScalar)pose.q[1], (btScalar)pose.q[2], (btScalar)pose.q[3], (btScalar)pose.q[0]);
    return btTransform(q.normalized(), vector_of(pose.x));
}

// A mesh in Bullet's numbers, and the shape made of it.
struct Shape {
    std::vector<btScalar> coordinates;
    std::vector<int> corners;
    std::unique_ptr<btTriangleIndexVertexArray> arrays;
    std::unique_ptr<btCollisionShape> shape;

    Shape(const Mesh &mesh, bool moves, bool hulls, double margin)
    {
        for (const auto &v : mesh.vertices)
            for (double x : v)
                coordinates.push_back((btScalar)x);
        for (const auto &t : mesh.triangles)
            corners.insert(corners.end(), t.begin(), t.end());
        arrays = std::make_unique<btTriangleIndexVertexArray>((int)mesh.triangles.size(), corners.data(),
                                                              3 * (int)sizeof(int), (int)mesh.vertices.size(),
                                                              coordinates.data(), 3 * (int)sizeof(btScalar));
        double half[3];
        if (is_box(mesh, half)) {
            shape = std::make_unique<btBoxShape>(vector_of(half));
        } else if (moves && hulls) {
            shape = std::make_unique<btConvexHullShape>(coordinates.data(), (int)mesh.vertices.size(),
                                                        3 * (int)sizeof(btScalar));
            shape->setMargin((btScalar)margin);
        } else if (moves) {
            auto gimpact = std::make_unique<btGImpactMeshShape>(arrays.get());
            gimpact->setMargin((btScalar)margin);
            gimpact->updateBound();
            shape = std::move(gimpact);
        } else {
            shape = std::make_unique<btBvhTriangleMeshShape>(arrays.get(), true);
            shape->setMargin((btScalar)margin);
        }
    }
};

class Simulation
{
  public:
    explicit Simulation(const World &task, bool with_hulls = false) : dt((btScalar)task.dt), hulls(with_hulls)
    {
        btGImpactCollisionAlgorithm::registerAlgorithm(&dispatcher);
        world.setGravity(vector_of(task.gravity));
        for (const Body &body : task.bodies)
            add(task, body);
    }

    ~Simulation()
    {
        for (auto &body : bodies)
            world.removeRigidBody(body.get());
    }

    void step()
    {
        world.stepSimulation(dt, 0);
    }

    int contacts() const
    {
        int count = 0;
        for (int i = 0; i < dispatcher.getNumManifolds(); i++)
            count += dispatcher.getManifoldByIndexInternal(i)->getNumContacts();
        return count;
    }

    Pose pose(size_t i) const
    {
        const btTransform &t = bodies[i]->getWorldTransform();
        const btQuaternion q = t.getRotation();
        const btVector3 &x = t.getOrigin();
        return {{x.x(), x.y(), x.z()}, {q.w(), q.x(), q.y(), q.z()}};
    }

  protected:
    void add(const World &task, const Body &body)
    {
        auto &shape = shapes[shape_key(body)];
        if (shape == nullptr)
            shape = std::make_unique<Shape>(turn_to_axes(task.meshes[body.mesh], body), body.mass > 0, hulls, task.margin);
        btRigidBody::btRigidBodyConstructionInfo info((btScalar)body.mass, nullptr, shape->shape.get(),
                                                      vector_of(body.moments));
        info.m_startWorldTransform = transform_of(pose_of_axes(body));
        info.m_friction = (btScalar)std::sqrt(body.friction);
        info.m_restitution = (btScalar)std::sqrt(body.restitution);
        bodies.push_back(std::make_unique<btRigidBody>(info));
        bodies.back()->setLinearVelocity(vector_of(body.velocity));
        bodies.back()->setAngularVelocity(vector_of(body.spin));
        world.addRigidBody(bodies.back().get());
    }

    btScalar dt;
    bool hulls;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::map<ShapeKey, std::unique_ptr<Shape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
};

inline const char *bullet_name()
{
    static char about[64];
    std::snprintf(about, sizeof about, "Bullet %d.%02d", btGetVersion() / 100, btGetVersion() % 100);
    return about;
}

#endif
