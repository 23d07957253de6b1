/* Tests the C library: every model, many at once, several threads, all refusals. Prints the number of checks last. */
#include "skerry.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODELS 1000
#define THREADS 4
#define ROUNDS 200

static int checks;

static void that(int holds, const char *what, int line)
{
    checks++;
    if (!holds) {
        fprintf(stderr, "door_test.c:%d: %s does not hold; last error: %s\n", line, what, skerry_error());
        exit(1);
    }
}

#define THAT(condition) that((condition), #condition, __LINE__)

static void pieo_orders_and_refuses(void)
{
    skerry_model *pieo = skerry_open("pieo capacity=4 idBits=6");
    int64_t out[8];

    THAT(pieo != NULL && skerry_inputs(pieo) == 5 && skerry_outputs(pieo) == 8);
    THAT(skerry_pieo_dequeue(pieo, 0, out) == SKERRY_PIEO_NOTHING && out[7] == 2);
    THAT(skerry_pieo_enqueue(pieo, 1, 20, 5, out) == SKERRY_PIEO_DONE && out[4] == 0 && out[7] == 4);
    THAT(skerry_pieo_enqueue(pieo, 2, 10, 9, NULL) == SKERRY_PIEO_DONE);
    THAT(skerry_pieo_enqueue(pieo, 3, 10, 9, NULL) == SKERRY_PIEO_DONE);
    THAT(skerry_pieo_enqueue(pieo, 4, 30, 0, NULL) == SKERRY_PIEO_DONE);
    THAT(skerry_pieo_enqueue(pieo, 5, 30, 0, NULL) == SKERRY_PIEO_FULL);
    THAT(skerry_pieo_enqueue(pieo, 64, 30, 0, NULL) == SKERRY_PIEO_BAD_ID);
    THAT(skerry_pieo_enqueue(pieo, 5, 65535, 0, NULL) == SKERRY_PIEO_BAD_RANK);
    THAT(skerry_pieo_dequeue(pieo, -1, NULL) == SKERRY_PIEO_BAD_TIME);
    THAT(skerry_pieo_dequeue(pieo, 5, out) == SKERRY_PIEO_DONE && out[1] == 1 && out[2] == 20 && out[3] == 5);
    THAT(skerry_pieo_dequeue(pieo, 9, out) == SKERRY_PIEO_DONE && out[1] == 2);
    THAT(skerry_pieo_dequeue_f(pieo, 4, out) == SKERRY_PIEO_DONE && out[2] == 30);
    THAT(skerry_pieo_dequeue_f(pieo, 4, out) == SKERRY_PIEO_ABSENT);
    THAT(skerry_close(pieo) == SKERRY_OK);
}

static void switch_turns(void)
{
    skerry_model *model = skerry_open("switch ports=2 rows=1,0/-1,0");
    int64_t in[] = {1, 1, 70, 0, 71, 2}, out[11];

    THAT(model != NULL && skerry_inputs(model) == 6 && skerry_outputs(model) == 11);
    THAT(skerry_step(model, in, out) == SKERRY_OK && out[0] == 71 && out[1] == 70 && out[2] == 0);
    THAT(out[3] == 3 && out[4] == 2 && out[6] == 1);
    in[0] = 0;
    THAT(skerry_step(model, in, out) == SKERRY_OK && out[2] == 1);
    THAT(skerry_step(model, in, out) == SKERRY_OK && out[0] == -1 && out[1] == 70 && out[8] == 1);
    in[3] = 9;
    THAT(skerry_step(model, in, out) == SKERRY_REFUSED && strstr(skerry_error(), "how=9") != NULL);
    THAT(skerry_close(model) == SKERRY_OK);
}

