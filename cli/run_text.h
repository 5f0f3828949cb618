// What `nacre run` says at the end.
#ifndef NC_CLI_RUN_TEXT_H
#define NC_CLI_RUN_TEXT_H

#include "cli.h"

// One line that needs no explanation: how many bodies came to rest, that nothing crossed, what it cost. With
// `verbose` the numbers of the run follow. The lines of the audit and of `expect` come whenever there are any.
void nc_run_text_print(const nc_session_summary *summary, const nc_buffer *expectations, bool verbose);

#endif
