// Ctrl-C and SIGTERM as a wish to stop after the present step.
#include "interrupt.h"

#include <signal.h>
#include <string.h>

// A signal handler can reach nothing but file-scope data: the one variable of this program that is not constant.
static volatile sig_atomic_t was_interrupted = 0;

static void note(int signal_number)
{
    (void)signal_number;
    was_interrupted = 1;
}

void nc_interrupt_watch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    action.sa_flags = (int)SA_RESETHAND | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool nc_interrupted(void)
{
    return was_interrupted != 0;
}
