/*
 * The Java models of Skerry for C, C++ and, through DPI-C, SystemVerilog.
 *
 * A line of text opens a model, and each step takes and returns a row of 64-bit words:
 *
 *   skerry_model *pieo = skerry_open("pieo capacity=64");
 *   int64_t in[5] = {SKERRY_PIEO_ENQUEUE, 7, 100, 0, SKERRY_PIEO_ANYWHERE}, out[8];
 *   if (skerry_step(pieo, in, out) != SKERRY_OK)
 *     fprintf(stderr, "%s\n", skerry_error());
 *   skerry_close(pieo);
 *
 * The first skerry_open starts a JVM inside the process, which stays until the process ends; skerry_start does so
 * earlier and can set the class path. Any thread may call, one at a time per model. The library attaches threads to the
 * JVM and detaches them when they end. Memory alone limits the number of models. No Java exception leaves the library:
 * a function that fails returns a code below 0, or NULL, and skerry_error() says why.
 *
 * Models and their rows (all numbers are int64_t):
 *
 *   "pieo capacity=64 idBits=6 rankBits=16 timeBits=16"                      widths are optional
 *     in   requests | id | rank | time | sublist
 *     out  code | id | rank | time | enqueued in | moved id | moved to | clocks
 *     time is the send time of an enqueue and the current time of a dequeue; a port without a value is all ones of its
 *     width, as in the hardware. ties=lifo: of equal ranks the element that came last leaves first; default fifo
 *
 *   "switch ports=4 rows=1,2,3,0/2,3,-1,1"            one row per slot of the epoch: the input of each output, -1 dark
 *     in   start | after | cell 0 | how 0 | cell 1 | how 1 | ...
 *     out  cell 0 | cell 1 | ... | running | received | forwarded | dropped unselected | dropped second | wrong stamp
 *          | dark by table | dark without input | signals ignored
 *     a step is a slot; start 1 agrees on the slot `after` slots later; a cell is 0 to 2^31 - 1, or -1 for none; how: 0
 *     once, 1 with the stamp of the slot before, 2 twice
 *
 *   "shoal nodes=1024 classes=1"
 *     in   op | destination | source | class | sequence | feedback | flags | 8 words of the cell
 *     out  fault | destination | source | class | sequence | feedback | flags | 8 words of the cell
 *
 *   "shale layout=L12 nodes=32768 phases=4 failures=0"                       layout L12, L12F or L16
 *     in   op | source | destination | sprays | sequence | token 1 | token 2 | 2 words of the header
 *     out  fault | source | destination | sprays | sequence | token 1 | token 2 | 2 words of the header
 *     op: SKERRY_ENCODE fields to cell, SKERRY_DECODE cell to fault (0: valid) and fields, SKERRY_RELAY cell of this
 *     hop to cell of the next hop; the first byte of a cell is the most significant of its first word; an op sets words
 *     that it does not produce to 0
 *
 *   "shale-node node=5 nodes=16 h=2 firstHopTokens=4 propagation=89 workload=permutation seed=1 probes=queue0_length"
 *   "shoal-node node=3 nodes=8 channels=1 workload=permutation seed=1"
 *     in   slot | route 0 | cell 0 | feedback 0 | route 1 | ...                       received, three words per channel
 *     out  route 0 | cell 0 | feedback 0 | route 1 | ... | probes                     sent, three words per channel
 *     one node of the run of `skerry run` with the same options and defaults: firstHopTokens is --first-hop-tokens,
 *     propagation is --propagation-slots. Bits of all words: docs/words.md. The slot ascends by 1 from
 *     0. Words received in a slot affect the words sent in later slots. probes: signals with their names in `skerry
 *     trace`, separated by commas, or all; read after the slot, -1 for none; of a Shale node also, by name only,
 *     queue3_outstanding_d5n1, queue3_tokens_d5n1, queue3_owed_d5n1 and queue3_cells_d5n1 (tokens of bucket (5, 1) that
 *     are away, left and owed on the link of queue 3, and cells that will be in it), queue3_owed_0 to _7 and
 *     queue3_cell_0 to _7 (the token and the cell that come first, next, ...). A row with words that no node of the
 *     fabric sends is refused. A row that breaks an invariant, such as that of tokens, gives SKERRY_FAILED; the node
 *     can then only be closed
 *     faults=FILE, a script as of `skerry run --faults`, or failures=1 without one: the node guards against failures.
 *     It learns of them by what does not come and by what neighbours tell, and tells them itself; it stops and starts
 *     as the script says, or register `down`. Its words are what leaves it; the bench makes SKERRY_NOTHING of what is
 *     lost on the way. Route SKERRY_MESSAGE is then a message between nodes: with Shale a probe, in the cell word; with
 *     Shoal seven words more per channel, message 0 to 6, hold it, first byte most significant, and are 0 without one.
 *     SKERRY_DAMAGED, of Shoal: a cell that came damaged; its feedback may be wrong. A damaged cell of Shale is
 *     SKERRY_NOTHING
 *     classBytes=10000 and interleave=4:1/3,2:2/3 with cutoffBytes are traffic classes, as in `skerry run`
 *     pairs=0>1,1>2 are flows without end in place of a workload; offers=K leaves room for K flows of skerry_offer
 *     order=receive-first: what arrives in a slot can change what the device sends in the same slot
 *     tokenDelay=K: a token that came back in slot s counts from slot s + 1 + K on; cellDelay=K: a cell that arrived in
 *     slot s joins its queue in slot s + K; owedLatency=K: the token that a cell owes rides K slots after the cell at
 *     the earliest; scanDepth=K: only the first K cells of a queue are looked at (docs/device-latencies.md)
 *     start=S: the first slot of the node, not with faults
 *     tokensASlot=1: one token rides in a slot, not two; owedFifo=K, queueCells=K: room for the tokens and cells that
 *     wait for a link, what comes beyond is lost; with full=stall a cell waits whose token has no room;
 *     registerBits=K: counters among the probes wrap; of Shale, as are pieoEntries and activeBuckets, which stall
 *     (`skerry run --help`)
 *
 *   "shale-follower node=5 nodes=16 h=2 propagation=89 workload=permutation mayBeSilent=0 limit=20"
 *     in   slot | received route, cell, feedback | sent route, cell, feedback | joined
 *     out  findings so far | of this slot | law | link | destination | sprays | cells held | cells open
 *     follows a device: takes over its legal choices, finds the others, and goes on. joined: the link whose queue the
 *     arriving cell joins, -1 if no probe tells. what is late and has room as of a node;
 *     what has no room is a finding, or with full=drop lost by the device; order=free: cells that wait for one link
 *     leave in any order; mayBeSilent=1, silence=K, saturated=K: docs/device-latencies.md. payload=1: two words more
 *     per channel, the payload received and sent. skerry_set() of cells_held, queue3_length, queue3_tokens_d5n1 or
 *     queue3_outstanding_d5n1 after a step compares a register of the device. law of the first
 *     finding of the slot: 0 schedule, 1 route, 2 token, 3 order, 4 capacity, 5 conservation, 6 payload, -1 none; with
 *     its link and bucket. skerry_findings() is the text.
 *     faults=FILE or failures=1: a device that guards against failures, as of a node; then joined is -1, the order of
 *     the cells of others is not judged, and register "down" tells that the device stops or starts again
 *
 *   "shoal-follower node=3 nodes=8 channels=1 workload=permutation mayBeSilent=0 limit=20"
 *     in   slot | received route, cell, feedback per channel | sent, three words per channel | joined, -1
 *     out  as of a shale-follower; destination, sprays -1, cells open 0; a link is the node that many further on, less 1
 *
 *   "stardust-device device=5 nodes=6 topology=single messages=64 probes=link0_cells,voq_d3q0_bytes"
 *     in   slot | first 0 | second 0 | flags 0 | low 0 | high 0 | first 1 | ... | messages | message 0 | message 1 | ...
 *     out         first 0 | second 0 | flags 0 | low 0 | high 0 | first 1 | ... | messages | message 0 | ... | probes
 *     an adapter (numbered first) or an element of the run of `skerry run --fabric stardust` with the same options, five
 *     words for each of its links. first, second: the cell, first 0 for none. flags: SKERRY_PAUSE, the sender takes
 *     nothing by the link; SKERRY_REPORT, a reachability message with the adapters low and high, and SKERRY_FAULTY, its
 *     sender takes the link for faulty. messages: how many requests and credits follow, of adapters; messages=K is the
 *     room for them in a row. Bits of all words: docs/words.md. What a device sends in slot s
 *     comes in slot s + propagation; a message of adapter 3 comes message_slots_d3 slots later, those of one adapter in
 *     the order they were sent. Probes link0_peer_device and link0_peer_link say how a fabric is wired; skerry_names
 *     lists all: queues, credits, the reachability table, pauses, the digest. skerry_copy gives a fresh device the whole
 *     state of another one. Hosts that speak TCP and packets of ports are none of a device
 *
 *   "header file=shale-prototype payload=0"           a header that a text describes (docs/rtl.md), or one that is built in
 *     in   header_op | words of the header | a word for each field | words of the payload
 *     out  faults | state | words of the header | a word for each field
 *     skerry_header_encode() and the others below step it; skerry_findings() names the faults of the header decoded last
 */
