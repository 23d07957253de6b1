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
 * The first skerry_open starts a JVM in the process, which runs until the process ends. Call skerry_start to start it
 * earlier or to set the class path. Any thread may call, but only one thread at a time per model. The library attaches
 * threads to the JVM and detaches them when they end. The number of models is limited only by memory. No Java exception
 * leaves the library: a function that fails returns a code below 0, or NULL, and skerry_error() explains the failure.
 *
 * Models and their rows follow. All numbers are int64_t. docs/words.md lists the bits of words on links, and
 * docs/device-latencies.md explains the settings for latencies and limits.
 *
 *   "pieo capacity=64 idBits=6 rankBits=16 timeBits=16"                      widths are optional
 *     in   requests | id | rank | time | sublist
 *     out  code | id | rank | time | enqueued in | moved id | moved to | clocks
 *     time: the send time of an enqueue, the current time of a dequeue. An output without a value is all ones in its
 *     width, as in the hardware.
 *     ties: fifo (default) or lifo; whether the oldest or the newest of several elements of equal rank leaves first
 *
 *   "switch ports=4 rows=1,2,3,0/2,3,-1,1"            one row per slot of the epoch: the input of each output, -1 dark
 *     in   start | after | cell 0 | how 0 | cell 1 | how 1 | ...
 *     out  cell 0 | cell 1 | ... | running | received | forwarded | dropped unselected | dropped second | wrong stamp
 *          | dark by table | dark without input | signals ignored
 *     One step is one slot.
 *     start: 1 if the bootstrap signal arrives before this slot; it names the slot `after` slots later
 *     cell:  0 to 2^31 - 1, or -1 for none
 *     how:   0: the cell arrives once, 1: with the stamp of the previous slot, 2: twice
 *
 *   "shoal nodes=1024 classes=1"                                             codec
 *     in   op | destination | source | class | sequence | feedback | flags | 8 words of the cell
 *     out  fault | destination | source | class | sequence | feedback | flags | 8 words of the cell
 *
 *   "shale layout=L12 nodes=32768 phases=4 failures=0"                       codec, layout L12, L12F or L16
 *     in   op | source | destination | sprays | sequence | token 1 | token 2 | 2 words of the header
 *     out  fault | source | destination | sprays | sequence | token 1 | token 2 | 2 words of the header
 *     op: SKERRY_ENCODE  converts fields to a cell
 *         SKERRY_DECODE  converts a cell to a fault (0: valid) and fields
 *         SKERRY_RELAY   converts the cell of this hop to the cell of the next hop
 *     Unused output words are 0. The first byte of a cell is the most significant byte of its first word.
 *
 *   "shale-node node=5 nodes=16 h=2 firstHopTokens=4 propagation=89 workload=permutation seed=1 probes=queue0_length"
 *   "shoal-node node=3 nodes=8 channels=1 workload=permutation seed=1"
 *     in   slot | route 0 | cell 0 | feedback 0 | route 1 | ...                       received, three words per channel
 *     out  route 0 | cell 0 | feedback 0 | route 1 | ... | probes                     sent, three words per channel
 *     One node of the fabric that `skerry run` simulates with the same options and defaults: firstHopTokens is
 *     --first-hop-tokens, propagation is --propagation-slots. Slots ascend by 1 from 0. Words received in a slot affect
 *     the words sent in later slots. A row that no node of the fabric can send is refused. If a row breaks an
 *     invariant, for example that of tokens, the step returns SKERRY_FAILED, and the model can only be closed.
 *
 *     Flows and schedule:
 *     pairs=0>1,1>2        endless flows instead of a workload
 *     offers=K             room for K flows of skerry_offer
 *     start=S              first slot of the node; not with faults
 *     classBytes=10000     traffic classes, as in `skerry run`
 *     interleave=4:1/3,2:2/3 with cutoffBytes     interleaved schedules, as in `skerry run`
 *     coverage=1           counts the laws and choices that the node exercises (skerry_coverage)
 *
 *     Probes: probes=all, or signal names of `skerry trace` separated by commas. They are read after the slot; -1 means
 *     that there is no value. Shale nodes have more probes, which `all` does not include. For link 3 and bucket (5, 1):
 *     queue3_outstanding_d5n1, queue3_tokens_d5n1, queue3_owed_d5n1     tokens outstanding, left and owed
 *     queue3_cells_d5n1                                queued cells that will be in the bucket at the next node
 *     queue3_owed_0 to _7, queue3_cell_0 to _7         the tokens and cells that are first, second, ... in the queue
 *
 *     Failures: faults=FILE is a script as for `skerry run --faults`; failures=1 handles failures without a script. The
 *     node detects failures from missing cells and from messages of its neighbours, and sends messages itself. It stops
 *     and starts as the script or the register `down` says. The output is what leaves the node; for cells that are lost
 *     on the way, the bench passes SKERRY_NOTHING to the receiver. Route SKERRY_MESSAGE is a message between nodes. For
 *     Shale, the cell word holds it, a probe. For Shoal, seven more words per channel hold it, message 0 to 6, the first
 *     byte most significant; they are 0 if there is no message. A damaged cell is SKERRY_NOTHING for Shale. For Shoal it
 *     is SKERRY_DAMAGED, and its feedback may be wrong.
 *
 *     Latencies and limits of the device (docs/device-latencies.md):
 *     order=receive-first  what arrives in a slot can change what the node sends in the same slot
 *     tokenDelay=K         a token that returns in slot s counts from slot s + 1 + K
 *     cellDelay=K          a cell that arrives in slot s joins its queue in slot s + K
 *     owedLatency=K        the token that a cell owes is sent K slots after the cell at the earliest
 *     scanDepth=K          only the first K cells of a queue are considered
 *     tokensASlot=1        at most one token is sent per slot, not two
 *     owedFifo=K, queueCells=K     room for tokens and cells that wait for a link; what exceeds it is lost
 *     full=stall           with owedFifo: a cell waits while the token that it owes has no room
 *     registerBits=K       counters among the probes wrap; only Shale
 *     pieoEntries=K, activeBuckets=K     as in `skerry run`; a node stalls if they are used up; only Shale
 *
 *   "shale-follower node=5 nodes=16 h=2 propagation=89 workload=permutation mayBeSilent=0 limit=20"
 *     in   slot | received route, cell, feedback | sent route, cell, feedback | joined
 *     out  findings so far | of this slot | law | link | destination | sprays | cells held | cells open
 *     Follows a device: accepts its legal choices, reports illegal behaviour as findings, and continues from what the
 *     device did. skerry_findings() returns the findings as text.
 *     joined: the link whose queue the arriving cell joins, -1 if unknown
 *     law:    of the first finding of the slot: 0 schedule, 1 route, 2 token, 3 order, 4 capacity, 5 conservation,
 *             6 payload, -1 no finding; link, destination and sprays (the bucket) are those of the same finding
 *     Latencies and limits are set as for a node, but what exceeds the room is a finding, unless full=drop says that the
 *     device loses it. order=free: the cells of a link may leave in any order. mayBeSilent=1, silence=K, saturated=K:
 *     docs/device-latencies.md. payload=1: two more words per channel, the payload received and the payload sent.
 *     skerry_set() of cells_held, queue3_length, queue3_tokens_d5n1 or queue3_outstanding_d5n1 after a step does not set
 *     the register, but compares it with the given value of the device; a difference is a finding.
 *     faults=FILE or failures=1: for a device that handles failures. joined is then -1, the order of forwarded cells is
 *     not checked, and setting the register "down" reports that the device stops or starts again.
 *
 *   "shoal-follower node=3 nodes=8 channels=1 workload=permutation mayBeSilent=0 limit=20"
 *     in   slot | received route, cell, feedback per channel | sent, three words per channel | joined, always -1
 *     out  as for a shale-follower; destination and sprays are -1, cells open is 0. Link k of node i leads to node
 *          i + k + 1, modulo the number of nodes.
 *     With faults=FILE, failures=1 or classBytes, messages 0 to 6 follow the three words of each channel, as for a node.
 *
 *   "stardust-device device=5 nodes=6 topology=single messages=64 probes=link0_cells,voq_d3q0_bytes"
 *     in   slot | first 0 | second 0 | flags 0 | low 0 | high 0 | first 1 | ... | messages | message 0 | message 1 | ...
 *     out         first 0 | second 0 | flags 0 | low 0 | high 0 | first 1 | ... | messages | message 0 | ... | probes
 *     An adapter or element of the fabric that `skerry run --fabric stardust` simulates with the same options. Adapters
 *     have the lowest device numbers. Each link has five words:
 *     first, second   the cell; first is 0 if there is none
 *     flags           SKERRY_PAUSE: the sender accepts no cells on this link; SKERRY_REPORT: a reachability message, with
 *                     the adapters in low and high; SKERRY_FAULTY: its sender considers the link faulty
 *     messages: the number of requests and credits of adapters that follow; messages=K is the room for them in a row.
 *     What a device sends in slot s arrives in slot s + propagation. A message of adapter 3 arrives message_slots_d3
 *     slots later; messages of one adapter stay in order. The probes link0_peer_device and link0_peer_link give the
 *     wiring of the fabric. skerry_names lists all probes: queues, credits, the reachability table, pauses, the digest.
 *     skerry_copy copies the whole state into a fresh device. Devices support neither TCP hosts nor packet ports.
 *
 *   "stardust-follower device=5 nodes=6 topology=single messages=64 cellDelay=0 limit=20"
 *     in   slot | received: five words per link, messages, message 0, ... | sent: five words per link, messages, ...
 *     out  as for a shale-follower; destination is the other adapter, sprays the queue, link is -1 for a message, and
 *          cells open is 0
 *     Follows an adapter or element in a fabric without faults. What arrives in a slot may change what the device sends
 *     in the same slot; with cellDelay=K, cells and pauses may take effect up to K slots later.
 *
 *   "stimulus shale-node node=5 nodes=16 h=2 propagation=89 workload=permutation stimulusSeed=1 weights=first:9,none:0"
 *     in   what the device answered to the last row, as in an output row of the model; ignored in the first step
 *     out  the next row for the device, an input row of the model
 *     The rows that `skerry cosim --seed 1 --weight first=9 --weight none=0` feeds to the device that this model
 *     describes: a PIEO, a switch, a codec or a node. What a node receives depends on what it sent, so a node may choose
 *     for itself. After a reset of the device, set the register slot to 0: the next sequence begins.
 *
 *   "header file=shale-prototype payload=0"           a header description (docs/rtl.md): a file, or a built-in name
 *     in   header_op | words of the header | a word for each field | words of the payload
 *     out  faults | state | words of the header | a word for each field
 *     Use skerry_header_encode() and the other functions below to step it. skerry_findings() names the faults of the
 *     header that was decoded last.
 */
