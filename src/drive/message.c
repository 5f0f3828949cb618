// Those who listen, watch and stop: any of them may be nobody.
#include "drive/session.h"

#include <stdio.h>

void nc_session_message(const nc_session *session, nc_message_kind kind, const char *format, ...)
{
    char text[2048];
    va_list args;
    if (session->settings->on_message == NULL)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    session->settings->on_message(kind, text, session->settings->ctx);
}

void nc_session_show(const nc_session *session)
{
    if (session->settings->watch == NULL)
        return;
    nc_session_progress progress = {.step = nc_model_step_count(session->model),
                                    .last_step = session->steps_wanted,
                                    .bodies = nc_model_body_count(session->model)};
    for (int i = 0; i < NC_PHASE_COUNT; i++)
        progress.seconds[i] = session->phases[i];
    session->settings->watch(&progress, session->settings->ctx);
}

bool nc_session_stops(const nc_session *session)
{
    return session->settings->stops != NULL && session->settings->stops(session->settings->ctx);
}

void nc_session_losable(const nc_session *session, bool on)
{
    if (session->settings->losable != NULL)
        session->settings->losable(on, session->settings->ctx);
}