#ifndef SKERRY_H
#define SKERRY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SKERRY_VERSION "0.1.0"   /* of this header; skerry_version() tells that of the library */

#define SKERRY_OK 0
#define SKERRY_NO_JAVA (-1)      /* the JVM or Skerry's classes are missing */
#define SKERRY_REFUSED (-2)      /* invalid description or row */
#define SKERRY_FAILED (-3)       /* the model itself failed */
#define SKERRY_NO_MODEL (-4)     /* NULL or closed */

#define SKERRY_PIEO_ENQUEUE 1    /* requests; the first in this list wins */
#define SKERRY_PIEO_DEQUEUE 2
#define SKERRY_PIEO_DEQUEUE_F 4
#define SKERRY_PIEO_ANYWHERE (-1) /* sublist: the model searches for the id */

#define SKERRY_PIEO_DONE 1       /* code of an operation */
#define SKERRY_PIEO_NOTHING 0    /* no element is eligible */
#define SKERRY_PIEO_FULL (-1)
#define SKERRY_PIEO_BAD_ID (-2)
#define SKERRY_PIEO_BAD_RANK (-3)
#define SKERRY_PIEO_BAD_TIME (-4)
#define SKERRY_PIEO_ABSENT (-5)

#define SKERRY_NO_CELL (-1)      /* route of a node: a dummy */
#define SKERRY_NOTHING (-2)      /* route of a node or follower: neither a cell nor a dummy, no feedback */
#define SKERRY_NOTHING_SENT SKERRY_NOTHING
#define SKERRY_DAMAGED (-3)      /* route of a node of Shoal with faults: a cell that came damaged */
#define SKERRY_MESSAGE (-4)      /* route of a node with faults: a message between nodes */
#define SKERRY_NO_FEEDBACK (-1)

