// The server of `nacre view`, with its messages.
#include "serving.h"
#include "open_url.h"

#include <string.h>

nc_exit nc_serving_start(nc_view_server_def def, const nc_view_settings *settings, nc_view_server **out)
{
    nc_error err = {0};
    char url[128];
    def.host = settings->host;
    def.port = (int)settings->port;
    if (nc_view_server_start(&def, out, &err) != NC_OK)
        return err.code == NC_UNSUPPORTED ? nc_complain_usage("%s", err.text) : nc_complain(&err);
    const bool everywhere = settings->host == NULL || strcmp(settings->host, "0.0.0.0") == 0;
    snprintf(url, sizeof url, "http://%s:%d/", everywhere ? "127.0.0.1" : settings->host, nc_view_server_port(*out));
    if (settings->host != NULL && strncmp(settings->host, "127.", 4) != 0)
        fprintf(stderr, "warning: everyone who can reach %s can see this run\n", settings->host);
    printf("%s\n", url);
    fflush(stdout);
    if (!settings->no_open)
        nc_open_url(url);
    nc_say(settings->run.quiet, "Ctrl-C ends it.");
    return NC_EXIT_DONE;
}
