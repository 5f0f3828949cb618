// Bullet: rigid bodies in contact.
#include "bullet.hpp"

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: bullet_world TASK\n");
        return 2;
    }
    return serve_world<Simulation>(bullet_name(), read_world(argv[1]));
}