static void codecs_come_round(void)
{
    skerry_model *shoal = skerry_open("shoal nodes=64 classes=1");
    skerry_model *shale = skerry_open("shale layout=L16 nodes=4096 phases=3 failures=1");
    int64_t in[15] = {SKERRY_ENCODE, 3, 5, 0, 77, 12, 6, 0, 1, 2, 3, 4, 5, 6, 7}, cell[15], out[15];
    int64_t head[9] = {SKERRY_ENCODE, 4000, 5, 2, 77, 2 << 23 | 9 << 3 | 1, 0, 0, 0};

    THAT(skerry_step(shoal, in, cell) == SKERRY_OK);
    cell[0] = SKERRY_DECODE;
    THAT(skerry_step(shoal, cell, out) == SKERRY_OK && out[0] == 0 && memcmp(out + 1, in + 1, 6 * sizeof *in) == 0);
    cell[14] ^= 1;
    THAT(skerry_step(shoal, cell, out) == SKERRY_OK && out[0] == 2);
    in[1] = 64;
    THAT(skerry_step(shoal, in, out) == SKERRY_REFUSED && strstr(skerry_error(), "destination=64") != NULL);

    THAT(skerry_step(shale, head, cell) == SKERRY_OK);
    cell[0] = SKERRY_DECODE;
    THAT(skerry_step(shale, cell, out) == SKERRY_OK && out[0] == 0 && memcmp(out + 1, head + 1, 6 * sizeof *head) == 0);
    THAT(skerry_close(shoal) == SKERRY_OK && skerry_close(shale) == SKERRY_OK);
}

static void nodes_take_turns(void)
{
    skerry_model *node = skerry_open("shale-node node=5 nodes=16 h=2 workload=permutation propagation=1 probes=all");
    int64_t in[4] = {0, SKERRY_NO_CELL, 0, SKERRY_NO_FEEDBACK}, out[256];

    THAT(node != NULL && skerry_inputs(node) == 4 && skerry_outputs(node) > 3 && skerry_outputs(node) < 256);
    THAT(skerry_step(node, in, out) == SKERRY_OK && out[0] != SKERRY_NO_CELL);
    THAT(skerry_step(node, in, out) == SKERRY_REFUSED && strstr(skerry_error(), "slot=0") != NULL);
    in[0] = 1, in[1] = 1ll << 62 | 16 << 3;
    THAT(skerry_step(node, in, out) == SKERRY_REFUSED && strstr(skerry_error(), "route=0x") != NULL);
    in[1] = 1 << 3, in[2] = 1ll << 32 << 16;
    THAT(skerry_step(node, in, out) == SKERRY_REFUSED && strstr(skerry_error(), "flows=16") != NULL);
    in[2] = 0, in[3] = 16 << 3;
    THAT(skerry_step(node, in, out) == SKERRY_REFUSED && strstr(skerry_error(), "feedback=0x") != NULL);
    in[3] = SKERRY_NO_FEEDBACK;
    THAT(skerry_step(node, in, out) == SKERRY_OK);
    /* Returns a token that this node has not spent. */
    in[0] = 2, in[1] = SKERRY_NO_CELL, in[3] = (int64_t)(0xFFFFFFFFull << 32 | 9 << 3 | 1);
    THAT(skerry_step(node, in, out) == SKERRY_FAILED && strstr(skerry_error(), "surplus token") != NULL);
    THAT(skerry_close(node) == SKERRY_OK);
}

