/*
 * A model for `skerry cosim` that wraps another one and fails. MODEL is the library of the other one, FAULT is
 * KIND@STEP, with steps counted from reset. Kinds: differ, abort, crash, exit and loop; second aborts when a second
 * instance is created.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model/skerry_model.h"

typedef struct {
    void *model;
    long step;
} faulty;

static void *function(const char *name) {
    static void *library;
    if (!library) library = dlopen(getenv("MODEL"), RTLD_NOW);
    return dlsym(library, name);
}

int32_t skerry_model_version(void) { return SKERRY_MODEL_VERSION; }

const char *skerry_model_describe(void) { return ((const char *(*)(void))function("skerry_model_describe"))(); }

void *skerry_model_create(void) {
    static int instances;
    if (instances++ == 1 && !strncmp(getenv("FAULT"), "second", 6)) abort();
    faulty *made = calloc(1, sizeof *made);
    made->model = ((void *(*)(void))function("skerry_model_create"))();
    return made;
}

void skerry_model_step(void *given, const int64_t *in, int64_t *out) {
    static void (*step)(void *, const int64_t *, int64_t *);
    if (!step) step = function("skerry_model_step");
    faulty *model = given;
    step(model->model, in, out);
    const char *at = strchr(getenv("FAULT"), '@');
    if (model->step++ != atol(at + 1)) return;
    printf("%%Error: planted %s\n", getenv("FAULT"));
    fflush(stdout);
    switch (getenv("FAULT")[0]) {
        case 'd': out[0] ^= 1; break;
        case 'a': abort();
        case 'c': *(volatile char *)(uintptr_t)model->step = 0; break;
        case 'e': exit(3);
        case 'l': for (volatile int turn = 0;; turn++) {}
    }
}

void skerry_model_destroy(void *given) {
    faulty *model = given;
    ((void (*)(void *))function("skerry_model_destroy"))(model->model);
    free(model);
}
