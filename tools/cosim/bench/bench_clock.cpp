// Clocks in seconds for benches that print a rate: wall time, and CPU time of the whole process.
#include <ctime>

static double seconds(clockid_t clock)
{
    timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + now.tv_nsec * 1e-9;
}

extern "C" double bench_seconds(void)
{
    return seconds(CLOCK_MONOTONIC);
}

extern "C" double bench_processor_seconds(void)
{
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}
