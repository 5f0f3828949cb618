// FCL: distance of two meshes, and continuous collision.
#include "task.hpp"

#include <fcl/config.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/math/bv/OBBRSS.h>
#include <fcl/narrowphase/continuous_collision.h>
#include <fcl/narrowphase/distance.h>

using Model = fcl::BVHModel<fcl::OBBRSSd>;

static fcl::Transform3d transform_of(const Pose &pose)
{
    fcl::Transform3d t = fcl::Transform3d::Identity();
    t.linear() = fcl::Quaterniond(pose.q[0], pose.q[1], pose.q[2], pose.q[3]).normalized().toRotationMatrix();
    t.translation() = fcl::Vector3d(pose.x[0], pose.x[1], pose.x[2]);
    return t;
}

static std::shared_ptr<Model> build_model(const Task &task)
{
    std::vector<fcl::Vector3d> vertices;
    std::vector<fcl::Triangle> triangles;
    for (const auto &v : task.vertices)
        vertices.emplace_back(v[0], v[1], v[2]);
    for (const auto &t : task.triangles)
        triangles.emplace_back((size_t)t[0], (size_t)t[1], (size_t)t[2]);
    auto model = std::make_shared<Model>();
    model->beginModel();
    model->addSubModel(vertices, triangles);
    model->endModel();
    return model;
}

struct Placed {
    fcl::Transform3d start_a, end_a, start_b, end_b;
};

static double sum_of_distances(const Model &model, const std::vector<Placed> &cases)
{
    double sum = 0;
    for (const Placed &c : cases) {
        fcl::DistanceRequestd request(true);
        fcl::DistanceResultd result;
        sum += fcl::distance(&model, c.start_a, &model, c.start_b, request, result);
    }
    return sum;
}

// How many of the motions collide.
static double count_hits(const Model &model, const std::vector<Placed> &cases, fcl::CCDSolverType solver)
{
    int hits = 0;
    for (const Placed &c : cases) {
        fcl::ContinuousCollisionRequestd request(100, 1e-5, fcl::CCDM_LINEAR, fcl::GST_LIBCCD, solver);
        fcl::ContinuousCollisionResultd result;
        fcl::continuousCollide(&model, c.start_a, c.end_a, &model, c.start_b, c.end_b, request, result);
        hits += result.is_collide;
    }
    return hits;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    const Task task = read_task(argv[1]);
    const auto model = build_model(task);
    std::vector<Placed> cases;
    for (const Case &c : task.cases)
        cases.push_back(
            {transform_of(c.start_a), transform_of(c.end_a), transform_of(c.start_b), transform_of(c.end_b)});
    return serve("FCL " FCL_VERSION, [&](const char *job, double &result) {
        if (std::strcmp(job, "distance") == 0)
            result = sum_of_distances(*model, cases);
        else if (std::strcmp(job, "sweep") == 0)
            result = count_hits(*model, cases, fcl::CCDC_CONSERVATIVE_ADVANCEMENT);
        else if (std::strcmp(job, "sweep-naive") == 0)
            result = count_hits(*model, cases, fcl::CCDC_NAIVE);
        else
            return false;
        return true;
    });
}