#ifndef SKERRY_H
#define SKERRY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SKERRY_VERSION "0.1.0"   /* of this header; skerry_version() returns that of the library */

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
#define SKERRY_DAMAGED (-3)      /* route of a node of Shoal with faults: a damaged cell */
#define SKERRY_MESSAGE (-4)      /* route of a node with faults: a message between nodes */
#define SKERRY_NO_FEEDBACK (-1)

#define SKERRY_PAUSE 1           /* flags of a link of a device of Stardust */
#define SKERRY_REPORT 2
#define SKERRY_FAULTY 4

#define SKERRY_ENCODE 0
#define SKERRY_DECODE 1
#define SKERRY_RELAY 2
#define SKERRY_DESCRIBE 3

#define SKERRY_STATE_CELL 0      /* state of the slot according to its header */
#define SKERRY_STATE_DUMMY 1
#define SKERRY_STATE_NOTHING 2

/* A handle, not an address. Using it after skerry_close returns SKERRY_NO_MODEL. */
typedef struct skerry_model skerry_model;

/* Version of the library. Programs built for libskerry.so.1 run with every later library of that name. */
const char *skerry_version(void);

/*
 * Starts the JVM unless it is running.
 *
 * class_path: path of skerry.jar, which needs the other jars beside it; NULL uses the environment variable SKERRY_JAR.
 * options:    JVM options separated by blanks, or NULL; those of SKERRY_JAVA_OPTIONS are appended.
 *
 * The JVM is that of the JDK with which the library was built, otherwise that of JAVA_HOME. If a start fails before a
 * JVM is created, for example because of a wrong class path or a missing JDK, you can try again. The JVM does not handle
 * SIGINT, SIGTERM, SIGHUP and SIGQUIT.
 */
