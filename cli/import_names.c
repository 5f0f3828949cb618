// Names of scene files out of any texts, none twice.
#include "import.h"

#define MAX_LETTERS (NC_IMPORT_NAME - 1)

static bool is_allowed(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// Letters that are not allowed become '_'; one for a whole letter of several bytes.
static void clean(const char *text, char *out)
{
    int length = 0;
    for (; *text != '\0' && length < MAX_LETTERS; text++)
        if (((unsigned char)*text & 0xc0) != 0x80)
            out[length++] = is_allowed(*text) ? *text : '_';
    out[length] = '\0';
}

nc_code nc_import_name(nc_names *names, const char *text, const char *fallback, int *out_row, nc_error *err)
{
    char wanted[NC_IMPORT_NAME], name[NC_IMPORT_NAME];
    clean(text[0] != '\0' ? text : fallback, wanted);
    snprintf(name, sizeof name, "%s", wanted);
    for (int number = 2; nc_names_find(names, name) >= 0; number++) {
        char ending[16];
        const int length = snprintf(ending, sizeof ending, "-%d", number);
        snprintf(name, sizeof name, "%.*s%s", MAX_LETTERS - length, wanted, ending);
    }
    return nc_names_add(names, name, out_row, err);
}
