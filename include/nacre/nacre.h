// Nacre: rigid bodies and thin shells in which no two surfaces ever cross. This header includes all of it.
//
// The core (base, vec, mesh, query, world, joint, fracture, cloth, repair, model) needs C17 and libm. scene.h needs
// libyaml, run.h needs SQLite, drive.h both; a build without them leaves those calls out (nc_core only).
#ifndef NACRE_NACRE_H
#define NACRE_NACRE_H

#include "appearance.h"
#include "base.h"
#include "cloth.h"
#include "drive.h"
#include "fracture.h"
#include "joint.h"
#include "mesh.h"
#include "model.h"
#include "query.h"
#include "repair.h"
#include "run.h"
#include "scene.h"
#include "vec.h"
#include "world.h"

#endif