static void nodes_join_in_mid_run(void)
{
    static const char line[] = "shale-node node=5 nodes=16 h=2 propagation=1 offers=4 probes=queue0_tokens_d9n1";
    skerry_model *first = skerry_open(line), *second = skerry_open(line), *third = skerry_open(line);
    skerry_model *follower = skerry_open("shale-follower node=5 nodes=16 h=2 propagation=1 offers=4");
    skerry_model *every[] = {first, second, third, follower};
    int64_t in[8] = {0, SKERRY_NO_CELL, 0, SKERRY_NO_FEEDBACK}, out[8], other[8], words[8], few[1];
    int64_t cells[10] = {2ll << 32, 9 << 3, 4, 9 << 3 | 1, 0, 2ll << 32 | 1, 9 << 3, 4, 9 << 3 | 1, 0};
    int i;

    for (i = 0; i < 4; i++) {
        THAT(skerry_offer(every[i], 0, 5, 9, SKERRY_ENDLESS) == 0 && skerry_offer(every[i], 2, 5, 1, 30) == 1);
        THAT(skerry_offer(every[i], 2, 1, 9, 7) == 2 && skerry_offer(every[i], 1, 1, 9, 7) == SKERRY_REFUSED);
    }
    THAT(strstr(skerry_error(), "in order of start slot") != NULL);
    for (i = 0; i < 40; i++) {
        in[0] = i;
        THAT(skerry_step(first, in, out) == SKERRY_OK);
        memcpy(in + 4, out, 3 * sizeof *in);
        in[7] = -1;
        THAT(skerry_step(follower, in, other) == SKERRY_OK && other[0] == 0);
    }
    THAT(out[3] == 0 && skerry_get(first, "queue0_tokens_d9n1", words, 8) == 1 && words[0] == 0);
    THAT(skerry_get(first, "flow0_sent", words, 8) == 1 && words[0] > 0 && skerry_get(first, "flow1_sent", few, 0) == 1);
    THAT(skerry_get(first, "flow9_sent", words, 8) == SKERRY_REFUSED && strstr(skerry_error(), "flow9_sent") != NULL);
    THAT(skerry_copy(first, second) == SKERRY_OK && skerry_copy(follower, third) == SKERRY_OK);
    THAT(skerry_copy(first, second) == SKERRY_REFUSED && strstr(skerry_error(), "only a new model") != NULL);
    THAT(skerry_get(third, "slot", words, 8) == 1 && words[0] == 40);
    for (i = 0; i < 3; i++) {
        THAT(skerry_set(every[i], "queue0_cells", cells, 10) == SKERRY_OK);
        THAT(skerry_get(every[i], "queue0_cells", words, 8) == 10 && words[5] == cells[5]);
    }
    THAT(skerry_set(first, "queue0_cells", cells, 9) == SKERRY_REFUSED && skerry_set(first, NULL, cells, 1) == SKERRY_REFUSED);
    THAT(skerry_set(follower, "queue0_cells", cells, 5) == SKERRY_REFUSED);
    for (i = 40; i < 200; i++) {
        in[0] = i;
        THAT(skerry_step(first, in, out) == SKERRY_OK && skerry_step(second, in, other) == SKERRY_OK);
        THAT(memcmp(out, other, 4 * sizeof *out) == 0);
        THAT(skerry_step(third, in, other) == SKERRY_OK && memcmp(out, other, 4 * sizeof *out) == 0);
    }
    THAT(skerry_get(first, "queue0_cells", words, 8) < 10);
    THAT(skerry_offer(NULL, 0, 0, 0, 0) == SKERRY_NO_MODEL && skerry_copy(first, NULL) == SKERRY_NO_MODEL);
    for (i = 0; i < 4; i++)
        THAT(skerry_close(every[i]) == SKERRY_OK);
}

static void followers_say_what_they_found(void)
{
    skerry_model *follower = skerry_open("shale-follower node=5 nodes=16 h=2 workload=permutation propagation=1");
    int64_t in[8] = {0, SKERRY_NO_CELL, 0, SKERRY_NO_FEEDBACK, SKERRY_NO_CELL, 0, SKERRY_NO_FEEDBACK, -1}, out[8];

    THAT(follower != NULL && skerry_inputs(follower) == 8 && skerry_outputs(follower) == 8);
    THAT(strncmp(skerry_names(follower), "slot rx_route ", 14) == 0 && skerry_names(NULL) == NULL);
    THAT(skerry_step(follower, in, out) == SKERRY_OK && out[0] == 0 && out[2] == -1);
    THAT(skerry_findings(follower)[0] == '\0' && skerry_findings(NULL) == NULL);
    in[0] = 1, in[4] = SKERRY_NOTHING_SENT;
    THAT(skerry_step(follower, in, out) == SKERRY_OK && out[0] == 1 && out[1] == 1 && out[2] == 0 && out[3] == 1);
    THAT(strncmp(skerry_findings(follower), "first: slot 1 node 5 link 1: schedule: ", 39) == 0);
    THAT(skerry_step(follower, in, out) == SKERRY_REFUSED && strstr(skerry_error(), "slot=1") != NULL);
    in[0] = 2, in[4] = SKERRY_NO_CELL;
    THAT(skerry_step(follower, in, out) == SKERRY_OK && out[0] == 1 && out[1] == 0);
    THAT(skerry_close(follower) == SKERRY_OK);
}

