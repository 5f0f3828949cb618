#!/usr/bin/env bash
# nacre import: a robot (URDF) becomes bodies and joints that move as it would, and says what it does not take.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
"$nacre" doctor 2>&1 | grep -q "imports no robots" && { echo "a build without expat: skipped"; exit 0; }

# ---- a pendulum of two links against its closed form --------------------------------------------------------------
# The forearm is welded: the mass of both swings about the shoulder, which is tilted by 0.05 rad. The inertias are not
# those of the shapes, and one is given in turned axes.
cat >arm.urdf <<'XML'
<?xml version="1.0"?>
<robot name="arm">
  <material name="blue"><color rgba="0 0 0.8 1"/></material>
  <link name="base"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <link name="upper">
    <inertial>
      <origin xyz="0 0 -0.4" rpy="0 1.5707963267948966 0"/><mass value="2"/>
      <inertia ixx="0.03" iyy="0.1" izz="0.12" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <visual><origin xyz="0 0 -0.4"/><geometry><box size="0.05 0.05 0.6"/></geometry><material name="blue"/></visual>
    <collision><origin xyz="0 0 -0.4"/><geometry><cylinder radius="0.03" length="0.6"/></geometry></collision>
  </link>
  <link name="elbow"/>
  <link name="fore">
    <inertial><origin xyz="0 0 -0.3"/><mass value="1"/><inertia ixx="0.05" iyy="0.05" izz="0.001"/></inertial>
    <collision><origin xyz="0 0 -0.2"/><geometry><box size="0.04 0.04 0.3"/></geometry></collision>
    <collision><origin xyz="0 0 -0.4"/><geometry><sphere radius="0.04"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0.5 0" rpy="0.05 0 0"/><parent link="base"/><child link="upper"/><axis xyz="1 0 0"/>
    <limit lower="-3" upper="3" effort="10" velocity="2"/>
    <safety_controller k_velocity="1"/>
  </joint>
  <joint name="frame" type="fixed"><origin xyz="0 0 -0.8"/><parent link="upper"/><child link="elbow"/></joint>
  <joint name="weld" type="fixed"><parent link="elbow"/><child link="fore"/></joint>
  <transmission name="t"><type>x</type></transmission>
</robot>
XML
expect 0 "$nacre" import arm.urdf -o arm.yaml
silent out.txt
says err.txt "arm.urdf:21: <limit> velocity is not supported and left out"
says err.txt "arm.urdf:22: <safety_controller> in <joint> is not supported and left out"
says err.txt "arm.urdf:26: <transmission> in <robot> is not supported and left out"
says err.txt "<limit> effort: nothing drives the joint without --hold"
says err.txt "arm.urdf:10: geometry that is only shown is left out"
says err.txt "Wrote arm.yaml: 3 bodies and 2 joints"
says arm.yaml 'generate: cylinder, radius: 0.03, height: 0.6, color: "#0000cc"'
says arm.yaml 'limits: {min: -3, max: 3}'
expect 0 "$nacre" run arm.yaml -q --steps 960 -o arm.nacre
python3 - <<'PY' || fail "the pendulum does not swing as its closed form"
import math, sqlite3
rows = sqlite3.connect("arm.nacre").execute("select frame, y, z from pose join body on body.id = pose.body where "
                                            "body.name = 'upper' order by frame").fetchall()
# the angle of the mesh's origin about the shoulder
angle = [math.atan2(y - 0.5, -z) for _, y, z in rows]
assert abs(angle[0] - 0.05) < 1e-9, angle[0]
down = [i + angle[i] / (angle[i] - angle[i + 1]) for i in range(len(angle) - 1) if angle[i] > 0 >= angle[i + 1]]
period = (down[-1] - down[0]) / (len(down) - 1) / 240
# turned by 90 degrees about y, the axis x of the link is the axis z of the inertia
inertia = 0.12 + 2 * 0.4 ** 2 + 0.05 + 1 * 1.1 ** 2
wanted = 2 * math.pi * math.sqrt(inertia / (9.8 * (2 * 0.4 + 1 * 1.1))) * (1 + 0.05 ** 2 / 16)
print("period", period, "wanted", wanted)
assert len(down) >= 2 and abs(period / wanted - 1) < 2e-4, (period, wanted)
PY

