// `nacre render` as a build without Embree has it.
#include "cli/cli.h"

int main(int argc, char **argv)
{
    return nc_command_render.run(&nc_command_render, argc - 1, argv + 1);
}