/* A recorded header that docs/rtl.md explains. */
static void headers_come_round(void)
{
    static const uint8_t recorded[11] = {0x03, 0x81, 0x40, 0xe0, 0x82, 0x00, 0x13, 0x06, 0x9f, 0xff, 0x00};
    skerry_model *header = skerry_open("header file=shale-prototype");
    skerry_model *shoal = skerry_open("header file=shoal payload=56");
    skerry_model *pieo = skerry_open("pieo capacity=4");
    uint8_t bytes[11], cell[8], payload[56] = {1, 2, 3};
    int64_t fields[32], again[32];
    int size = 0, bits = 0, state = -1, i;

    THAT(skerry_header_size(header, &size, NULL) == 13 && size == 11);
    THAT(skerry_header_field(header, "sequence", &bits) == 5 && bits == 14);
    THAT(skerry_header_field(header, "sequenc", NULL) == SKERRY_REFUSED && skerry_header_field(header, NULL, NULL) < 0);
    THAT(skerry_header_decode(header, recorded, NULL, fields, &state) == 0 && state == SKERRY_STATE_CELL);
    THAT(skerry_header_encode(header, fields, NULL, bytes) == SKERRY_OK && memcmp(bytes, recorded, 11) == 0);
    fields[5] = 1 << 14;
    THAT(skerry_header_encode(header, fields, NULL, bytes) == SKERRY_REFUSED && strstr(skerry_error(), "14 bits") != NULL);

    THAT(skerry_header_size(shoal, &size, &bits) > 4 && size == 8 && bits == 56);
    memset(fields, 0, sizeof fields);
    fields[skerry_header_field(shoal, "source", NULL)] = 3;
    fields[skerry_header_field(shoal, "destination", NULL)] = 5;
    THAT(skerry_header_encode(shoal, fields, payload, cell) == SKERRY_OK);
    THAT(skerry_header_decode(shoal, cell, payload, again, &state) == 0 && state == SKERRY_STATE_CELL);
    THAT(again[skerry_header_field(shoal, "source", NULL)] == 3 && skerry_findings(shoal)[0] == '\0');
    for (i = 0; i < 56; i++) {
        payload[i] ^= 1;
        THAT(skerry_header_decode(shoal, cell, payload, again, NULL) == 1);
        payload[i] ^= 1;
    }
    THAT(strncmp(skerry_findings(shoal), "crc 0x", 6) == 0);
    THAT(skerry_header_encode(shoal, fields, NULL, cell) == SKERRY_REFUSED);
    THAT(skerry_header_size(pieo, NULL, NULL) == SKERRY_NO_MODEL && skerry_header_size(NULL, NULL, NULL) < 0);
    THAT(skerry_open("header file=/nowhere") == NULL && strstr(skerry_error(), "/nowhere") != NULL);
    THAT(skerry_open("header") == NULL && skerry_open("header file=L12 payload=-1") == NULL);
    THAT(skerry_close(header) == SKERRY_OK && skerry_close(shoal) == SKERRY_OK && skerry_close(pieo) == SKERRY_OK);
}

/* A Stardust follower accepts a cell that an element received, and reports when it leaves twice. */
static void followers_take_devices(void)
{
    static int64_t in[2048];
    int64_t out[8], side;
    skerry_model *follower = skerry_open("stardust-follower device=6 nodes=6 topology=single propagation=1");

    side = (skerry_inputs(follower) - 1) / 2;
    in[1] = INT64_C(3) << 48 | INT64_C(2) << 32 | INT64_C(1) << 31, in[1 + side + 3 * 5] = in[1];
    THAT(skerry_step(follower, in, out) == SKERRY_OK && out[0] == 0);
    in[0] = 1, in[1] = 0;
    THAT(skerry_step(follower, in, out) == SKERRY_OK && out[0] == 1 && out[2] == 5 && out[3] == 3 && out[4] == 3);
    THAT(strstr(skerry_findings(follower), "conservation") != NULL && skerry_close(follower) == SKERRY_OK);
}

