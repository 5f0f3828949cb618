// Films: frames go through a pipe into ffmpeg, which is started without a shell.
#include "render/render.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// One thread of ffmpeg and no dates, so that the same frames give the same film.
static int start_process(const char *temporary, const char *size, const char *rate, int input, pid_t *out)
{
    const char *const arguments[] = {
        "ffmpeg",    "-nostdin", "-loglevel", "error",     "-y",         "-f",      "rawvideo", "-pix_fmt", "rgb24",
        "-s",        size,       "-r",        rate,        "-i",         "-",       "-an",      "-c:v",     "libx264",
        "-preset",   "medium",   "-crf",      "18",        "-pix_fmt",   "yuv420p", "-threads", "1",        "-fflags",
        "+bitexact", "-flags:v", "+bitexact", "-movflags", "+faststart", "-f",      "mp4",      temporary,  NULL};
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0)
        return code;
    code = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    if (code == 0) // the cast: posix_spawnp does not change what it is given
        code = posix_spawnp(out, "ffmpeg", &actions, NULL, (char *const *)(void *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

nc_code nc_film_open(const char *path, int width, int height, double rate, nc_film *out, nc_error *err)
{
    int ends[2];
    char size[32], rate_text[40];
    pid_t process = 0;
    *out = (nc_film){.pipe = -1};
    snprintf(out->path, sizeof out->path, "%s", path);
    snprintf(out->temporary, sizeof out->temporary, "%s.%ld.part", path, (long)getpid());
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(rate_text, sizeof rate_text, "%.9g", rate);
    if (pipe(ends) != 0)
        return nc_fail(err, NC_IO, "cannot start ffmpeg: %s", strerror(errno));
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    signal(SIGPIPE, SIG_IGN); // an ffmpeg that ends too early is an error with a sentence
    const int code = start_process(out->temporary, size, rate_text, ends[0], &process);
    close(ends[0]);
    if (code != 0) {
        close(ends[1]);
        return code == ENOENT ? nc_fail(err, NC_UNSUPPORTED,
                                        "a film needs the program ffmpeg, which is not there (Debian: "
                                        "apt install ffmpeg); single pictures do not: -o frames/%%04d.png")
                              : nc_fail(err, NC_IO, "cannot start ffmpeg: %s", strerror(code));
    }
    out->pipe = ends[1];
    out->process = process;
    return NC_OK;
}

nc_code nc_film_add(nc_film *film, const nc_picture *picture, nc_error *err)
{
    const size_t size = (size_t)picture->width * (size_t)picture->height * 3;
    for (size_t done = 0; done < size;) {
        const ssize_t part = write(film->pipe, picture->rgb + done, size - done);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return nc_fail(err, NC_IO, "cannot write '%s': ffmpeg takes no more frames", film->path);
        done += (size_t)part;
    }
    return NC_OK;
}

nc_code nc_film_close(nc_film *film, bool keep, nc_error *err)
{
    int status = 0;
    if (film->pipe < 0)
        return NC_OK;
    close(film->pipe);
    film->pipe = -1;
    while (waitpid((pid_t)film->process, &status, 0) < 0 && errno == EINTR)
        continue;
    nc_code code = NC_OK;
    if (keep && !(WIFEXITED(status) && WEXITSTATUS(status) == 0))
        code = nc_fail(err, NC_IO, "cannot write '%s': ffmpeg failed; what it says is above", film->path);
    else if (keep && rename(film->temporary, film->path) != 0)
        code = nc_fail(err, NC_IO, "cannot write '%s': %s", film->path, strerror(errno));
    if (!keep || code != NC_OK)
        unlink(film->temporary);
    return code;
}