# An inertia that no body has is not taken; the mass and its centre are.
sed 's/izz="0.12"/izz="0.2"/' arm.urdf >odd.urdf
expect 0 "$nacre" import odd.urdf -o odd.yaml --meshes odd_meshes
says err.txt "odd.urdf:8: <inertia> of link 'upper' is not taken, that of its shape is: no body has the principal moments"
says odd.yaml "mass: 2, center: [0, 0, 0], inertia: ["

# The base may move: then everything falls.
expect 0 "$nacre" import arm.urdf -o free.yaml --base free -q --meshes free_meshes
silent err.txt
grep -q static free.yaml && fail "a free base is static"
# Held by its motor it stays, as far as its effort goes.
expect 0 "$nacre" import arm.urdf -o held.yaml --hold -q --meshes held_meshes
says held.yaml 'drive: {mode: position, target: 0, max_force: 10}'

# ---- a gripper: sliders, a mimic, meshes of a package -------------------------------------------------------------
mkdir -p pack/urdf pack/meshes
cat >pack/meshes/finger.obj <<'OBJ'
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
OBJ
cat >pack/urdf/gripper.urdf <<'XML'
<robot name="gripper">
  <link name="world"/>
  <link name="palm">
    <inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>
    <collision><geometry><box size="0.4 0.2 0.1"/></geometry></collision>
  </link>
  <link name="left"><collision>
    <geometry><mesh filename="package://pack/meshes/finger.obj" scale="0.05 0.05 0.2"/></geometry>
  </collision></link>
  <link name="right"><collision>
    <geometry><mesh filename="../meshes/finger.obj" scale="-0.05 0.05 0.2"/></geometry>
  </collision></link>
  <link name="imu"><inertial><mass value="0.1"/><inertia ixx="1e-5" iyy="1e-5" izz="1e-5"/></inertial></link>
  <joint name="lift" type="prismatic">
    <parent link="world"/><child link="palm"/><axis xyz="0 0 1"/><limit lower="0.5" upper="2" effort="500"/>
  </joint>
  <joint name="finger_left" type="prismatic">
    <origin xyz="0.15 0 0.1"/><parent link="palm"/><child link="left"/><axis xyz="-1 0 0"/>
    <limit lower="0" upper="0.1" effort="20"/><dynamics damping="3" friction="0.5"/>
  </joint>
  <joint name="finger_right" type="prismatic">
    <origin xyz="-0.15 0 0.1"/><parent link="palm"/><child link="right"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.1" effort="20"/><mimic joint="finger_left"/>
  </joint>
  <joint name="imu_mount" type="fixed"><parent link="palm"/><child link="imu"/></joint>
</robot>
XML
expect 0 "$nacre" import pack/urdf/gripper.urdf -o gripper.yaml --hold
says err.txt "4 bodies and 4 joints"
says err.txt "joint 'lift' starts at 0.5, not at 0"
says err.txt "link 'imu' has nothing that collides: it is a cube about its centre of mass"
says err.txt "link 'left' has no mass"
says gripper.yaml '{kind: gear, first: "finger_right", second: "finger_left", ratio: -1}'
says gripper.yaml 'damping: 3, friction: 0.5'
says gripper.yaml '["imu", "*"]'
says gripper.yaml 'limits: {min: 0, max: 1.5}'
says gripper.yaml 'file: "gripper_meshes/left.obj"'
# Closed by its one driven finger: the other follows.
sed -i '/finger_left", body/s/target: 0/target: 0.08/' gripper.yaml
expect 0 "$nacre" run gripper.yaml -q --steps 120 -o gripper.nacre
python3 - <<'PY' || fail "the fingers do not close together"
import sqlite3
def x(name, frame):
    return sqlite3.connect("gripper.nacre").execute("select x, z from pose join body on body.id = pose.body where "
                                                    "body.name = ? and frame = ?", (name, frame)).fetchone()
left, right, palm = [[x(name, f) for f in (0, 120)] for name in ("left", "right", "palm")]
print(left, right, palm)
assert abs(left[1][0] - left[0][0] + 0.08) < 1e-3 and abs(right[1][0] - right[0][0] - 0.08) < 1e-3
assert abs(palm[0][1] - 0.5) < 1e-9 and abs(palm[1][1] - 0.5) < 1e-3
PY
expect 2 "$nacre" import pack/urdf/gripper.urdf -o gripper.yaml
says err.txt "exists"

