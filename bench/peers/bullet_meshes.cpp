// Bullet: contacts of two GImpact meshes.
#include "task.hpp"

#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <btBulletCollisionCommon.h>

static btTransform transform_of(const Pose &pose)
{
    const btQuaternion q((btScalar)pose.q[1], (btScalar)pose.q[2], (btScalar)pose.q[3], (btScalar)pose.q[0]);
    return btTransform(q.normalized(), btVector3((btScalar)pose.x[0], (btScalar)pose.x[1], (btScalar)pose.x[2]));
}

// A pair of meshes with the algorithm that a world would keep for it.
struct Pair {
    btTransform a, b;
    btCollisionAlgorithm *algorithm;
};

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    Task task = read_task(argv[1]);
    std::vector<btScalar> coordinates;
    for (const auto &v : task.vertices)
        for (double x : v)
            coordinates.push_back((btScalar)x);
    btTriangleIndexVertexArray arrays((int)task.triangles.size(), task.triangles[0].data(), 3 * sizeof(int),
                                      (int)task.vertices.size(), coordinates.data(), 3 * sizeof(btScalar));
    btGImpactMeshShape shape(&arrays);
    // Each side's margin is half the distance below which Nacre reports features as near.
    shape.setMargin((btScalar)(task.proximity / 2));
    shape.updateBound();

    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btGImpactCollisionAlgorithm::registerAlgorithm(&dispatcher);
    btCollisionObject a, b;
    a.setCollisionShape(&shape);
    b.setCollisionShape(&shape);
    const btDispatcherInfo info;
    const btCollisionObjectWrapper wrap_a(nullptr, &shape, &a, a.getWorldTransform(), -1, -1);
    const btCollisionObjectWrapper wrap_b(nullptr, &shape, &b, b.getWorldTransform(), -1, -1);

    std::vector<Pair> pairs;
    for (const Case &c : task.cases)
        pairs.push_back({transform_of(c.start_a), transform_of(c.start_b),
                         dispatcher.findAlgorithm(&wrap_a, &wrap_b, nullptr, BT_CONTACT_POINT_ALGORITHMS)});
    char about[64];
    std::snprintf(about, sizeof about, "Bullet %d.%02d", btGetVersion() / 100, btGetVersion() % 100);
    return serve(about, [&](const char *job, double &result) {
        if (std::strcmp(job, "contacts") != 0)
            return false;
        int contacts = 0;
        for (const Pair &pair : pairs) {
            a.setWorldTransform(pair.a);
            b.setWorldTransform(pair.b);
            btManifoldResult manifold(&wrap_a, &wrap_b);
            pair.algorithm->processCollision(&wrap_a, &wrap_b, info, &manifold);
            btManifoldArray manifolds;
            pair.algorithm->getAllContactManifolds(manifolds);
            for (int i = 0; i < manifolds.size(); i++)
                contacts += manifolds[i]->getNumContacts();
        }
        result = contacts;
        return true;
    });
}
