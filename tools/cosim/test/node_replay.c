/*
 * Replays one node of a recorded run through the C library: node_replay "DESCRIPTION" CHANNELS FILE. The file comes
 * from `skerry trace --node K --signals 'rx*,tx*' --format hex`: one line per slot, with the three received words of
 * each channel and then the three sent words, 16 digits each; Shoal nodes with faults have ten words per channel. The
 * node receives the former and must send the latter.
 */
#include "skerry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS 16
#define NO_SLOT (-1l)

static int fail(const char *where, long slot, const char *why)
{
    if (slot == NO_SLOT)
        fprintf(stderr, "node_replay: %s: %s\n", where, why);
    else
        fprintf(stderr, "node_replay: %s: slot %ld: %s\n", where, slot, why);
    return 1;
}

/* Parses the words of a line. Returns 0 if their number is wrong. */
static int parse(const char *text, int words, int64_t *into)
{
    char digits[DIGITS + 1] = {0}, *end;
    int i;

    if (strcspn(text, "\r\n") != (size_t)words * DIGITS)
        return 0;
    for (i = 0; i < words; i++) {
        memcpy(digits, text + (size_t)i * DIGITS, DIGITS);
        into[i] = (int64_t)strtoull(digits, &end, 16);
        if (*end != '\0')
            return 0;
    }
    return 1;
}

static int replay(const char *description, int channels, const char *file)
{
    skerry_model *node = skerry_open(description);
    int inputs = skerry_inputs(node), words = inputs - 1, of_channel = words / channels;
    int line_bytes = 2 * words * DIGITS + 3;
    FILE *trace = fopen(file, "r");
    char *text = NULL;
    int64_t *line = NULL, *in = NULL, *want = NULL, *out;
    long slots = 0, room = 0, slot, cells = 0, feedback = 0;
    int i;

    if (node == NULL)
        return fail(description, NO_SLOT, skerry_error());
    if (words % channels != 0 || skerry_outputs(node) != words)
        return fail(description, NO_SLOT, "has other rows");
    text = malloc(line_bytes);
    line = malloc(2 * words * sizeof *line);
    if (trace == NULL)
        return fail(file, NO_SLOT, "cannot be read");
    while (fgets(text, line_bytes, trace) != NULL) {
        if (text[0] == '/')
            continue;
        if (slots == room) {
            room = 2 * room + 1024;
            in = realloc(in, (size_t)room * inputs * sizeof *in);
            want = realloc(want, (size_t)room * words * sizeof *want);
        }
        if (!parse(text, 2 * words, line))
            return fail(file, slots, "is no vector of rx and tx");
        in[slots * inputs] = slots;
        memcpy(in + slots * inputs + 1, line, words * sizeof *line);
        memcpy(want + slots * words, line + words, words * sizeof *line);
        slots++;
    }
    fclose(trace);
    out = calloc(slots + 1, words * sizeof *out);
    if (slots == 0 || skerry_steps(node, slots, in, out) != SKERRY_OK)
        return fail(file, NO_SLOT, slots == 0 ? "is empty" : skerry_error());
    for (slot = 0; slot < slots; slot++)
        for (i = 0; i < words; i++) {
            if (out[slot * words + i] != want[slot * words + i])
                return fail(file, slot, "the node sends something else");
            cells += i % of_channel == 0 && want[slot * words + i] != SKERRY_NO_CELL;
            feedback += i % of_channel == 2 && want[slot * words + i] != SKERRY_NO_FEEDBACK;
        }
    free(text), free(line), free(in), free(want), free(out);
    printf("%s: %ld slots, %ld cells and %ld feedback words sent, all equal\n", file, slots, cells, feedback);
    return skerry_close(node) == SKERRY_OK ? 0 : fail(file, NO_SLOT, skerry_error());
}

int main(int count, char **words)
{
    if (count != 4 || atoi(words[2]) < 1)
        return fail("usage", NO_SLOT, "node_replay DESCRIPTION CHANNELS FILE");
    return replay(words[1], atoi(words[2]), words[3]);
}