# ---- links that are not adjacent and intersect --------------------------------------------------------------------
cat >crossed.urdf <<'XML'
<robot name="crossed">
  <link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <link name="b"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <link name="c"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <joint name="ab" type="continuous"><origin xyz="0.5 0.1 0.1"/><parent link="a"/><child link="b"/></joint>
  <joint name="bc" type="floating"><origin xyz="-0.3 0.2 0.3"/><parent link="b"/><child link="c"/></joint>
</robot>
XML
expect 0 "$nacre" import crossed.urdf -o crossed.yaml
says err.txt "warning:"
says err.txt "Such a scene does not run"
grep -q "'a' and 'b'\|\"a\" and \"b\"" err.txt && fail "adjacent links are complained about"

# ---- other joints -------------------------------------------------------------------------------------------------
cat >sledge.urdf <<'XML'
<robot name="sledge" xmlns:xacro="http://ros.org/wiki/xacro">
  <link name="ice"/>
  <link name="body"><visual><geometry><capsule radius="0.1" length="0.3"/></geometry>
    <material name=""><color rgba="1 0.5 0 0.5"/><texture filename="x.png"/></material></visual></link>
  <link name="wheel"><collision><geometry><cylinder radius="0.1" length="0.05"/></geometry></collision></link>
  <link name="loose"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="plane" type="planar"><origin xyz="0 0 1" rpy="0 0 0.5"/><parent link="ice"/><child link="body"/><axis xyz="0 0 1"/>
    <dynamics damping="1"/></joint>
  <joint name="axle" type="continuous"><origin xyz="0.5 0 0"/><parent link="body"/><child link="wheel"/>
    <limit effort="3" lower="1"/></joint>
  <joint name="none" type="floating"><origin xyz="0 1 0"/><parent link="body"/><child link="loose"/></joint>
</robot>
XML
expect 0 "$nacre" import sledge.urdf -o sledge.yaml --hold
says err.txt "3 bodies and 2 joints"
says err.txt "sledge.urdf:8: <dynamics> in <joint> is not supported and left out"
says err.txt "sledge.urdf:10: <limit> lower is not supported and left out"
says err.txt "sledge.urdf:4: <texture> in <material> is not supported and left out"
says err.txt "sledge.urdf:4: <color> rgba: bodies are opaque"
grep -q xmlns err.txt && fail "a namespace is complained about"
says sledge.yaml 'kind: planar, name: "plane", body: "body", anchor: [0, 0, 1], axis: [0, 0, 1]}'
says sledge.yaml 'generate: capsule, radius: 0.1, length: 0.3, color: "#ff8000"'
expect 0 "$nacre" run sledge.yaml -q --steps 24 -o sledge.nacre
python3 - <<'PY' || fail "the sledge does not stay in its plane"
import math, sqlite3
z = dict(sqlite3.connect("sledge.nacre").execute("select body.name, z from pose join body on body.id = pose.body where frame = 24"))
assert abs(z["body"] - 1) < 1e-9 and abs(z["wheel"] - 1) < 1e-6 and abs(z["loose"] - 1 + 4.9 * 0.01) < 1e-2, z
PY

# ---- meshes of other programs: the axes of the file are those of the link, whatever it says is up ------------------
if ! "$nacre" doctor 2>&1 | grep -q "reads OBJ only"; then
    for up in X Y Z; do
        cat >t.dae <<XML
<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="meter" meter="1"/><up_axis>${up}_UP</up_axis></asset><library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="12">0 0 0 1 0 0 0 2 0 0 0 3</float_array><technique_common>
<accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices><triangles count="4">
<input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry>
</library_geometries><library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>
XML
        echo '<robot><link name="m"><collision><origin xyz="0 0 5"/><geometry><mesh filename="t.dae" scale="1 1 2"/></geometry></collision></link></robot>' >t.urdf
        expect 0 "$nacre" import t.urdf -o t.yaml --force -q
        [ "$(grep '^v ' t_meshes/m.obj | sort | tr '\n' ,)" = "v 0 0 11,v 0 0 5,v 0 2 5,v 1 0 5," ] || fail "$up up: $(grep '^v ' t_meshes/m.obj)"
    done
fi

