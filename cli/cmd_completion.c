// nacre completion: a script for the shell, made from the option tables.
#include "cli.h"

#include <string.h>

static int completion(const nc_command *command, int argc, char **argv);

const nc_command nc_command_completion = {
    .name = "completion",
    .arguments = "bash",
    .about = "Prints a script that completes nacre's commands and options in bash.",
    .details = "Installed copies of Nacre bring it along; elsewhere, let your shell read it at its start.\n",
    .examples =
        "source <(nacre completion bash)\nnacre completion bash > ~/.local/share/bash-completion/completions/nacre",
    .min_arguments = 1,
    .max_arguments = 1,
    .run = completion,
};

static void print_options(const nc_command *command)
{
    printf("        %s) options='--help", command->name);
    for (int i = 0; i < command->option_count; i++) {
        if (command->options[i].letter != '\0')
            printf(" -%c", command->options[i].letter);
        printf(" --%s", command->options[i].name);
    }
    printf("' ;;\n");
}

static void print_bash(void)
{
    int count;
    const nc_command *const *commands = nc_command_list(&count);
    printf("# bash completion of nacre, made by: nacre completion bash\n");
    printf("_nacre()\n{\n    local word=${COMP_WORDS[COMP_CWORD]} options=''\n    COMPREPLY=()\n");
    printf("    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W '");
    for (int i = 0; i < count; i++)
        printf("%s ", commands[i]->name);
    printf("help --help --version' -- \"$word\"))\n        return\n    fi\n");
    printf("    case ${COMP_WORDS[1]} in\n");
    for (int i = 0; i < count; i++)
        print_options(commands[i]);
    printf("        help) COMPREPLY=($(compgen -W '");
    for (int i = 0; i < count; i++)
        printf("%s%s", i > 0 ? " " : "", commands[i]->name);
    printf("' -- \"$word\"))\n            return ;;\n    esac\n");
    printf("    case $word in\n        -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n");
    printf("        *) [ \"${COMP_WORDS[1]}\" = completion ] && COMPREPLY=($(compgen -W bash -- \"$word\")) ;;\n");
    printf("    esac\n}\ncomplete -o default -F _nacre nacre\n");
}

static nc_exit complete(const nc_words *arguments, void *ctx)
{
    (void)ctx;
    if (strcmp(arguments->items[0], "bash") != 0)
        return nc_complain_usage("completion knows bash, not '%s'", arguments->items[0]);
    print_bash();
    return NC_EXIT_DONE;
}

static int completion(const nc_command *command, int argc, char **argv)
{
    return nc_command_work(command, argc, argv, NULL, complete);
}