/* Each kind of model continues from a saved state with its flows, and refuses the state of another model. */
static void models_go_on_from_a_saved_state(void)
{
    static const char *const lines[] = {"pieo capacity=16", "switch ports=2 rows=1,0/-1,0",
        "shale-node node=5 nodes=16 h=2 propagation=1 offers=4 order=receive-first probes=all",
        "shoal-node node=3 nodes=8 channels=1 workload=permutation", "stardust-device device=0 nodes=6 topology=single"};
    static int64_t in[1024], out[2][1024];
    skerry_model *saved, *other;
    char *state;
    int64_t bytes;
    unsigned i;
    int slot;

    for (i = 0; i < sizeof lines / sizeof *lines; i++) {
        saved = skerry_open(lines[i]), other = skerry_open(lines[i]);
        THAT(i != 2 || skerry_offer(saved, 0, 5, 9, SKERRY_ENDLESS) == 0);
        for (slot = 0; slot < 40; slot++) {
            if (slot == 20) {
                bytes = skerry_save(saved, NULL, 0);
                THAT(bytes > 0 && (state = malloc((size_t)bytes)) != NULL && skerry_save(saved, state, bytes) == bytes);
                THAT(skerry_restore(other, state, bytes - 1) == SKERRY_REFUSED);
                THAT(skerry_restore(other, state, bytes) == SKERRY_OK);
            }
            memset(in, 0, sizeof in);
            in[0] = i == 0 ? (slot % 3 == 0 ? SKERRY_PIEO_DEQUEUE : SKERRY_PIEO_ENQUEUE) : i == 1 ? slot == 0 : slot;
            in[1] = i == 0 ? slot : i == 1 ? 0 : i == 4 ? 0 : SKERRY_NO_CELL;
            in[2] = i == 0 ? slot % 7 : 0;
            in[3] = i == 2 || i == 3 ? SKERRY_NO_FEEDBACK : 0;
            in[4] = i == 0 ? SKERRY_PIEO_ANYWHERE : 0;
            THAT(skerry_step(saved, in, out[0]) == SKERRY_OK);
            THAT(slot < 20 || (skerry_step(other, in, out[1]) == SKERRY_OK
                && memcmp(out[0], out[1], (size_t)skerry_outputs(saved) * sizeof **out) == 0));
        }
        THAT(skerry_close(other) == SKERRY_OK && (other = skerry_open("pieo capacity=4")) != NULL);
        THAT(skerry_restore(other, state, bytes) == SKERRY_REFUSED && strstr(skerry_error(), "another model") != NULL);
        state[bytes / 2] ^= 1;
        THAT(skerry_restore(other, state, bytes) == SKERRY_REFUSED && strstr(skerry_error(), "damaged") != NULL);
        THAT(skerry_close(saved) == SKERRY_OK && skerry_close(other) == SKERRY_OK);
        free(state);
    }
    other = skerry_open("shale-follower node=5 nodes=16 h=2 workload=permutation");
    THAT(skerry_save(other, NULL, 0) == SKERRY_REFUSED && skerry_close(other) == SKERRY_OK);
}

