"""Reads a run file of Nacre into arrays, and measures what every run is judged by."""
import math
import sqlite3

import numpy as np

SMOOTH = 0.1  # [g dt] a body is at rest or held when it moves by less per step; motion is smooth when its acceleration changes by less


def rotate(q, v):
    """Rows of v turned by the quaternion q = (w, x, y, z)."""
    u = q[1:] / np.linalg.norm(q)
    w = q[0] / np.linalg.norm(q)
    t = 2 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


def multiply(a, b):
    """Products of quaternions, by row."""
    w = a[..., 0] * b[..., 0] - (a[..., 1:] * b[..., 1:]).sum(axis=-1)
    u = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
    return np.concatenate([w[..., None], u], axis=-1)


def rotation_vectors(q):
    """Rotation vectors [rad] of quaternions, by row, of the shorter turn."""
    q = np.where(q[..., :1] < 0, -q, q)
    s = np.linalg.norm(q[..., 1:], axis=-1)
    angle = 2 * np.arctan2(s, q[..., 0])
    return q[..., 1:] * np.where(s > 0, angle / np.where(s > 0, s, 1), 2.0)[..., None]


def from_segment(p, a, b):
    """How far p is from the segment between a and b, by row."""
    along = b - a
    size2 = (along * along).sum(axis=-1)
    s = np.clip(((p - a) * along).sum(axis=-1) / np.where(size2 > 0, size2, 1), 0, 1)
    return np.linalg.norm(p - a - s[..., None] * along, axis=-1)


class Run:
    """What a run file holds. Rows of arrays: frame, body. Times in s, lengths in m."""

    def __init__(self, path, gravity):
        db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.h = db.execute("select timestep from run").fetchone()[0]
        self.gravity = np.array(gravity, float)
        rows = db.execute("select id, name, type, mesh, mass from body order by id").fetchall()
        self.names = [r[1] for r in rows]
        self.types = [r[2] for r in rows]
        self.mass = np.array([r[4] for r in rows], float)
        meshes = {i: np.frombuffer(v, "<f8").reshape(-1, 3) for i, v in db.execute("select id, vertices from mesh")}
        self.meshes = [meshes[r[3]] for r in rows]
        corners = {i: np.frombuffer(t or b"", "<i4").reshape(-1, 3) for i, t in db.execute("select id, triangles from mesh")}
        self.triangles = [corners[r[3]] for r in rows]
        self.radius = np.array([np.linalg.norm(v, axis=1).max() for v in self.meshes])
        self.dynamic = np.array([t == "dynamic" for t in self.types])
        pose = np.array(db.execute("select x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz from pose order by frame, body").fetchall(), float)
        pose = pose.reshape(-1, len(rows), 13)
        self.x, self.q, self.v, self.w = pose[..., 0:3], pose[..., 3:7], pose[..., 7:10], pose[..., 10:13]
        cursor = db.execute("select * from report order by frame")
        table = list(zip(*cursor.fetchall()))
        self.report = {c[0]: np.array([math.nan if n is None else n for n in column], float)
                       for c, column in zip(cursor.description, table)}
        self.time = np.array([r[0] for r in db.execute("select time from frame order by id")])
        self.events = db.execute("select kind, count(*) from event group by kind").fetchall()
        db.close()
        self.frames = len(self.time)
        self.steps = int(self.report["steps"].sum())

    def at(self, t):
        """The frame at a time; the last without one."""
        return self.frames - 1 if t is None else int(np.argmin(np.abs(self.time - t)))

    def vertices(self, body, frame):
        return rotate(self.q[frame, body], self.meshes[body]) + self.x[frame, body]

    def sum(self, column):
        return float(np.nansum(self.report[column]))

    def most(self, column):
        return float(np.nanmax(self.report[column]))

    def energy(self):
        """Kinetic and potential energy less the work of forces and scripted bodies, by frame [J]."""
        r = self.report
        return r["kinetic"] + r["potential"] - np.cumsum(r["force_work"] + r["kinematic_work"])

    def energy_scale(self):
        """[J] what energies are compared with: the most that was ever kinetic, was done by work, or fell; at least that of
        the lightest body's fall by a thousandth of its radius."""
        r = self.report
        free = np.nonzero(self.dynamic)[0]
        lightest = free[np.argmin(self.mass[free])] if len(free) else 0
        least = 1e-3 * self.mass[lightest] * np.linalg.norm(self.gravity) * self.radius[lightest]
        work = np.abs(np.cumsum(r["force_work"] + r["kinematic_work"])).max()
        fall = np.ptp(r["potential"])
        return max(r["kinetic"].max(), work, fall, least, 1e-30)

    def energy_rise(self):
        """The largest rise of energy over any earlier time beyond rounding, as a part of the scale. Locks that are emulated by
        1e9 times the mass make energies whose rounding is above 1e-9 of what is turned over."""
        e, r = self.energy(), self.report
        rounding = 2.0 ** -51 * max(np.abs(r["potential"]).max(), r["kinetic"].max())
        return max(0.0, float((e - np.minimum.accumulate(e)).max() - rounding)) / self.energy_scale()

    def moved(self):
        """Displacement, and turn times radius, per second, by frame from 1 [m/s]."""
        dt = np.diff(self.time)[:, None, None]
        move = np.diff(self.x, axis=0) / dt
        turn = rotation_vectors(multiply(self.q[1:], self.q[:-1] * np.array([1, -1, -1, -1]))) / dt
        return move, turn * self.radius[:, None]

    def _velocity_errors(self):
        """By frame from 2 to the last but 1 and body: error [m/s] of the stored velocities of the step that ends there;
        whether it can be judged; whether the body is at rest or held in that step, the one before and the one after. A body
        makes its way with a velocity between the stored ones before and after; where an impact ends the step, or begins it,
        with that before and half of the change of the step before, or with that after less half of the change of the next
        (so that the segments are twice as long). A body that moves is judged where its way has no jump: an impact makes
        one, and its time within the step is not stored."""
        g = np.linalg.norm(self.gravity) or 9.8
        limit = SMOOTH * g * self.h
        error, smooth, still = 0.0, True, True
        move, turn = self.moved()
        smooth = smooth & (np.linalg.norm(self.w[2:-1], axis=2) * self.h < 1)  # [rad] else the turn is ambiguous
        for way, stored in ((move, self.v), (turn, self.w * self.radius[:, None])):
            jump = np.linalg.norm(way[2:] - 2 * way[1:-1] + way[:-2], axis=2) < limit
            slow = np.linalg.norm(way, axis=2) < limit
            first, before, after, last = stored[:-3], stored[1:-2], stored[2:-1], stored[3:]
            own = way[1:-1]
            near = [from_segment(own, before, after), from_segment(own, before, 2 * before - first),
                    from_segment(own, after, 2 * after - last)]
            error = np.maximum(error, np.minimum.reduce(near))
            smooth = smooth & jump
            still = still & slow[:-2] & slow[1:-1] & slow[2:]
        return error, (smooth | still) & self.dynamic, still

    def false_speed(self):
        """Bodies at rest or held: the largest difference of stored velocity and displacement per step [m/s]."""
        if self.frames < 6:
            return 0.0
        error, smooth, still = self._velocity_errors()
        return float(np.where(smooth & still, error, 0).max())

    def lie(self):
        """The same of bodies that move."""
        if self.frames < 6:
            return 0.0
        error, smooth, still = self._velocity_errors()
        return float(np.where(smooth & ~still, error, 0).max())

    def leap(self, rest):
        """The largest displacement in a step as a part of 3 (v dt + g dt^2) + 3 rest distances."""
        g = np.linalg.norm(self.gravity)
        dt = np.diff(self.time)[:, None]
        move = np.linalg.norm(np.diff(self.x, axis=0), axis=2)
        v = np.maximum(np.linalg.norm(self.v[1:], axis=2), np.linalg.norm(self.v[:-1], axis=2))
        part = move / (3 * (v * dt + g * dt ** 2) + 3 * rest)
        return float(part[:, self.dynamic].max()) if self.dynamic.any() else 0.0


