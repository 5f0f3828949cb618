// What the peer programs share: the task they are given, and the talk with `nacre bench`.
//
// A peer is started with the name of a task file, prints "ready" and a line about itself, and then answers each line it
// reads (the name of a job) with one line: the seconds of processor time the job took over all cases, and a number that
// says what came out. Meshes and poses are hexadecimal floats, so both sides see the same bits.
#ifndef NACRE_BENCH_PEERS_TASK_HPP
#define NACRE_BENCH_PEERS_TASK_HPP

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

struct Pose {
    double x[3]; // [m]
    double q[4]; // w, x, y, z
};

struct Case {
    Pose start_a, end_a, start_b, end_b;
};

struct Task {
    double proximity = 0; // [m] below this features are near
    std::vector<std::array<double, 3>> vertices;
    std::vector<std::array<int, 3>> triangles;
    std::vector<Case> cases;
};

inline double read_number(std::FILE *file)
{
    char word[64];
    if (std::fscanf(file, "%63s", word) != 1) {
        std::fprintf(stderr, "the task file ends too early\n");
        std::exit(1);
    }
    return std::strtod(word, nullptr);
}

inline Pose read_pose(std::FILE *file)
{
    Pose pose;
    for (double &x : pose.x)
        x = read_number(file);
    for (double &q : pose.q)
        q = read_number(file);
    return pose;
}

inline Task read_task(const char *path)
{
    Task task;
    std::FILE *file = std::fopen(path, "r");
    if (file == nullptr) {
        std::perror(path);
        std::exit(1);
    }
    task.proximity = read_number(file);
    task.vertices.resize((size_t)read_number(file));
    task.triangles.resize((size_t)read_number(file));
    task.cases.resize((size_t)read_number(file));
    for (auto &v : task.vertices)
        for (double &x : v)
            x = read_number(file);
    for (auto &t : task.triangles)
        for (int &i : t)
            i = (int)read_number(file);
    for (Case &c : task.cases) {
        c.start_a = read_pose(file);
        c.end_a = read_pose(file);
        c.start_b = read_pose(file);
        c.end_b = read_pose(file);
    }
    std::fclose(file);
    return task;
}

inline double cpu_seconds()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Reads names of jobs until the input ends; `work(name, result)` is false for a name it does not know.
template <typename Work> int serve(const char *about, Work work)
{
    char line[128];
    std::printf("ready %s\n", about);
    std::fflush(stdout);
    while (std::fgets(line, sizeof line, stdin) != nullptr) {
        double result = 0;
        line[std::strcspn(line, "\n")] = '\0';
        const double start = cpu_seconds();
        if (!work(line, result))
            return 1;
        std::printf("%.9g %.17g\n", cpu_seconds() - start, result);
        std::fflush(stdout);
    }
    return 0;
}

#endif