/* Every function distinguishes a closed handle from the model that now has its table entry. */
static void closed_handles_are_known(void)
{
    skerry_model *closed = skerry_open("pieo capacity=4"), *next;
    int64_t row[8] = {1, 1, 1, 1, -1};
    uint8_t bytes[8];

    THAT(skerry_close(closed) == SKERRY_OK);
    next = skerry_open("pieo capacity=4");
    THAT(next != NULL && next != closed && skerry_close(closed) == SKERRY_NO_MODEL);
    THAT(skerry_step(closed, row, row) == SKERRY_NO_MODEL && skerry_steps(closed, 1, row, row) == SKERRY_NO_MODEL);
    THAT(skerry_inputs(closed) == SKERRY_NO_MODEL && skerry_outputs(closed) == SKERRY_NO_MODEL);
    THAT(skerry_names(closed) == NULL && skerry_findings(closed) == NULL);
    THAT(skerry_get(closed, "slot", row, 8) == SKERRY_NO_MODEL && skerry_set(closed, "slot", row, 1) == SKERRY_NO_MODEL);
    THAT(skerry_copy(closed, next) == SKERRY_NO_MODEL && skerry_copy(next, closed) == SKERRY_NO_MODEL);
    THAT(skerry_save(closed, NULL, 0) == SKERRY_NO_MODEL && skerry_restore(closed, bytes, 8) == SKERRY_NO_MODEL);
    THAT(skerry_offer(closed, 0, 0, 1, 1) == SKERRY_NO_MODEL && skerry_header_size(closed, NULL, NULL) == SKERRY_NO_MODEL);
    THAT(skerry_header_field(closed, "x", NULL) < 0 && skerry_header_encode(closed, row, NULL, bytes) < 0);
    THAT(skerry_header_decode(closed, bytes, NULL, row, NULL) < 0);
    THAT(skerry_pieo_dequeue(closed, 0, NULL) == SKERRY_NO_MODEL - SKERRY_CALL);
    THAT(skerry_step((skerry_model *)row, row, row) == SKERRY_NO_MODEL && skerry_error_code() == SKERRY_NO_MODEL);
    THAT(skerry_pieo_enqueue(next, 1, 1, 1, NULL) == SKERRY_PIEO_DONE && skerry_error_code() == SKERRY_OK);
    THAT(skerry_close(next) == SKERRY_OK);
    /* Calls with NULL keep the reason why the model was not opened. */
    THAT(skerry_open("fifo") == NULL && skerry_error_code() == SKERRY_REFUSED);
    THAT(skerry_inputs(NULL) == SKERRY_NO_MODEL && strstr(skerry_error(), "no such model: fifo") != NULL);
}

static volatile sig_atomic_t signals;

static void count_signal(int number)
{
    signals += number;
}

/* The library changes neither the signal handlers of the program nor default ones. */
static void signals_are_left_alone(void)
{
    struct sigaction now;

    raise(SIGINT), raise(SIGTERM);
    THAT(signals == SIGINT + SIGTERM);
    THAT(sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler == SIG_DFL);
    THAT(sigaction(SIGQUIT, NULL, &now) == 0 && now.sa_handler == SIG_DFL);
}

static void refusals_have_a_text(void)
{
    static const char *const wrong[] = {"", "fifo", "pieo capacity=0", "pieo capacity=x", "pieo colour=red", "pieo 64",
        "switch ports=2 rows=0,0", "switch ports=2 rows=1", "switch ports=2", "shoal nodes=2000", "shale layout=L13",
        "shale layout=L12 nodes=9 phases=9", "shale layout=L12 failures=1",
        "shale-node node=16 nodes=16", "shale-node colour=1", "shoal-node nodes=x", "shoal-node nodes=8 h=2",
        "stardust-node", "shoal-node threads=2", "shoal-node nodes=8 probes=no_such",
        "shale-node nodes=16 pairs=1>1", "shale-node nodes=16 order=last", "shoal-node nodes=8 tokenDelay=1"};
    skerry_model *pieo = skerry_open("pieo capacity=4");
    int64_t rows[5 * 3] = {1, 1, 1, 1, -1, 0, 1, 1, 1, -1, 1, 1, 1, 1, -1}, out[8 * 3] = {0};
    unsigned i;

    for (i = 0; i < sizeof wrong / sizeof *wrong; i++)
        THAT(skerry_open(wrong[i]) == NULL && skerry_error()[0] != '\0');
    THAT(skerry_open(NULL) == NULL && skerry_error()[0] != '\0');
    THAT(skerry_step(NULL, rows, out) == SKERRY_NO_MODEL);
    THAT(skerry_inputs(NULL) == SKERRY_NO_MODEL && skerry_close(NULL) == SKERRY_OK);
    THAT(skerry_step(pieo, NULL, out) == SKERRY_REFUSED && skerry_steps(pieo, -1, rows, out) == SKERRY_REFUSED);
    THAT(skerry_steps(pieo, 3, rows, out) == SKERRY_REFUSED && out[0] == SKERRY_PIEO_DONE);
    THAT(strstr(skerry_error(), "requests=0") != NULL);
    THAT(skerry_pieo_dequeue(pieo, 1, out) == SKERRY_PIEO_DONE && skerry_pieo_dequeue(pieo, 1, out) == SKERRY_PIEO_NOTHING);
    THAT(skerry_error()[0] == '\0');
    THAT(skerry_close(pieo) == SKERRY_OK);
}

