// Ctrl-C and SIGTERM as a wish to stop.
#include "interrupt.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

// A signal handler can reach nothing but file-scope data: the variables of this program that are not constant.
static volatile sig_atomic_t was_interrupted = 0;
static volatile sig_atomic_t is_limited = 0;

#define GRACE_SECONDS 1 // [s] from the signal to the end

static void count_signal(int signal_number)
{
    (void)signal_number;
    was_interrupted = 1;
    if (is_limited)
        alarm(GRACE_SECONDS);
}

// What asks too seldom is ended here. Steps are transactions, and frames are on the disk before the next step begins.
static void end(int signal_number)
{
    static const char words[] =
        "nacre: interrupted during a step; stored frames are kept, and the run can be resumed\n";
    (void)signal_number;
    const ssize_t written = write(STDERR_FILENO, words, sizeof words - 1);
    (void)written; // there is no one to report it to
    _exit(130);
}

static void watch(int signal_number, void (*handler)(int), int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

void nc_interrupt_watch(void)
{
    watch(SIGINT, count_signal, (int)SA_RESETHAND | SA_RESTART);
    watch(SIGTERM, count_signal, (int)SA_RESETHAND | SA_RESTART);
}

void nc_interrupt_limit(bool on)
{
    if (on)
        watch(SIGALRM, end, 0);
    is_limited = on;
    if (!on)
        alarm(0);
    else if (was_interrupted)
        alarm(GRACE_SECONDS);
}

bool nc_interrupted(void)
{
    return was_interrupted != 0;
}

void nc_interrupt_ignore(void)
{
    watch(SIGINT, SIG_IGN, 0);
    watch(SIGTERM, SIG_IGN, 0);
}
