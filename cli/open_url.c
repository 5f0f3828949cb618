// Shows an address in the user's browser.
#include "open_url.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

#ifdef __APPLE__
#define OPENER "open"
#else
#define OPENER "xdg-open"
#endif

extern char **environ;

static bool has_desktop(void)
{
#ifdef __APPLE__
    return true;
#else
    const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    return (x11 != NULL && x11[0] != '\0') || (wayland != NULL && wayland[0] != '\0');
#endif
}

bool nc_open_url(const char *url)
{
    char opener[] = OPENER, address[256];
    char *arguments[] = {opener, address, NULL};
    posix_spawn_file_actions_t files;
    pid_t child;
    const int length = snprintf(address, sizeof address, "%s", url);
    if (length < 0 || (size_t)length >= sizeof address || !has_desktop() || posix_spawn_file_actions_init(&files) != 0)
        return false;
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    const bool started = posix_spawnp(&child, opener, &files, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&files);
    return started;
}