class Measures:
    """What expectations are written with. Bodies by number, times in s (none: the end), lengths in m."""

    def __init__(self, run):
        self.run = run
        self.x = run.x
        self.mass = max(float(run.mass.sum()), 1e-300)

    def names(self):
        """The names an expectation may use."""
        table = {n: getattr(self, n) for n in dir(self) if not n.startswith("_") and n not in ("run", "names")}
        for n in ("hypot", "radians", "pi"):
            table[n] = getattr(math, n)
        for i, axis in enumerate("XYZ"):
            table[axis] = lambda b, t=None, i=i: float(self.run.x[self.run.at(t), b, i])
            table["V" + axis] = lambda b, t=None, i=i: float(self.run.v[self.run.at(t), b, i])
            table["W" + axis] = lambda b, t=None, i=i: float(self.run.w[self.run.at(t), b, i])
            table[axis + "s"] = lambda b, t0=0, t1=None, i=i: self.run.x[self.run.at(t0):self.run.at(t1) + 1, b, i]
            table["W" + axis + "s"] = lambda b, t0=0, t1=None, i=i: self.run.w[self.run.at(t0):self.run.at(t1) + 1, b, i]
            table["P" + axis] = lambda t=None, i=i: float(self.run.report["momentum_" + "xyz"[i]][self.run.at(t)])
        return table

    def m(self, body):
        return float(self.run.mass[body])

    def speed(self, body, t=None):
        return float(np.linalg.norm(self.run.v[self.run.at(t), body]))

    def spin(self, body, t=None):
        return float(np.linalg.norm(self.run.w[self.run.at(t), body]))

    def radius(self, body, t=None):
        """From the vertical axis through the origin."""
        x = self.run.x[self.run.at(t), body]
        return math.hypot(x[0], x[2])

    def moved(self, body, t=None):
        return float(np.linalg.norm(self.run.x[self.run.at(t), body] - self.run.x[0, body]))

    def end(self):
        return float(self.run.time[-1])

    def went(self, body, t0, t1=None):
        return float(np.linalg.norm(self.run.x[self.run.at(t1), body] - self.run.x[self.run.at(t0), body]))

    def tilt(self, body, t=None):
        """The angle it turned by since the start [rad]."""
        q = multiply(self.run.q[self.run.at(t), body], self.run.q[0, body] * np.array([1, -1, -1, -1]))
        return float(np.linalg.norm(rotation_vectors(q)))

    def turned(self, body, axis):
        """The sum of its turns about an axis [rad]."""
        q = self.run.q[:, body]
        return float(rotation_vectors(multiply(q[1:], q[:-1] * np.array([1, -1, -1, -1])))[:, axis].sum())

    def low(self, body, t=None, axis=1):
        return float(self.run.vertices(body, self.run.at(t))[:, axis].min())

    def high(self, body, t=None, axis=1):
        return float(self.run.vertices(body, self.run.at(t))[:, axis].max())

    def kinetic(self, t=None):
        return float(self.run.report["kinetic"][self.run.at(t)])

    def energy(self, t=None):
        return float(self.run.energy()[self.run.at(t)])

    def L_change(self):
        """The largest change of the angular momentum, as a part of it."""
        a = np.stack([self.run.report["angular_momentum_" + c] for c in "xyz"], axis=1)
        return float(np.linalg.norm(a - a[0], axis=1).max() / np.linalg.norm(a[0]))

    def Ys_all(self):
        return self.run.x[:, self.run.dynamic, 1].max(axis=1)

    def links(self, near):
        """The largest distance, ever, of centres that began nearer than `near`."""
        x = self.run.x
        most = 0.0
        for a in range(x.shape[1]):
            d = np.linalg.norm(x[0] - x[0, a], axis=1)
            for b in np.nonzero((d < near) & (np.arange(len(d)) > a))[0]:
                most = max(most, float(np.linalg.norm(x[:, a] - x[:, b], axis=1).max()))
        return most

    def inside(self):
        """Cubes of the compactor beyond a plate that reaches to where they are [m]."""
        worst = 0.0
        for k in range(self.run.frames):
            left, right, low, high = self.x[k, 0, 0], self.x[k, 1, 0], self.x[k, 2, 1], self.x[k, 3, 1]
            for b in range(4, self.x.shape[1]):
                v = self.run.vertices(b, k)
                v = v[np.abs(v[:, 2]) < 4.9]
                if len(v):
                    worst = max(worst, left - v[:, 0].min(), v[:, 0].max() - right, low - v[:, 1].min(), v[:, 1].max() - high)
        return worst

    def first(self, test):
        """The first time at which test(frame) is true; the end if it never is."""
        return float(next((self.run.time[k] for k in range(self.run.frames) if test(k)), self.run.time[-1]))

    def _frame_spin(self, body):
        """The component of the spin along the body's own y axis (through the wing nut), by frame."""
        return np.array([rotate(q * np.array([1, -1, -1, -1]), w[None])[0] for q, w in zip(self.run.q[:, body], self.run.w[:, body])])

    def flips(self, body):
        """How often the spin changes its direction in the body's own frame."""
        along = self._frame_spin(body) @ self._axis(body)
        return int((np.diff(np.sign(along)) != 0).sum())

    def _axis(self, body):
        s = self._frame_spin(body)[0]
        return s / np.linalg.norm(s)

    def euler_flips(self, body):
        """The same count from Euler's equations, with the inertia of the mesh, by Runge and Kutta's method."""
        inertia = self._inertia(body)
        inverse = np.linalg.inv(inertia)
        w = self._frame_spin(body)[0]
        axis = self._axis(body)
        rate = lambda s: inverse @ np.cross(inertia @ s, s)
        n, dt, signs = 20 * (self.run.frames - 1), self.run.h / 20, []
        for _ in range(n):
            a = rate(w)
            b = rate(w + dt / 2 * a)
            c = rate(w + dt / 2 * b)
            w = w + dt / 6 * (a + 2 * b + 2 * c + rate(w + dt * c))
            signs.append(np.sign(w @ axis))
        return int((np.diff(signs) != 0).sum())

    def _inertia(self, body):
        """Of the volume integral over its mesh about the centre of mass, up to a factor."""
        v, t = self.run.meshes[body], self.run.triangles[body]
        a, b, c = v[t[:, 0]], v[t[:, 1]], v[t[:, 2]]
        det = np.einsum("ij,ij->i", a, np.cross(b, c))
        s = a + b + c
        q = sum(np.einsum("i,ij,ik->jk", det, p, p) for p in (a, b, c, s)) / 120
        return np.trace(q) * np.eye(3) - q
