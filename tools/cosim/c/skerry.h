/*
 * The Java models of Skerry for C, C++ and, through DPI-C, SystemVerilog.
 *
 * A model is opened by a line of text and stepped by rows of 64-bit words:
 *
 *   skerry_model *pieo = skerry_open("pieo capacity=64");
 *   int64_t in[5] = {SKERRY_PIEO_ENQUEUE, 7, 100, 0, SKERRY_PIEO_ANYWHERE}, out[8];
 *   if (skerry_step(pieo, in, out) != SKERRY_OK)
 *     fprintf(stderr, "%s\n", skerry_error());
 *   skerry_close(pieo);
 *
 * The library starts a Java machine inside the process at the first skerry_open (or at skerry_start, which can say where
 * the classes are) and keeps it until the process ends. Any thread may call, it is attached by itself and detached when
 * it ends; one thread at a time for the same model. There may be as many models as memory holds. Nothing Java throws
 * comes out of here: a function that fails returns a code below 0, or NULL, and skerry_error() says why.
 *
 * Models and their rows (all numbers are int64_t):
 *
 *   "pieo capacity=64 idBits=6 rankBits=16 timeBits=16"                      widths may be left out
 *     in   requests | id | rank | time | sublist
 *     out  code | id | rank | time | enqueued in | moved id | moved to | clocks
 *     time is the send time of an enqueue and the current time of a dequeue; a port that carries nothing is all ones of
 *     its width, as in the hardware
 *
 *   "switch ports=4 rows=1,2,3,0/2,3,-1,1"            a row for each slot of the epoch: the input of each output, -1 dark
 *     in   start | after | cell 0 | how 0 | cell 1 | how 1 | ...
 *     out  cell 0 | cell 1 | ... | running | received | forwarded | dropped unselected | dropped second | wrong stamp
 *          | dark by table | dark without input | signals ignored
 *     a step is a slot; start 1 agrees on the slot `after` slots from this one on; a cell is 0 to 2^31 - 1 or
 *     -1 for none; how: 0 once, 1 with the stamp of the slot before, 2 twice
 *
 *   "shoal nodes=1024 classes=1"
 *     in   op | destination | source | class | sequence | feedback | flags | 8 words of the cell
 *     out  fault | destination | source | class | sequence | feedback | flags | 8 words of the cell
 *
 *   "shale layout=L12 nodes=32768 phases=4 failures=0"                       layout L12, L12F or L16
 *     in   op | source | destination | sprays | sequence | token 1 | token 2 | 2 words of the header
 *     out  fault | source | destination | sprays | sequence | token 1 | token 2 | 2 words of the header
 *     op: SKERRY_ENCODE fields to cell, SKERRY_DECODE cell to fault (0: valid) and fields, SKERRY_RELAY cell of this hop
 *     to that of the next; the first byte of a cell is the most significant of its first word; fields and words that an
 *     op does not give are 0
 *
 *   "shale-node node=5 nodes=16 h=2 firstHopTokens=4 propagation=89 workload=permutation seed=1 probes=queue0_length"
 *   "shoal-node node=3 nodes=8 channels=1 workload=permutation seed=1"
 *     in   slot | route 0 | cell 0 | feedback 0 | route 1 | ...                       received, three words a channel
 *     out  route 0 | cell 0 | feedback 0 | route 1 | ... | probes                     sent, three words a channel
 *     one node of a run, which is that of `skerry run` with the same options: --first-hop-tokens is firstHopTokens,
 *     propagation is --propagation-slots, what is left out is as there; the words are those that `skerry trace --node`
 *     writes. Slots come one after another from 0 on. What is received in a slot acts on what is sent in later ones.
 *     probes: signals as `skerry trace` names them, separated by commas, or all; after the slot, none is -1. A row with
 *     words that no node of the fabric sends is refused; SKERRY_FAILED if it breaks a law such as that of tokens, and
 *     the node is only good to be closed then
 */
#ifndef SKERRY_H
#define SKERRY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SKERRY_OK 0
#define SKERRY_NO_JAVA (-1)      /* no Java machine, or not the classes of Skerry */
#define SKERRY_REFUSED (-2)      /* the model does not take this description or this row */
#define SKERRY_FAILED (-3)       /* the model itself failed */
#define SKERRY_NO_MODEL (-4)     /* NULL, or not a model any more */

#define SKERRY_PIEO_ENQUEUE 1    /* requests: of several the first counts */
#define SKERRY_PIEO_DEQUEUE 2
#define SKERRY_PIEO_DEQUEUE_F 4
#define SKERRY_PIEO_ANYWHERE (-1) /* sublist: have the model look for the id */

#define SKERRY_PIEO_DONE 1       /* code of an operation */
#define SKERRY_PIEO_NOTHING 0    /* no element is eligible */
#define SKERRY_PIEO_FULL (-1)
#define SKERRY_PIEO_BAD_ID (-2)
#define SKERRY_PIEO_BAD_RANK (-3)
#define SKERRY_PIEO_BAD_TIME (-4)
#define SKERRY_PIEO_ABSENT (-5)

#define SKERRY_NO_CELL (-1)      /* route of a node */
#define SKERRY_NO_FEEDBACK (-1)

#define SKERRY_ENCODE 0
#define SKERRY_DECODE 1
#define SKERRY_RELAY 2

typedef struct skerry_model skerry_model;

/*
 * Starts the Java machine, unless that has been done. class_path: skerry.jar, by which the other jars are found; NULL
 * takes the environment's SKERRY_JAR. options: further options for the machine, separated by blanks, or NULL; those of
 * SKERRY_JAVA_OPTIONS come after them.
 */
int skerry_start(const char *class_path, const char *options);

/* A model in its initial state, or NULL. */
skerry_model *skerry_open(const char *description);

/* Frees a model. NULL is let pass. */
int skerry_close(skerry_model *model);

/* Words of its rows, or a code below 0. */
int skerry_inputs(const skerry_model *model);
int skerry_outputs(const skerry_model *model);

/* One step. After a code below 0 `out` is undefined; after SKERRY_REFUSED the model is as before. */
int skerry_step(skerry_model *model, const int64_t *in, int64_t *out);

/*
 * Many steps, which cost less each: `count` rows one behind the other in `in` and in `out`. After SKERRY_REFUSED the rows
 * before the refused one have been made.
 */
int skerry_steps(skerry_model *model, int64_t count, const int64_t *in, int64_t *out);

/*
 * A PIEO's operations, for who does not care for rows: the code of the operation (SKERRY_PIEO_...), ports in `out`, eight
 * words as above, or NULL. What is wrong with the call itself ends in a code of SKERRY_... less SKERRY_CALL.
 */
#define SKERRY_CALL 1000
int skerry_pieo_enqueue(skerry_model *pieo, int64_t id, int64_t rank, int64_t send_time, int64_t *out);
int skerry_pieo_dequeue(skerry_model *pieo, int64_t now, int64_t *out);
int skerry_pieo_dequeue_f(skerry_model *pieo, int64_t id, int64_t *out);

/* Why the last call of this thread failed, one line; "" if none has. Valid until this thread's next call. */
const char *skerry_error(void);

#ifdef __cplusplus
}
#endif

#endif