static void many_models_keep_apart(void)
{
    static skerry_model *models[MODELS];
    int64_t out[8];
    int i;

    for (i = 0; i < MODELS; i++)
        THAT((models[i] = skerry_open("pieo capacity=16 idBits=12")) != NULL);
    for (i = 0; i < MODELS; i++)
        THAT(skerry_pieo_enqueue(models[i], i, i, i, NULL) == SKERRY_PIEO_DONE);
    for (i = MODELS - 1; i >= 0; i--)
        THAT(skerry_pieo_dequeue(models[i], i, out) == SKERRY_PIEO_DONE && out[1] == i && out[2] == i);
    for (i = 0; i < MODELS; i++)
        THAT(skerry_close(models[i]) == SKERRY_OK);
}

/* Runs on a new thread each time, so that threads attach and detach often. Returns NULL on success. */
static void *use_a_model(void *ignored)
{
    skerry_model *pieo = skerry_open("pieo capacity=64");
    int64_t out[8];
    int round, failures = pieo == NULL;

    (void)ignored;
    for (round = 0; round < ROUNDS && failures == 0; round++) {
        failures += skerry_pieo_enqueue(pieo, round & 63, round, 0, NULL) != SKERRY_PIEO_DONE;
        failures += skerry_pieo_dequeue(pieo, 0, out) != SKERRY_PIEO_DONE || out[2] != round;
    }
    failures += skerry_step(NULL, out, out) != SKERRY_NO_MODEL;
    failures += skerry_close(pieo) != SKERRY_OK;
    return failures == 0 ? NULL : &checks;
}

static void threads_attach_by_themselves(void)
{
    pthread_t threads[THREADS];
    void *failed;
    int i, again;

    for (again = 0; again < 3; again++) {
        for (i = 0; i < THREADS; i++)
            THAT(pthread_create(&threads[i], NULL, use_a_model, NULL) == 0);
        for (i = 0; i < THREADS; i++)
            THAT(pthread_join(threads[i], &failed) == 0 && failed == NULL);
    }
}

int main(void)
{
    if (getenv("SKERRY_JAR") == NULL) {
        THAT(skerry_open("pieo") == NULL && strstr(skerry_error(), "SKERRY_JAR") != NULL);
        THAT(skerry_start("/nowhere/skerry.jar", NULL) == SKERRY_NO_JAVA && skerry_open("pieo") == NULL);
        THAT(skerry_error_code() == SKERRY_NO_JAVA && strcmp(skerry_version(), SKERRY_VERSION) == 0);
    } else {
        /* The start can be repeated after a wrong class path. */
        THAT(skerry_start("/nowhere.jar:door_test.c", NULL) == SKERRY_NO_JAVA && strstr(skerry_error(), "/nowhere.jar"));
        signal(SIGINT, count_signal);
        signal(SIGTERM, count_signal);
        THAT(skerry_start(NULL, NULL) == SKERRY_OK && skerry_start(NULL, NULL) == SKERRY_OK);
        signals_are_left_alone();
        pieo_orders_and_refuses();
        switch_turns();
        codecs_come_round();
        nodes_take_turns();
        nodes_join_in_mid_run();
        followers_say_what_they_found();
        headers_come_round();
        followers_take_devices();
    models_go_on_from_a_saved_state();
        closed_handles_are_known();
        refusals_have_a_text();
        many_models_keep_apart();
        threads_attach_by_themselves();
    }
    printf("door_test: %d checks\n", checks);
    return 0;
}
