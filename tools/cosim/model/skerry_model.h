/*
 * What a shared library offers to be checked by `skerry cosim`: a verilated model, or anything else, behind five
 * functions. The models beside this file show how to write one for your own RTL.
 *
 * A step is a row of words in and a row of words out, the rows of the Java model that the description names; they are
 * drawn in c/skerry.h. Hardware that does not answer within a bound of clocks should give an answer that cannot be right
 * rather than wait. The sublist of a PIEO's dequeue by id is filled in from the Java model, so it never has to be found.
 */
#ifndef SKERRY_MODEL_H
#define SKERRY_MODEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SKERRY_MODEL_VERSION 1

/* SKERRY_MODEL_VERSION as the library was built with. */
int32_t skerry_model_version(void);

/* Which Java model is its equal, as skerry_open takes it: "pieo capacity=16 idBits=4". */
const char *skerry_model_describe(void);

/* An instance after reset, or NULL. */
void *skerry_model_create(void);

/* One step of an instance. */
void skerry_model_step(void *model, const int64_t *in, int64_t *out);

/* Frees an instance. */
void skerry_model_destroy(void *model);

#ifdef __cplusplus
}
#endif

#endif
