// Ctrl-C and SIGTERM as a wish to stop after the present step.
#ifndef NC_CLI_INTERRUPT_H
#define NC_CLI_INTERRUPT_H

#include <stdbool.h>

// From now on the first SIGINT or SIGTERM only sets a mark; a second one ends the process at once.
void nc_interrupt_watch(void);
bool nc_interrupted(void);

#endif