#define SKERRY_PAUSE 1           /* flags of a link of a device of Stardust */
#define SKERRY_REPORT 2
#define SKERRY_FAULTY 4

#define SKERRY_ENCODE 0
#define SKERRY_DECODE 1
#define SKERRY_RELAY 2
#define SKERRY_DESCRIBE 3

#define SKERRY_STATE_CELL 0      /* what a header says of its slot */
#define SKERRY_STATE_DUMMY 1
#define SKERRY_STATE_NOTHING 2

/* A handle, not an address: any use after skerry_close gives SKERRY_NO_MODEL. */
typedef struct skerry_model skerry_model;

/* Version of the library. Programs built for libskerry.so.1 run with every later library of that name. */
const char *skerry_version(void);

/*
 * Starts the JVM unless it runs already. class_path: path of skerry.jar, beside the other jars; NULL takes SKERRY_JAR
 * of the environment. options: options of the JVM, separated by blanks, or NULL; those of SKERRY_JAVA_OPTIONS follow
 * them. The JVM is that of the JDK the library was built with, or else of JAVA_HOME. A start that failed can be tried
 * again if no JVM was made: after a wrong class path, or without a JDK. The JVM leaves SIGINT, SIGTERM, SIGHUP and
 * SIGQUIT alone.
 */
