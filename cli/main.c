// nacre: finds the command and lets it run.
#include "cli.h"

#include "simd.h"
#include "wait_asleep.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

// In the order of the help.
static const nc_command *const commands[] = {
    &nc_command_new,     &nc_command_run,   &nc_command_view,   &nc_command_render,
    &nc_command_check,   &nc_command_info,  &nc_command_repair, &nc_command_export,
    &nc_command_import,  &nc_command_plot,  &nc_command_study,  &nc_command_query,
    &nc_command_pattern, &nc_command_bench, &nc_command_doctor, &nc_command_completion,
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

const nc_command *const *nc_command_list(int *out_count)
{
    *out_count = COMMAND_COUNT;
    return commands;
}

static const nc_command *find_command(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static void print_overview(FILE *out)
{
    const char *bold = nc_bold(out), *plain = nc_plain(out);
    fprintf(out, "Nacre simulates rigid bodies and thin shells, and checks exactly whether surfaces cross.\n\n");
    fprintf(out, "%sUsage%s\n  nacre COMMAND [arguments] [options]\n\n%sCommands%s\n", bold, plain, bold, plain);
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-12s%s\n", commands[i]->name, commands[i]->about);
    fprintf(out, "  %-12s%s\n", "help", "Shows the help of a command: nacre help run");
    fprintf(out, "\n%sOptions%s\n", bold, plain);
    fprintf(out, "  -h, --help  Show this and stop.\n");
    fprintf(out, "  --version   Show version, commit, compiler, threads and SIMD, and stop.\n");
    fprintf(out, "\n%sGetting started%s\n  nacre new first.yaml\n  nacre run first.yaml -o first.nacre\n", bold, plain);
    fprintf(out, "  nacre view first.nacre\n  nacre check first.nacre\n  nacre export first.nacre -o first.glb\n");
    fprintf(out, "\n%sExit codes%s\n", bold, plain);
    fprintf(out, "  0 done                        4 the scene starts intersecting\n");
    fprintf(out, "  1 a check failed              5 guarantee violated: a defect in Nacre\n");
    fprintf(out, "  2 wrong usage                 6 disk, file system or memory\n");
    fprintf(out, "  3 bad scene, mesh or run    130 interrupted; the run can be resumed\n");
}

static nc_exit unknown_command(const char *name)
{
    const char *names[COMMAND_COUNT];
    for (int i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i]->name;
    const int nearest = nc_nearest_name(name, names, COMMAND_COUNT);
    if (nearest >= 0)
        return nc_complain_usage("there is no command '%s'. Did you mean '%s'?", name, names[nearest]);
    return nc_complain_usage("there is no command '%s'. See: nacre --help", name);
}

static void print_version(void)
{
    char simd[256];
    printf("nacre %s\n", nc_version());
    printf("threads: %d\n", nc_worker_count(0));
    printf("simd: %s\n", nc_simd_text(simd, sizeof simd));
}

static int help(int argc, char **argv)
{
    if (argc == 0) {
        print_overview(stdout);
        return NC_EXIT_DONE;
    }
    const nc_command *command = find_command(argv[0]);
    if (command == NULL)
        return (int)unknown_command(argv[0]);
    nc_help_print(command, stdout);
    return NC_EXIT_DONE;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_overview(stderr);
        return NC_EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return help(argc - 2, argv + 2);
    if (strcmp(name, "--version") == 0) {
        print_version();
        return NC_EXIT_DONE;
    }
    if (name[0] == '-')
        return (int)nc_complain_usage("a command is expected before the option '%s'. See: nacre --help", name);
    const nc_command *command = find_command(name);
    return command != NULL ? command->run(command, argc - 2, argv + 2) : (int)unknown_command(name);
}

int main(int argc, char **argv)
{
    nc_wait_asleep(argv);
    // A file that outgrows its limit is then an error with a sentence, not a sudden death.
    signal(SIGXFSZ, SIG_IGN);
    const int code = dispatch(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "nacre: cannot write to the standard output: %s\n", strerror(errno));
        return code == NC_EXIT_DONE ? NC_EXIT_IO : code;
    }
    return code;
}
