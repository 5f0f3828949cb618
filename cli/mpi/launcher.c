// nacre-mpi LIST COMMAND...: runs `COMMAND... LINE` for every line of a file, on the ranks of an MPI job. A rank takes
// the next line as soon as it has ended one (a counter that all of them can reach), so long and short runs mix. What
// becomes of a command is for others to see: by the files it leaves. For `nacre study --on mpi`.
#define _GNU_SOURCE // prctl
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#define PAUSE_NS  (5 * 1000 * 1000) // [ns] between two looks at a process, and at requests of other ranks
#define LINE_SIZE 64                // [bytes]

// Ranks that wait do not spin: others of this machine compute.
static void wait_a_little(void)
{
    const struct timespec pause = {0, PAUSE_NS};
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE); // lets requests through
    nanosleep(&pause, NULL);
}

static void run_command(char **command)
{
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
        setenv("NACRE_RANKS", "off", 1); // each command is a run of its own
        if (getppid() == parent)
            execvp(command[0], command);
        _exit(127);
    }
    while (child > 0 && waitpid(child, NULL, WNOHANG) == 0)
        wait_a_little();
}

// All lines, one after the other; NULL when the file cannot be read.
static char *read_lines(const char *path, long *count)
{
    FILE *file = fopen(path, "r");
    char line[LINE_SIZE], *lines = NULL;
    *count = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *grown = realloc(lines, (size_t)(*count + 1) * LINE_SIZE);
        if (grown == NULL) {
            free(lines);
            lines = NULL;
            break;
        }
        lines = grown;
        line[strcspn(line, "\n")] = '\0';
        snprintf(lines + *count * LINE_SIZE, LINE_SIZE, "%s", line);
        ++*count;
    }
    if (file != NULL)
        fclose(file);
    return lines;
}

static long take_next(MPI_Win counter)
{
    const long one = 1;
    long next = 0;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, counter);
    MPI_Fetch_and_op(&one, &next, MPI_LONG, 0, 0, MPI_SUM, counter);
    MPI_Win_unlock(0, counter);
    return next;
}

static void work(char **command, int last, char *lines, long count)
{
    MPI_Win counter;
    long *value;
    int rank, done = 0;
    MPI_Request all;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(rank == 0 ? sizeof *value : 0, sizeof *value, MPI_INFO_NULL, MPI_COMM_WORLD, (void *)&value,
                     &counter);
    if (rank == 0)
        *value = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (long i = take_next(counter); i < count; i = take_next(counter)) {
        command[last] = lines + i * LINE_SIZE;
        run_command(command);
    }
    MPI_Ibarrier(MPI_COMM_WORLD, &all);
    for (MPI_Test(&all, &done, MPI_STATUS_IGNORE); !done; MPI_Test(&all, &done, MPI_STATUS_IGNORE))
        wait_a_little();
    MPI_Win_free(&counter);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc < 3) {
        fputs("usage: mpirun -n N nacre-mpi LIST COMMAND...\n", stderr);
        MPI_Finalize();
        return 2;
    }
    long count = 0;
    char *lines = read_lines(argv[1], &count);
    char **command = calloc((size_t)argc + 1, sizeof *command); // of COMMAND, LINE, NULL
    if (lines == NULL || command == NULL) {
        fprintf(stderr, "nacre-mpi: cannot read '%s'\n", argv[1]);
        free(lines);
        free(command);
        MPI_Abort(MPI_COMM_WORLD, 6);
        return 6;
    }
    memcpy(command, argv + 2, (size_t)(argc - 2) * sizeof *command);
    work(command, argc - 2, lines, count);
    free(command);
    free(lines);
    MPI_Finalize();
    return 0;
}