int skerry_start(const char *class_path, const char *options);

/* Creates a model in its initial state. Returns NULL on failure; skerry_error_code() then returns the code. */
skerry_model *skerry_open(const char *description);

/* Frees a model. Accepts NULL. Returns SKERRY_NO_MODEL if the model is already closed. */
int skerry_close(skerry_model *model);

/* Number of words in an input or output row, or a code below 0. */
int skerry_inputs(const skerry_model *model);
int skerry_outputs(const skerry_model *model);

/*
 * Three lines of names separated by blanks: the words of an input row, the words of an output row, and all probes that a
 * description can select. Names are stable. Valid until the model is closed; NULL if there is no such model.
 */
const char *skerry_names(const skerry_model *model);

/* Findings of a follower, one per line, the first cause first; "" if there are none. Valid until the next step. */
const char *skerry_findings(const skerry_model *model);

/*
 * Writes the laws and choices that the steps of a follower of Shale, or of its node with coverage=1, have exercised to a
 * JSON file, for `skerry coverage`. skerry_get() of "coverage" returns the counts of all bins, in the order of the file.
 */
int skerry_coverage(const skerry_model *model, const char *file);

/* Executes one step. If it returns a code below 0, `out` is undefined. SKERRY_REFUSED leaves the model unchanged. */
int skerry_step(skerry_model *model, const int64_t *in, int64_t *out);

