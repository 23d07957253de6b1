// Monotonic clock in seconds, for benches that print a rate.
#include <ctime>

extern "C" double bench_seconds(void)
{
    timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + now.tv_nsec * 1e-9;
}