# ---- MJCF ---------------------------------------------------------------------------------------------------------
cat >model.xml <<'XML'
<mujoco model="pendulum">
  <compiler angle="degree" coordinate="local"/>
  <option gravity="0 0 -9.8" timestep="0.002"/>
  <worldbody>
    <light pos="0 0 3"/>
    <geom name="floor" type="plane" size="0 0 0.1" pos="0 0 -2"/>
    <body name="rod" pos="0 0.5 0" axisangle="1 0 0 3">
      <joint name="swing" type="hinge" axis="1 0 0" range="-90 90" armature="0.1"/>
      <inertial pos="0 0 -0.5" mass="2" diaginertia="0.1 0.1 0.01"/>
      <geom type="capsule" fromto="0 0 -0.1 0 0 -0.9" size="0.02" rgba="1 0 0 1"/>
      <body name="bob" pos="0 0 -1.1" euler="0 0 90">
        <geom type="sphere" size="0.05" mass="3"/>
      </body>
    </body>
    <body name="crate" pos="2 0 -1.69"><freejoint/><geom type="box" size="0.1 0.2 0.3" density="500"/></body>
    <body name="slide" pos="-2 0 0">
      <joint name="rail" type="slide" axis="1 0 0" damping="2" stiffness="8" springref="0.5" pos="0 0 0.3"/>
      <geom type="cylinder" size="0.1 0.2"/>
      <body name="head" pos="0 0 0.5"><joint name="neck" type="ball" pos="0 0 -0.2" damping="1"/><geom size="0.1"/></body>
    </body>
  </worldbody>
  <actuator><position joint="rail" kp="30" kv="4" forcerange="-5 5"/><motor joint="swing" gear="2"/><muscle joint="swing"/></actuator>
</mujoco>
XML
expect 0 "$nacre" import model.xml -o model.yaml
says err.txt "6 bodies and 4 joints"
says err.txt "model.xml:3: <option> timestep is not supported and left out"
says err.txt "model.xml:5: <light> in <worldbody> is not supported and left out"
says err.txt "model.xml:6: the plane is a square of 20 m"
says err.txt "model.xml:8: <joint> armature is not supported and left out"
says err.txt "model.xml:19: <joint> damping is not supported and left out"
says err.txt "model.xml:22: <motor> gear is not supported and left out"
says err.txt "model.xml:22: <muscle> in <actuator> is not supported and left out"
says model.yaml 'kind: ball, name: "neck", body: "head", to: "slide", anchor: [-2, 0, 0.3]}'
says model.yaml 'damping: 2, stiffness: 8, rest: 0.5, drive: {mode: position, target: 0, stiffness: 30, damping: 4, max_force: 5}'
says model.yaml 'density: 500}'
says model.yaml 'generate: box, width: 0.2, height: 0.4, depth: 0.6'
expect 0 "$nacre" run model.yaml -q --steps 960 -o model.nacre
python3 - <<'PY' || fail "the model does not move as its closed form"
import math, sqlite3
db = sqlite3.connect("model.nacre")
def track(name):
    return db.execute("select y, z from pose join body on body.id = pose.body where body.name = ? order by frame", (name,)).fetchall()
