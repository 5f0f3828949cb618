// How threads wait for work.
#ifndef NC_CLI_WAIT_ASLEEP_H
#define NC_CLI_WAIT_ASLEEP_H

// Threads without work wait some 20 us and then sleep, instead of spinning for milliseconds: on a machine with other
// work two threads took five times the processor time of one. OpenMP reads its environment before main begins, so the
// program starts itself again with it, once. Returns when there is nothing to do: the environment says how to wait, or
// the program was started again already, or this system cannot.
void nc_wait_asleep(char **argv);

#endif