/*
 * Executes `count` steps at a lower cost per step; `in` and `out` hold consecutive rows. After SKERRY_REFUSED, the rows
 * before the refused one have taken effect.
 */
int skerry_steps(skerry_model *model, int64_t count, const int64_t *in, int64_t *out);

/*
 * Registers of a node of Shale or Shoal, and of a follower of Shale, between steps.
 *
 * Registers of Shale. A bucket is destination * 8 + sprays left, a link is its position in the epoch, and a cell word is
 * as in rows:
 *
 *   slot                       slot of the next step; set it first in a fresh model to start in mid-run
 *   down                       set only, with faults, also for Shoal. 1: the node stops and loses its state; 0: it starts
 *   flow7_sent                 cells of local flow 7 sent so far
 *   queue3_cells               the queue of link 3, oldest cell first, five words each: cell | bucket after the next
 *                              hop | link to the node it came from | current bucket | slot in which its source sent
 *                              it (0 if unknown)
 *   queue3_owed_tokens         buckets of the tokens owed on link 3, oldest first
 *   queue3_outstanding_d5n1    outstanding tokens of bucket (5, 1); queue3_tokens_d5n1: tokens left
 *   queue3_pointer             the local flow at which the search for link 3 begins, -1: the first
 *   phase1_taken               with sprayTies=rotating: the link of phase 1 that was chosen last
 *   turn                       with localOrder=destination: the destination at which the search begins
 *
 * Registers of Shoal, with one class and without faults. Link k of node i leads to node i + k + 1, modulo the number of
 * nodes. "Own" means of the node's local flows:
 *
 *   flow7_sent                 cells of local flow 7 that have joined a queue
 *   to5_messages               flows to node 5 that have cells to send, the next one first
 *   active                     destinations that have cells to send, in the order of the search, two words each: node |
 *                              slot since when; set it after the messages
 *   queue3_cells               the queue of link 3, first cell first, two words each: route | cell
 *   queue3_own                 destination of the node's own cell in it, -1 for none
 *   queue3_ready               number of flows that were ready in the last turn
 *   queue3_turn                place in active at which the next search begins
 *   queue3_free                for each destination: the first epoch in which an empty queue suffices; -1: waiting for
 *                              its report, -2: its cell is in the queue
 *   queue3_joined              links whose queues the last four cells from the neighbour joined, latest first; -1: none
 *   queue3_sent                ring buffer indexed by epoch: destination of the own cell sent in the epoch, -1 for none
 *
 * skerry_get writes at most the first `most` words of a register and returns the number of its words, or a code below 0.
 * skerry_set replaces all words; SKERRY_REFUSED leaves the register unchanged. The registers of a follower cannot be
 * replaced, and can be read only while the link of every cell is known. skerry_copy copies the state of a node or
 * follower into a fresh node, for a model that joins a device in mid-run.
 */
