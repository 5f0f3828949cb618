// Processes and signals.
#define _GNU_SOURCE // prctl, pipe2
#include "study/study.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

static sigset_t our_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

void nc_signals_block(void)
{
    const sigset_t set = our_signals();
    sigprocmask(SIG_BLOCK, &set, NULL);
}

int nc_signal_wait(double seconds)
{
    const sigset_t set = our_signals();
    const struct timespec wait = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    const int signal_number = sigtimedwait(&set, NULL, &wait);
    return signal_number > 0 ? signal_number : 0;
}

// In the child: nothing that allocates.
static void redirect(const char *path, int descriptor)
{
    const int file = path != NULL ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (file >= 0)
        dup2(file, descriptor);
    else if (path != NULL)
        _exit(6);
}

static void become(const nc_process_def *def, int input, pid_t parent)
{
    const sigset_t set = our_signals();
    setpgid(0, 0); // Ctrl-C reaches the coordinator alone, which passes it on
#ifdef __linux__
    if (def->follows)
        prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (def->follows && getppid() != parent)
        _exit(130);
#else
    (void)parent;
#endif
    if (input >= 0)
        dup2(input, STDIN_FILENO);
    redirect(def->out_file, STDOUT_FILENO);
    redirect(def->err_file, STDERR_FILENO);
    if (def->keep_open >= 0)
        fcntl(def->keep_open, F_SETFD, 0);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    char *const *arguments; // execvp changes none of them, though its type does not say so
    memcpy(&arguments, &def->arguments, sizeof arguments);
    execvp(arguments[0], arguments);
    _exit(127);
}

// A file without a name that has the text, so that nobody waits for a reader.
static int input_file(const char *text)
{
    char name[] = "/tmp/nacre-input-XXXXXX";
    const int file = text != NULL ? mkostemp(name, O_CLOEXEC) : open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (file >= 0 && text != NULL) {
        unlink(name);
        if (write(file, text, strlen(text)) != (ssize_t)strlen(text) || lseek(file, 0, SEEK_SET) != 0) {
            close(file);
            return -1;
        }
    }
    return file;
}

nc_code nc_process_start(const nc_process_def *def, pid_t *out, nc_error *err)
{
    const pid_t parent = getpid();
    const int input = input_file(def->input);
    if (input < 0)
        return nc_fail(err, NC_IO, "cannot start %s: %s", def->arguments[0], strerror(errno));
    fflush(NULL);
    *out = fork();
    if (*out == 0)
        become(def, input, parent);
    const int error = errno;
    close(input);
    return *out > 0 ? NC_OK : nc_fail(err, NC_IO, "cannot start %s: %s", def->arguments[0], strerror(error));
}

// Reads to the end; what does not fit is dropped.
static void drain(int pipe_end, char *out, size_t out_size)
{
    size_t used = 0;
    char spare[512] = "";
    for (;;) {
        const bool room = used + 1 < out_size;
        const ssize_t n = read(pipe_end, room ? out + used : spare, room ? out_size - 1 - used : sizeof spare);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        used += room ? (size_t)n : 0;
    }
    out[used] = '\0';
}

nc_code nc_process_ask(const char *const *arguments, const char *input, char *out, size_t out_size, int *out_exit,
                       nc_error *err)
{
    int ends[2];
    pid_t child;
    char name[40];
    out[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0)
        return nc_fail(err, NC_IO, "cannot start %s: %s", arguments[0], strerror(errno));
    snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
    const nc_process_def def = {.arguments = arguments, .input = input, .out_file = name, .keep_open = -1};
    const nc_code code = nc_process_start(&def, &child, err);
    close(ends[1]);
    int status = 0;
    if (code == NC_OK) {
        drain(ends[0], out, out_size);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        *out_exit = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    close(ends[0]);
    return code;
}