int skerry_start(const char *class_path, const char *options);

/* Creates a model in its initial state. Returns NULL on failure; skerry_error_code() is then the code. */
skerry_model *skerry_open(const char *description);

/* Frees a model. Accepts NULL. A second time it gives SKERRY_NO_MODEL. */
int skerry_close(skerry_model *model);

/* Number of words in an input or output row, or a code below 0. */
int skerry_inputs(const skerry_model *model);
int skerry_outputs(const skerry_model *model);

/*
 * Three lines: names of the words of an input row, of an output row, and of all probes that a description can ask for;
 * by blanks. Names are stable. Valid until the model is closed; NULL if there is no such model.
 */
const char *skerry_names(const skerry_model *model);

/* What a follower has found, one finding a line, the first cause first; "" if nothing. Valid until the next step. */
const char *skerry_findings(const skerry_model *model);

/* Executes one step. After a code below 0 `out` is undefined. SKERRY_REFUSED leaves the model unchanged. */
int skerry_step(skerry_model *model, const int64_t *in, int64_t *out);

/*
 * Executes `count` steps at a lower cost per step; `in` and `out` hold consecutive rows. After SKERRY_REFUSED the rows
 * before the refused one have taken effect.
 */
int skerry_steps(skerry_model *model, int64_t count, const int64_t *in, int64_t *out);

/*
 * Registers of a node of Shale or Shoal, and of a follower of Shale, between steps. Of Shale, where a bucket is
 * destination * 8 + sprays left, a link its position in the epoch, a cell word as in rows:
 *
 *   slot                       of the next step; set in a fresh model, it begins in mid-run: the first register to set
 *   down                       set only, with faults, of Shoal too: 1, the node stops and loses all it holds; 0, it
 *                              starts
 *   flow7_sent                 cells of local flow 7 sent so far
 *   queue3_cells               the queue of link 3, oldest cell first, five words each: cell | bucket after the next
 *                              hop | link back | bucket now | slot its source sent it in (0 if nobody knows)
 *   queue3_owed_tokens         buckets of the tokens owed on link 3, oldest first
 *   queue3_outstanding_d5n1    tokens of bucket (5, 1) that are away; queue3_tokens_d5n1 the ones that are left
 *   queue3_pointer             the local flow at which the search for link 3 begins, -1: the first
 *   phase1_taken               with sprayTies=rotating: the link of phase 1 taken last
 *   turn                       with localOrder=destination: the destination at which the search begins
 *
 * Of a node of Shoal, with one class and without faults; a link is the node that many further on, less 1:
 *
 *   flow7_sent                 cells of local flow 7 that have joined a queue
 *   to5_messages               flows to node 5 with cells to send, the next one first
 *   active                     destinations with cells to send in the order of the search, two words each: node | since
 *                              slot; set after the messages
 *   queue3_cells               the queue of link 3, first cell first, two words each: route | cell
 *   queue3_own                 destination of the node's own cell in it, -1 for none
 *   queue3_ready queue3_turn   flows that were ready in the last turn; place in active at which the next search begins
 *   queue3_free                by destination, the epoch from which an empty queue would do; -1: its report is awaited,
 *                              -2: its cell is in the queue
 *   queue3_joined              links of the queues that the last four cells from the neighbour joined, latest first; -1: none
 *   queue3_sent                by epoch modulo as many as there are words, destination of the own cell sent, -1 for none
 *
 * skerry_get returns the number of words there are, of which it writes the first `most`, or a code below 0.
 * skerry_set replaces them all; SKERRY_REFUSED leaves the register unchanged. Those of a follower cannot be set, and
 * only be read while no cell's link is open. skerry_copy begins a fresh node where another one, or a follower, stands:
 * a model that joins a device in mid-run.
 */