int64_t skerry_get(const skerry_model *model, const char *name, int64_t *words, int64_t most);
int skerry_set(skerry_model *model, const char *name, const int64_t *words, int64_t count);
int skerry_copy(const skerry_model *from, skerry_model *to);

/*
 * Save the whole state of a model and continue from it later, also in another process, for example with a checkpoint of
 * a simulator.
 *
 * skerry_save returns the size of the state in bytes, and writes it if `most` is at least that size. skerry_restore sets
 * a model with the same description to that state; call it before the first step and the first skerry_offer. Both return
 * a code below 0 on failure. After SKERRY_REFUSED, close the model. A state can be restored only by the Skerry version
 * that saved it. Followers, nodes with tokenDelay, cellDelay or owedLatency, and nodes whose register "down" is set
 * cannot be saved.
 */
int64_t skerry_save(const skerry_model *model, void *bytes, int64_t most);
int skerry_restore(skerry_model *model, const void *bytes, int64_t count);

/*
 * Adds a flow to a node or follower with offers=K. The flow starts in `slot` or later. `slot` must be the next slot or
 * later, and not before the start of the flow offered last. cells: SKERRY_ENDLESS for an endless flow. Returns the number
 * of the flow, which is the upper half of its cell words, or a code below 0. Offer all flows of a fabric to all of its
 * models, in the same order. An offered flow has the same effect as one that is known from the start.
 */
#define SKERRY_ENDLESS 0x7FFFFFFF
int skerry_offer(skerry_model *model, int64_t slot, int source, int destination, int cells);

/*
 * Operations of a PIEO without input rows. They return the code of the operation (SKERRY_PIEO_...). `out` receives the
 * eight words of the output row and may be NULL. If the call itself is invalid, they return the error code (such as
 * SKERRY_REFUSED) minus SKERRY_CALL.
 */
#define SKERRY_CALL 1000
int skerry_pieo_enqueue(skerry_model *pieo, int64_t id, int64_t rank, int64_t send_time, int64_t *out);
int skerry_pieo_dequeue(skerry_model *pieo, int64_t now, int64_t *out);
int skerry_pieo_dequeue_f(skerry_model *pieo, int64_t id, int64_t *out);

/*
 * Functions of a model "header file=...". A field is identified by its index in the description; skerry_names() lists the
 * fields after the words of the header. All functions return a code below 0 on failure.
 *
 * skerry_header_size    returns the number of fields; sets `bytes` and `payload` to the sizes of the header and of the
 *                       payload that its CRC covers. Both may be NULL.
 * skerry_header_field   returns the index of a field; sets `bits` to its width. `bits` may be NULL.
 * skerry_header_encode  writes a header with its constants and CRC. A value that does not fit its field is refused.
 * skerry_header_decode  returns the number of faults, wrong constants and CRCs; sets `state` to SKERRY_STATE_...; `state`
 *                       may be NULL.
 *
 * With payload=0, `payload` is NULL, and a CRC that covers the payload is not checked.
 */
int skerry_header_size(skerry_model *header, int *bytes, int *payload);
int skerry_header_field(skerry_model *header, const char *name, int *bits);
int skerry_header_encode(skerry_model *header, const int64_t *fields, const uint8_t *payload, uint8_t *bytes);
int skerry_header_decode(skerry_model *header, const uint8_t *bytes, const uint8_t *payload, int64_t *fields,
    int *state);

/*
 * One line that explains why the last call of this thread failed; "" if it succeeded. Valid until this thread's next
 * call. A call with a NULL model keeps the text of the skerry_open that returned NULL.
 */
const char *skerry_error(void);

/* The code that belongs to skerry_error(), or SKERRY_OK. */
int skerry_error_code(void);

#ifdef __cplusplus
}
#endif

#endif