angle = [math.atan2(y - 0.5, -z) for y, z in track("rod")]
assert abs(angle[0] - math.radians(3)) < 1e-9, angle[0]
down = [i + angle[i] / (angle[i] - angle[i + 1]) for i in range(len(angle) - 1) if angle[i] > 0 >= angle[i + 1]]
period = (down[-1] - down[0]) / (len(down) - 1) / 240
inertia = 0.1 + 2 * 0.5 ** 2 + 3 * 1.1 ** 2 + 0.4 * 3 * 0.05 ** 2
wanted = 2 * math.pi * math.sqrt(inertia / (9.8 * (2 * 0.5 + 3 * 1.1))) * (1 + math.radians(3) ** 2 / 16)
print("period", period, "wanted", wanted)
assert abs(period / wanted - 1) < 2e-4, (period, wanted)
# The crate fell onto the floor.
assert abs(track("crate")[-1][1] + 1.7) < 5e-3, track("crate")[-1]
PY
# refused SENTENCE: the model on stdin is refused so, and nothing is written.
refused() {
    cat >wrong.xml
    expect 3 "$nacre" import wrong.xml -o wrong.yaml || cat wrong.xml
    says err.txt "wrong.xml:$1"
    [ ! -e wrong.yaml ] || { fail "a scene was written for: $1"; rm -f wrong.yaml; }
}
refused '1:1: an MJCF file is a <mujoco>, but <robot> was found' <<<'<robot/>'
refused '1:9: <default> is not supported' <<<'<mujoco><default/><worldbody/></mujoco>'
refused '1:9: <compiler> coordinate is "global"; allowed: local' <<<'<mujoco><compiler coordinate="global"/></mujoco>'
refused '2:1: <geom> type is "ellipsoid"; allowed: plane, sphere, capsule, cylinder, box, mesh' <<<'<mujoco><worldbody>
<geom type="ellipsoid"/></worldbody></mujoco>'
refused "2:9: body 'b' has two joints; one is supported" <<<'<mujoco><worldbody><body name="b">
<joint/><joint/></body></worldbody></mujoco>'
refused "2:9: body 'b' has two joints; one is supported" <<<'<mujoco><worldbody><body name="b">
<joint/><freejoint/></body></worldbody></mujoco>'
refused "2:11: there is no hinge or slide named 'x'" <<<'<mujoco><worldbody/>
<actuator><motor joint="x"/></actuator></mujoco>'
expect 2 "$nacre" import model.xml -o wrong.yaml --base free

# ---- wrong files --------------------------------------------------------------------------------------------------
# wrong SENTENCE: the robot on stdin is refused so, and nothing is written.
wrong() {
    cat >wrong.urdf
    expect 3 "$nacre" import wrong.urdf -o wrong.yaml || cat wrong.urdf
    says err.txt "wrong.urdf:$1"
    [ ! -e wrong.yaml ] || { fail "a scene was written for: $1"; rm -f wrong.yaml; }
}
link='<link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link>'
wrong '1:16: this is no XML: mismatched tag' <<<'<robot><link></robot>'
wrong '1:1: a URDF file is a <robot>, but <mujoco> was found' <<<'<mujoco/>'
wrong '1:8: <xacro:include> is a macro: make URDF of the file with the program xacro first' <<<'<robot><xacro:include/></robot>'
wrong '1:1: the robot has no <link>' <<<'<robot/>'
wrong '1:8: <link> needs the attribute name' <<<'<robot><link/></robot>'
wrong "2:1: there are two links named 'a'" <<<"<robot>$link
$link</robot>"
wrong '2:1: <box> size expects 3 finite numbers with blanks between them, but "1 1" was found' <<<'<robot><link name="a"><collision><geometry>
<box size="1 1"/></geometry></collision></link></robot>'
wrong '2:1: <sphere> radius expects numbers above 0, but -1 was found' <<<'<robot><link name="a"><collision><geometry>
<sphere radius="-1"/></geometry></collision></link></robot>'
wrong '2:1: <geometry> expects <box>, <cylinder>, <capsule>, <sphere> or <mesh>, but <cone> was found' <<<'<robot><link name="a"><collision><geometry>
<cone/></geometry></collision></link></robot>'
wrong "2:1: <mesh> filename expects a file that is there, but 'none.stl' was not found" <<<'<robot><link name="a"><collision><geometry>
<mesh filename="none.stl"/></geometry></collision></link></robot>'
wrong '2:1: <joint> type expects revolute, continuous, prismatic, fixed, floating or planar, but "hinge" was found' <<<"<robot>$link
<joint name=\"j\" type=\"hinge\"/></robot>"
wrong "2:35: there is no link named 'b'" <<<"<robot>$link
<joint name=\"j\" type=\"continuous\"><parent link=\"b\"/></joint></robot>"
wrong "2:1: joint 'j' is revolute and needs a <limit>; without one it is continuous" <<<"<robot>$link<link name=\"b\"/>
<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/></joint></robot>"
wrong "1:8: joints go round in a circle: link 'a' hangs on itself" <<<"<robot>$link
<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"a\"/></joint></robot>"
wrong "2:1: link 'b' moves, and has no geometry and no mass; a body needs one of them" <<<"<robot>$link
<link name=\"b\"/><joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint></robot>"
expect 2 "$nacre" import arm.urdf -o wrong.yaml --base loose
says err.txt "--base expects fixed or free, but 'loose' was given"
expect 2 "$nacre" import arm.urdf -o wrong.yaml --up z
finish
