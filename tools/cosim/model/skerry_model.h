/*
 * Interface of a shared library that `skerry cosim` checks: five functions around a verilated model or any other. The
 * models beside this file are examples for your own RTL.
 *
 * A step takes a row of words and returns one. The rows are those of the Java model in the description; c/skerry.h
 * documents them. If the hardware does not answer within a number of clocks, return an impossible answer instead of
 * waiting. For a PIEO's dequeue by id, the sublist comes from the Java model, so the library need not search for it.
 */
#ifndef SKERRY_MODEL_H
#define SKERRY_MODEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SKERRY_MODEL_VERSION 1

/* SKERRY_MODEL_VERSION at the library's build. */
int32_t skerry_model_version(void);

/* Description of the equivalent Java model, in the form of skerry_open: "pieo capacity=16 idBits=4". */
const char *skerry_model_describe(void);

/* Creates an instance after reset. Returns NULL on failure. */
void *skerry_model_create(void);

/* Executes one step of an instance. */
void skerry_model_step(void *model, const int64_t *in, int64_t *out);

/* Frees an instance. */
void skerry_model_destroy(void *model);

#ifdef __cplusplus
}
#endif

#endif
