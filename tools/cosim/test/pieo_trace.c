/*
 * Replays traces of the PIEO hardware through the C library, in batches: pieo_trace FILE... Lines are those of `skerry
 * pieo`, `E id rank send_time valid`, `D now 1 id rank send_time` or `D now 0`, `F id 1 id rank send_time` or `F id 0`.
 */
#include "skerry.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_LINES 20000

static int64_t in[MAX_LINES][5], out[MAX_LINES][8];
static long want[MAX_LINES][4];

static int fail(const char *file, int line, const char *why)
{
    fprintf(stderr, "pieo_trace: %s:%d: %s\n", file, line, why);
    return 1;
}

/* Parses a line into a row and the expected answer: code, and for a dequeue id, rank and send time. */
static int parse(const char *text, int64_t row[5], long answer[4])
{
    char kind;
    long a, b, c, d, e;
    int fields = sscanf(text, "%c %ld %ld %ld %ld %ld", &kind, &a, &b, &c, &d, &e);

    if (kind == 'E' && fields == 5) {
        row[0] = SKERRY_PIEO_ENQUEUE, row[1] = a, row[2] = b, row[3] = c, row[4] = SKERRY_PIEO_ANYWHERE;
        answer[0] = d ? SKERRY_PIEO_DONE : SKERRY_PIEO_FULL;
        return 1;
    }
    if ((kind != 'D' && kind != 'F') || fields != (fields > 2 && b ? 6 : 3))
        return 0;
    row[0] = kind == 'D' ? SKERRY_PIEO_DEQUEUE : SKERRY_PIEO_DEQUEUE_F;
    row[1] = kind == 'F' ? a : 0, row[2] = 0, row[3] = kind == 'D' ? a : 0, row[4] = SKERRY_PIEO_ANYWHERE;
    answer[0] = b ? SKERRY_PIEO_DONE : kind == 'D' ? SKERRY_PIEO_NOTHING : SKERRY_PIEO_ABSENT;
    answer[1] = c, answer[2] = d, answer[3] = e;
    return 1;
}

static int replay(const char *file)
{
    FILE *trace = fopen(file, "r");
    skerry_model *pieo = skerry_open("pieo capacity=64");
    char text[128];
    int lines = 0, i, f;

    if (trace == NULL)
        return fail(file, 0, "cannot be read");
    if (pieo == NULL)
        return fail(file, 0, skerry_error());
    for (; lines < MAX_LINES && fgets(text, sizeof text, trace) != NULL; lines++)
        if (!parse(text, in[lines], want[lines]))
            return fail(file, lines + 1, "is not an operation");
    fclose(trace);
    if (lines == 0 || skerry_steps(pieo, lines, in[0], out[0]) != SKERRY_OK)
        return fail(file, 0, lines == 0 ? "is empty" : skerry_error());
    for (i = 0; i < lines; i++)
        for (f = 0; f < (in[i][0] != SKERRY_PIEO_ENQUEUE && want[i][0] == SKERRY_PIEO_DONE ? 4 : 1); f++)
            if (out[i][f] != want[i][f])
                return fail(file, i + 1, "differs");
    printf("%s: %d operations, all equal\n", file, lines);
    return skerry_close(pieo) == SKERRY_OK ? 0 : fail(file, 0, skerry_error());
}

int main(int count, char **files)
{
    int i;

    if (count < 2)
        return fail("usage", 0, "pieo_trace FILE...");
    for (i = 1; i < count; i++)
        if (replay(files[i]) != 0)
            return 1;
    return 0;
}
