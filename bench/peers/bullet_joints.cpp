// Bullet: bodies with joints: btHingeConstraint, btPoint2PointConstraint or, with limits, btConeTwistConstraint, and
// btSliderConstraint.
//
// The task is that of world.hpp, then the number of joints and one line for each (nc_joints_write_task). Bodies that
// move are boxes or convex hulls. Dry friction of a hinge is a motor of velocity 0 with that torque; a drive towards a
// position is a motor whose velocity would reach the target at the end of the step, with the drive's force as its
// limit. Error reduction, softness and iterations are Bullet's own.
#include "bullet.hpp"

enum Kind { HINGE = 1, SLIDER = 2, BALL = 3 }; // as nc_joint_kind

struct Key {
    double time, value; // [s], [m]
};

// Frames have x along the joint's axis, in the mesh axes of a body; of the world: in the world.
struct Joint {
    int kind, a, b; // b is -1: the world
    bool collide;   // the two bodies do
    Pose frame_a, frame_b;
    bool limited;
    double lower, upper; // [rad], [m]; of a ball: of its twist
    double cone;         // [rad] of a ball; 0: none
    double friction;     // [N m]
    double max_force;    // [N] of the drive of a slider; 0: no limit
    std::vector<Key> keys;
};

struct JointedWorld : World {
    std::vector<Joint> joints;
};

static Joint read_joint(std::FILE *file)
{
    Joint joint;
    joint.kind = (int)read_number(file);
    joint.a = (int)read_number(file);
    joint.b = (int)read_number(file);
    joint.collide = read_number(file) != 0;
    joint.frame_a = read_pose(file);
    joint.frame_b = read_pose(file);
    joint.limited = read_number(file) != 0;
    joint.lower = read_number(file);
    joint.upper = read_number(file);
    joint.cone = read_number(file);
    joint.friction = read_number(file);
    joint.max_force = read_number(file);
    joint.keys.resize((size_t)read_number(file));
    for (Key &key : joint.keys) {
        key.time = read_number(file);
        key.value = read_number(file);
    }
    return joint;
}

static JointedWorld read_jointed(const char *path)
{
    JointedWorld world;
    std::FILE *file = open_task(path);
    read_world_from(file, world);
    world.joints.resize((size_t)read_number(file));
    for (Joint &joint : world.joints)
        joint = read_joint(file);
    std::fclose(file);
    return world;
}

// Linear between keys, constant outside.
static double target_of(const std::vector<Key> &keys, double time)
{
    size_t next = 0;
    while (next < keys.size() && keys[next].time <= time)
        next++;
    if (next == 0 || next == keys.size())
        return keys[next == 0 ? 0 : next - 1].value;
    const Key &a = keys[next - 1], &b = keys[next];
    return a.value + (b.value - a.value) * (time - a.time) / (b.time - a.time);
}

// A slider that is driven: its motor gets another velocity every step.
struct Drive {
    const Joint *joint;
    btSliderConstraint *slider;
};

class JointedSimulation : public Simulation
{
  public:
    explicit JointedSimulation(const JointedWorld &task) : Simulation(task, true)
    {
        for (const Joint &joint : task.joints)
            add_joint(task, joint);
    }

    ~JointedSimulation()
    {
        for (auto &constraint : constraints)
            world.removeConstraint(constraint.get());
    }

    void step()
    {
        time += dt;
        for (Drive &drive : drives)
            aim(drive);
        Simulation::step();
    }

  private:
    btRigidBody &body_of(int index)
    {
        return index >= 0 ? *bodies[(size_t)index] : btTypedConstraint::getFixedBody();
    }

    // The frame in a body's principal axes, which are Bullet's.
    static btTransform frame_of(const JointedWorld &task, int index, const Pose &frame)
    {
        if (index < 0)
            return transform_of(frame);
        const Body &body = task.bodies[(size_t)index];
        const btTransform axes = transform_of({{0, 0, 0}, {body.axes[0], body.axes[1], body.axes[2], body.axes[3]}});
        return axes.inverse() * transform_of(frame);
    }

    void add_joint(const JointedWorld &task, const Joint &joint)
    {
        const btTransform a = frame_of(task, joint.a, joint.frame_a), b = frame_of(task, joint.b, joint.frame_b);
        if (joint.kind == HINGE)
            constraints.push_back(hinge(joint, a, b));
        else if (joint.kind == SLIDER)
            constraints.push_back(slider(joint, a, b));
        else
            constraints.push_back(ball(joint, a, b));
        world.addConstraint(constraints.back().get(), !joint.collide);
    }

    // Bullet's hinge turns about z of its frames, the task's about x.
    std::unique_ptr<btTypedConstraint> hinge(const Joint &joint, const btTransform &a, const btTransform &b)
    {
        const btTransform to_x(btMatrix3x3(0, 0, 1, 1, 0, 0, 0, 1, 0));
        auto made = std::make_unique<btHingeConstraint>(body_of(joint.a), body_of(joint.b), a * to_x, b * to_x, false);
        if (joint.limited)
            made->setLimit((btScalar)joint.lower, (btScalar)joint.upper);
        if (joint.friction > 0)
            made->enableAngularMotor(true, 0, (btScalar)(joint.friction * dt)); // an impulse
        return made;
    }

    std::unique_ptr<btTypedConstraint> ball(const Joint &joint, const btTransform &a, const btTransform &b)
    {
        if (joint.cone <= 0)
            return std::make_unique<btPoint2PointConstraint>(body_of(joint.a), body_of(joint.b), a.getOrigin(),
                                                             b.getOrigin());
        auto made = std::make_unique<btConeTwistConstraint>(body_of(joint.a), body_of(joint.b), a, b);
        made->setLimit((btScalar)joint.cone, (btScalar)joint.cone, (btScalar)joint.upper); // it is symmetric
        return made;
    }

    std::unique_ptr<btTypedConstraint> slider(const Joint &joint, const btTransform &a, const btTransform &b)
    {
        auto made = std::make_unique<btSliderConstraint>(body_of(joint.a), body_of(joint.b), a, b, false);
        if (joint.limited) {
            made->setLowerLinLimit((btScalar)joint.lower);
            made->setUpperLinLimit((btScalar)joint.upper);
        }
        if (!joint.keys.empty()) {
            made->setPoweredLinMotor(true);
            made->setMaxLinMotorForce(joint.max_force > 0 ? (btScalar)joint.max_force : (btScalar)BT_LARGE_FLOAT);
            drives.push_back({&joint, made.get()});
        }
        return made;
    }

    // How far A is along B's axis, and the velocity that takes it to the target in one step.
    void aim(Drive &drive)
    {
        btRigidBody &a = body_of(drive.joint->a), &b = body_of(drive.joint->b);
        const btTransform frame_a = a.getCenterOfMassTransform() * drive.slider->getFrameOffsetA();
        const btTransform frame_b = b.getCenterOfMassTransform() * drive.slider->getFrameOffsetB();
        const btScalar now = (frame_a.getOrigin() - frame_b.getOrigin()).dot(frame_b.getBasis().getColumn(0));
        const btScalar velocity = ((btScalar)target_of(drive.joint->keys, time) - now) / dt;
        drive.slider->setTargetLinMotorVelocity(velocity);
        a.activate(); // a body that is driven does not sleep
        b.activate();
    }

    double time = 0; // [s]
    std::vector<std::unique_ptr<btTypedConstraint>> constraints;
    std::vector<Drive> drives;
};

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: bullet_joints TASK\n");
        return 2;
    }
    return serve_world<JointedSimulation>(bullet_name(), read_jointed(argv[1]));
}