int64_t skerry_get(const skerry_model *model, const char *name, int64_t *words, int64_t most);
int skerry_set(skerry_model *model, const char *name, const int64_t *words, int64_t count);
int skerry_copy(const skerry_model *from, skerry_model *to);

/*
 * The whole state of a model, to go on from it in this or another process, such as beside a checkpoint of a simulator.
 * skerry_save returns the number of bytes, which it writes if `most` has room for them; skerry_restore sets a model with
 * the same description, before its first step and its first skerry_offer, to that state. Both return a code below 0 on
 * failure; after SKERRY_REFUSED close the model. A state fits the version of Skerry that saved it. Followers, nodes with
 * tokenDelay, cellDelay or owedLatency, and nodes with register "down" set have no saved state.
 */
int64_t skerry_save(const skerry_model *model, void *bytes, int64_t most);
int skerry_restore(skerry_model *model, const void *bytes, int64_t count);

/*
 * A flow comes to a node, or to what follows it, that has offers=K: it starts in `slot` or later, which is the next slot
 * or later and not before the start of the flow offered last. cells: SKERRY_ENDLESS for a flow without end. Returns the
 * flow's number, which stands in the upper half of its cell words, or a code below 0. Tell all models of a fabric of
 * all its flows, in one order; then a flow is sent as if it had been known beforehand.
 */
#define SKERRY_ENDLESS 0x7FFFFFFF
int skerry_offer(skerry_model *model, int64_t slot, int source, int destination, int cells);

/*
 * Operations of a PIEO without input rows. They return the code of the operation (SKERRY_PIEO_...). `out` receives the
 * eight words of the output row and may be NULL. An invalid call returns its error code minus SKERRY_CALL.
 */
#define SKERRY_CALL 1000
int skerry_pieo_enqueue(skerry_model *pieo, int64_t id, int64_t rank, int64_t send_time, int64_t *out);
int skerry_pieo_dequeue(skerry_model *pieo, int64_t now, int64_t *out);
int skerry_pieo_dequeue_f(skerry_model *pieo, int64_t id, int64_t *out);

/*
 * Headers of a device, of a model "header file=...". A field is told by its number, in the order of the description;
 * skerry_names() lists them, behind the words of the header.
 *
 * skerry_header_size returns the number of fields; `bytes` and `payload` get the bytes of the header and of the payload
 * that its CRC covers, and may be NULL. skerry_header_field returns the number of a field; `bits` gets its width, and
 * may be NULL. skerry_header_encode writes a header, with its constants and CRC. skerry_header_decode returns the number
 * of faults, a wrong constant or CRC; `state` gets SKERRY_STATE_..., and may be NULL. payload: NULL with payload=0, and
 * then a CRC that covers it is not checked. All return a code below 0 on failure; a value that does not fit its field is
 * refused.
 */
int skerry_header_size(skerry_model *header, int *bytes, int *payload);
int skerry_header_field(skerry_model *header, const char *name, int *bits);
int skerry_header_encode(skerry_model *header, const int64_t *fields, const uint8_t *payload, uint8_t *bytes);
int skerry_header_decode(skerry_model *header, const uint8_t *bytes, const uint8_t *payload, int64_t *fields,
    int *state);

/*
 * Why the last call of this thread failed, one line; "" if it did not. Valid until this thread's next call. A call with a
 * model of NULL keeps the text of the skerry_open that gave NULL.
 */
const char *skerry_error(void);

/* The code below 0 that belongs to skerry_error(), or SKERRY_OK. */
int skerry_error_code(void);

#ifdef __cplusplus
}
#endif

#endif
