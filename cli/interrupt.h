// Ctrl-C and SIGTERM as a wish to stop.
#ifndef NC_CLI_INTERRUPT_H
#define NC_CLI_INTERRUPT_H

#include <stdbool.h>

// From now on the first SIGINT or SIGTERM only sets a mark; a second one ends the process at once.
void nc_interrupt_watch(void);
bool nc_interrupted(void);
// Both signals do nothing from now on: somebody else ends this process.
void nc_interrupt_ignore(void);
// While it is on, the process ends a second after the mark was set, with exit code 130: for work that can be lost.
void nc_interrupt_limit(bool on);

#endif
