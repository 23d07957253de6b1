/*
 * A PIEO with a different structure for `skerry cosim --compare code,id,rank,time`: one flat list without sublists.
 * TIES selects the order of ties, fifo or lifo. Sublist outputs are 0.
 */
#include <stdlib.h>
#include <string.h>

#include "../model/skerry_model.h"

enum { CAPACITY = 16, NO_ID = 31, NONE = 0xFFFF };

typedef struct {
    int64_t id[CAPACITY], rank[CAPACITY], time[CAPACITY];
    int held;
} pieo;

static int newest_first(void) { return getenv("TIES") && !strcmp(getenv("TIES"), "lifo"); }

int32_t skerry_model_version(void) { return SKERRY_MODEL_VERSION; }

const char *skerry_model_describe(void) {
    return newest_first() ? "pieo capacity=16 idBits=5 ties=lifo" : "pieo capacity=16 idBits=5";
}

void *skerry_model_create(void) { return calloc(1, sizeof(pieo)); }

static int64_t enqueue(pieo *p, const int64_t *in) {
    if (in[2] == NONE) return -3;
    if (in[3] == NONE) return -4;
    if (p->held == CAPACITY) return -1;
    int at = p->held++;
    for (; at > 0 && p->rank[at - 1] >= in[2] + !newest_first(); at--) {
        p->id[at] = p->id[at - 1];
        p->rank[at] = p->rank[at - 1];
        p->time[at] = p->time[at - 1];
    }
    p->id[at] = in[1];
    p->rank[at] = in[2];
    p->time[at] = in[3];
    return 1;
}

static int64_t dequeue(pieo *p, const int64_t *in, int64_t *out) {
    const int by_time = in[0] >> 1 & 1;
    if (by_time && in[3] == NONE) return -4;
    int at = 0;
    while (at < p->held && (by_time ? p->time[at] > in[3] : p->id[at] != in[1])) at++;
    if (at == p->held) return by_time ? 0 : -5;
    out[1] = p->id[at];
    out[2] = p->rank[at];
    out[3] = p->time[at];
    for (p->held--; at < p->held; at++) {
        p->id[at] = p->id[at + 1];
        p->rank[at] = p->rank[at + 1];
        p->time[at] = p->time[at + 1];
    }
    return 1;
}

void skerry_model_step(void *given, const int64_t *in, int64_t *out) {
    memset(out, 0, 8 * sizeof *out);
    out[1] = NO_ID;
    out[2] = out[3] = NONE;
    out[0] = in[0] & 1 ? enqueue(given, in) : dequeue(given, in, out);
}

void skerry_model_destroy(void *given) { free(given); }
