/* The C side of dev.skerry.tools.cosim.ModelHandle. Depends only on libjvm and libc. */
#include "skerry.h"

#include <jni.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OPTIONS 32
#define MODEL_MARK 0x736b65727279ull

struct skerry_model {
    uint64_t mark;
    jobject door;
    int64_t *rows;
    int64_t *answers;
    int inputs;
    int outputs;
    int batch;
    const char *names;
    const char *findings;
    /* Of a described header, 0 until somebody asks. */
    int header_bytes;
    int payload_bytes;
    int fields;
};

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t attached;
static JavaVM *machine;
static jclass door_class;
static jmethodID door_open, door_property, door_steps, door_close, door_text, door_get, door_set, door_copy, door_offer;
static jclass refusal_class;

static __thread JNIEnv *thread_env;
static __thread char thread_error[512];

static int fail(int code, const char *text)
{
    snprintf(thread_error, sizeof thread_error, "%s", text);
    return code;
}

const char *skerry_error(void)
{
    return thread_error;
}

static void detach(void *env)
{
    (void)env;
    (*machine)->DetachCurrentThread(machine);
}

/* Clears a pending Java exception. Returns its code and keeps its text for skerry_error(). */
static int caught(JNIEnv *env)
{
    jthrowable failure = (*env)->ExceptionOccurred(env);
    jstring text = NULL;
    const char *chars = NULL;
    int code;

    if (failure == NULL)
        return SKERRY_OK;
    (*env)->ExceptionClear(env);
    code = refusal_class != NULL && (*env)->IsInstanceOf(env, failure, refusal_class) ? SKERRY_REFUSED : SKERRY_FAILED;
    if (door_text != NULL)
        text = (jstring)(*env)->CallStaticObjectMethod(env, door_class, door_text, failure);
    if (!(*env)->ExceptionCheck(env) && text != NULL)
        chars = (*env)->GetStringUTFChars(env, text, NULL);
    fail(code, chars != NULL ? chars : "Java failed and could not say why");
    if (chars != NULL)
        (*env)->ReleaseStringUTFChars(env, text, chars);
    (*env)->ExceptionClear(env);
    if (text != NULL)
        (*env)->DeleteLocalRef(env, text);
    (*env)->DeleteLocalRef(env, failure);
    return code;
}

/* Looks up classes and methods, once. */
static int find(JNIEnv *env)
{
    jclass door, refusal;

    door = (*env)->FindClass(env, "dev/skerry/tools/cosim/ModelHandle");
    refusal = door == NULL ? NULL : (*env)->FindClass(env, "java/lang/IllegalArgumentException");
    if (refusal == NULL) {
        (*env)->ExceptionClear(env);
        return fail(SKERRY_NO_JAVA, "the class path does not hold Skerry: point SKERRY_JAR at skerry.jar");
    }
    door_open = (*env)->GetStaticMethodID(env, door, "open", "(Ljava/lang/String;)Ldev/skerry/tools/cosim/ModelHandle;");
    if (door_open != NULL)
        door_property = (*env)->GetMethodID(env, door, "property", "(I)J");
    if (door_property != NULL)
        door_steps = (*env)->GetMethodID(env, door, "steps", "(I)V");
    if (door_steps != NULL)
        door_close = (*env)->GetMethodID(env, door, "close", "()V");
    if (door_close != NULL)
        door_get = (*env)->GetMethodID(env, door, "get", "(Ljava/lang/String;)[J");
    if (door_get != NULL)
        door_set = (*env)->GetMethodID(env, door, "set", "(Ljava/lang/String;[J)V");
    if (door_set != NULL)
        door_copy = (*env)->GetMethodID(env, door, "copyFrom", "(Ldev/skerry/tools/cosim/ModelHandle;)V");
    if (door_copy != NULL)
        door_offer = (*env)->GetMethodID(env, door, "offer", "(JIII)I");
    if (door_offer != NULL)
        door_text = (*env)->GetStaticMethodID(env, door, "text", "(Ljava/lang/Throwable;)Ljava/lang/String;");
    if (door_text == NULL) {
        (*env)->ExceptionClear(env);
        return fail(SKERRY_NO_JAVA, "the classes are of another version than this library");
    }
    door_class = (jclass)(*env)->NewGlobalRef(env, door);
    refusal_class = (jclass)(*env)->NewGlobalRef(env, refusal);
    (*env)->DeleteLocalRef(env, door);
    (*env)->DeleteLocalRef(env, refusal);
    return door_class != NULL && refusal_class != NULL ? SKERRY_OK : fail(SKERRY_NO_JAVA, "Java is out of memory");
}

/* Splits a list at its blanks, in place. */
static int split(char *list, JavaVMOption *options, int count)
{
    char *rest = NULL, *word;

    for (word = strtok_r(list, " ", &rest); word != NULL && count < MAX_OPTIONS; word = strtok_r(NULL, " ", &rest))
        options[count++].optionString = word;
    return count;
}

static int create(const char *class_path, const char *given)
{
    JavaVMOption options[MAX_OPTIONS];
    JavaVMInitArgs args;
    JavaVM *created = NULL;
    JNIEnv *env = NULL;
    const char *set = getenv("SKERRY_JAVA_OPTIONS");
    char *path, *list;
    jint answer;

    if (class_path == NULL)
        class_path = getenv("SKERRY_JAR");
    if (class_path == NULL)
        return fail(SKERRY_NO_JAVA, "no class path: point SKERRY_JAR at skerry.jar");
    path = malloc(strlen(class_path) + sizeof "-Djava.class.path=");
    list = malloc(strlen(given != NULL ? given : "") + strlen(set != NULL ? set : "") + 2);
    if (path == NULL || list == NULL || pthread_key_create(&attached, detach) != 0) {
        free(path);
        free(list);
        return fail(SKERRY_NO_JAVA, "out of memory");
    }
    sprintf(path, "-Djava.class.path=%s", class_path);
    sprintf(list, "%s %s", given != NULL ? given : "", set != NULL ? set : "");
    memset(options, 0, sizeof options);
    options[0].optionString = path;
    options[1].optionString = (char *)"--enable-native-access=ALL-UNNAMED";
    /* A single GC thread, and no JVM output on the simulator's standard output. */
    options[2].optionString = (char *)"-XX:+UseSerialGC";
    options[3].optionString = (char *)"-XX:+DisplayVMOutputToStderr";
    args.version = JNI_VERSION_10;
    args.options = options;
    args.nOptions = split(list, options, 4);
    args.ignoreUnrecognized = JNI_FALSE;
    answer = JNI_CreateJavaVM(&created, (void **)&env, &args);
    free(path);
    free(list);
    if (answer != JNI_OK) {
        pthread_key_delete(attached);
        return fail(SKERRY_NO_JAVA, answer == JNI_EEXIST
            ? "this process has a Java machine that somebody else has started" : "the Java machine does not start");
    }
    answer = find(env);
    thread_env = env;
    /* Published only now: other threads have no use for a JVM without our classes. */
    machine = created;
    return answer;
}

int skerry_start(const char *class_path, const char *options)
{
    int code = SKERRY_OK;

    thread_error[0] = '\0';
    pthread_mutex_lock(&starting);
    if (machine == NULL)
        code = create(class_path, options);
    else if (refusal_class == NULL)
        code = fail(SKERRY_NO_JAVA, "the Java machine has started without the classes of Skerry");
    pthread_mutex_unlock(&starting);
    return code;
}

/* JNI environment of this thread. Attaches the thread if necessary. */
static JNIEnv *env_of_thread(void)
{
    JavaVMAttachArgs args = {JNI_VERSION_10, NULL, NULL};

    if (thread_env == NULL) {
        /* As a daemon, so that the JVM does not wait for this thread. */
        if ((*machine)->AttachCurrentThreadAsDaemon(machine, (void **)&thread_env, &args) != JNI_OK) {
            thread_env = NULL;
            fail(SKERRY_NO_JAVA, "the Java machine does not take this thread");
        } else {
            pthread_setspecific(attached, thread_env);
        }
    }
    return thread_env;
}

static int64_t property(JNIEnv *env, jobject door, int which)
{
    return (*env)->ExceptionCheck(env) ? 0 : (*env)->CallLongMethod(env, door, door_property, (jint)which);
}

skerry_model *skerry_open(const char *description)
{
    skerry_model *model;
    JNIEnv *env;
    jstring line;
    jobject door = NULL;

    if (skerry_start(NULL, NULL) != SKERRY_OK || (env = env_of_thread()) == NULL)
        return NULL;
    if (description == NULL) {
        fail(SKERRY_REFUSED, "description is NULL");
        return NULL;
    }
    model = calloc(1, sizeof *model);
    line = model == NULL ? NULL : (*env)->NewStringUTF(env, description);
    if (line != NULL)
        door = (*env)->CallStaticObjectMethod(env, door_class, door_open, line);
    if (door != NULL) {
        model->door = (*env)->NewGlobalRef(env, door);
        model->rows = (int64_t *)(intptr_t)property(env, door, 0);
        model->inputs = (int)property(env, door, 1);
        model->outputs = (int)property(env, door, 2);
        model->batch = (int)property(env, door, 3);
        model->names = (const char *)(intptr_t)property(env, door, 4);
        model->findings = (const char *)(intptr_t)property(env, door, 5);
        model->answers = model->rows + (size_t)model->batch * model->inputs;
        (*env)->DeleteLocalRef(env, door);
    }
    if (line != NULL)
        (*env)->DeleteLocalRef(env, line);
    if (caught(env) != SKERRY_OK || model == NULL || model->door == NULL) {
        if (model != NULL && model->door != NULL)
            (*env)->DeleteGlobalRef(env, model->door);
        if (thread_error[0] == '\0')
            fail(SKERRY_FAILED, "out of memory");
        free(model);
        return NULL;
    }
    model->mark = MODEL_MARK;
    return model;
}

static JNIEnv *env_for(const skerry_model *model, int *code)
{
    JNIEnv *env;

    if (model == NULL || model->mark != MODEL_MARK) {
        *code = fail(SKERRY_NO_MODEL, model == NULL ? "the model is NULL" : "this is not a model");
        return NULL;
    }
    thread_error[0] = '\0';
    env = env_of_thread();
    if (env == NULL)
        *code = SKERRY_NO_JAVA;
    return env;
}

int skerry_close(skerry_model *model)
{
    int code = SKERRY_OK;
    JNIEnv *env;

    if (model == NULL)
        return SKERRY_OK;
    env = env_for(model, &code);
    if (env == NULL)
        return code;
    (*env)->CallVoidMethod(env, model->door, door_close);
    code = caught(env);
    (*env)->DeleteGlobalRef(env, model->door);
    model->mark = 0;
    free(model);
    return code;
}

int skerry_inputs(const skerry_model *model)
{
    return model == NULL || model->mark != MODEL_MARK ? fail(SKERRY_NO_MODEL, "this is not a model") : model->inputs;
}

int skerry_outputs(const skerry_model *model)
{
    return model == NULL || model->mark != MODEL_MARK ? fail(SKERRY_NO_MODEL, "this is not a model") : model->outputs;
}

const char *skerry_names(const skerry_model *model)
{
    return model == NULL || model->mark != MODEL_MARK ? fail(SKERRY_NO_MODEL, "this is not a model"), NULL : model->names;
}

const char *skerry_findings(const skerry_model *model)
{
    return model == NULL || model->mark != MODEL_MARK ? fail(SKERRY_NO_MODEL, "this is not a model"), NULL
        : model->findings;
}

int skerry_steps(skerry_model *model, int64_t count, const int64_t *in, int64_t *out)
{
    int code = SKERRY_OK;
    JNIEnv *env = env_for(model, &code);

    if (env == NULL)
        return code;
    if (count < 0 || (count > 0 && (in == NULL || out == NULL)))
        return fail(SKERRY_REFUSED, count < 0 ? "count is below 0" : "a row is NULL");
    while (count > 0 && code == SKERRY_OK) {
        int rows = count < model->batch ? (int)count : model->batch;

        memcpy(model->rows, in, (size_t)rows * model->inputs * sizeof *in);
        (*env)->CallVoidMethod(env, model->door, door_steps, (jint)rows);
        code = (*env)->ExceptionCheck(env) ? caught(env) : SKERRY_OK;
        memcpy(out, model->answers, (size_t)rows * model->outputs * sizeof *out);
        in += (size_t)rows * model->inputs;
        out += (size_t)rows * model->outputs;
        count -= rows;
    }
    return code;
}

int skerry_step(skerry_model *model, const int64_t *in, int64_t *out)
{
    return skerry_steps(model, 1, in, out);
}

int64_t skerry_get(const skerry_model *model, const char *name, int64_t *words, int64_t most)
{
    int code = SKERRY_OK;
    JNIEnv *env = env_for(model, &code);
    jstring line;
    jlongArray found = NULL;
    jsize count = 0;

    if (env == NULL)
        return code;
    if (name == NULL || most < 0 || (most > 0 && words == NULL))
        return fail(SKERRY_REFUSED, name == NULL ? "the name is NULL" : "no room for words");
    line = (*env)->NewStringUTF(env, name);
    if (line != NULL)
        found = (jlongArray)(*env)->CallObjectMethod(env, model->door, door_get, line);
    code = caught(env);
    if (code == SKERRY_OK) {
        count = (*env)->GetArrayLength(env, found);
        (*env)->GetLongArrayRegion(env, found, 0, count < most ? count : (jsize)most, (jlong *)words);
        (*env)->DeleteLocalRef(env, found);
    }
    if (line != NULL)
        (*env)->DeleteLocalRef(env, line);
    return code == SKERRY_OK ? count : code;
}

int skerry_set(skerry_model *model, const char *name, const int64_t *words, int64_t count)
{
    int code = SKERRY_OK;
    JNIEnv *env = env_for(model, &code);
    jstring line;
    jlongArray given;

    if (env == NULL)
        return code;
    if (name == NULL || count < 0 || count > INT32_MAX || (count > 0 && words == NULL))
        return fail(SKERRY_REFUSED, name == NULL ? "the name is NULL" : "no words, or too many");
    line = (*env)->NewStringUTF(env, name);
    given = line == NULL ? NULL : (*env)->NewLongArray(env, (jsize)count);
    if (given != NULL) {
        (*env)->SetLongArrayRegion(env, given, 0, (jsize)count, (const jlong *)words);
        (*env)->CallVoidMethod(env, model->door, door_set, line, given);
    }
    code = caught(env);
    if (given != NULL)
        (*env)->DeleteLocalRef(env, given);
    if (line != NULL)
        (*env)->DeleteLocalRef(env, line);
    return code;
}

int skerry_copy(const skerry_model *from, skerry_model *to)
{
    int code = SKERRY_OK;
    JNIEnv *env = env_for(from, &code);

    if (env == NULL || env_for(to, &code) == NULL)
        return code;
    (*env)->CallVoidMethod(env, to->door, door_copy, from->door);
    return caught(env);
}

int skerry_offer(skerry_model *model, int64_t slot, int source, int destination, int cells)
{
    int code = SKERRY_OK;
    JNIEnv *env = env_for(model, &code);
    jint flow;

    if (env == NULL)
        return code;
    flow = (*env)->CallIntMethod(env, model->door, door_offer, (jlong)slot, (jint)source, (jint)destination,
        (jint)cells);
    code = caught(env);
    return code == SKERRY_OK ? flow : code;
}

static int pieo(skerry_model *model, int64_t request, int64_t id, int64_t rank, int64_t time, int64_t *out)
{
    int64_t in[] = {request, id, rank, time, SKERRY_PIEO_ANYWHERE};
    int64_t ports[8];
    int code;

    if (model != NULL && (model->inputs != 5 || model->outputs != 8))
        return fail(SKERRY_NO_MODEL, "this model is not a PIEO") - SKERRY_CALL;
    code = skerry_step(model, in, out != NULL ? out : ports);
    return code != SKERRY_OK ? code - SKERRY_CALL : (int)(out != NULL ? out : ports)[0];
}

int skerry_pieo_enqueue(skerry_model *model, int64_t id, int64_t rank, int64_t send_time, int64_t *out)
{
    return pieo(model, SKERRY_PIEO_ENQUEUE, id, rank, send_time, out);
}

int skerry_pieo_dequeue(skerry_model *model, int64_t now, int64_t *out)
{
    return pieo(model, SKERRY_PIEO_DEQUEUE, 0, 0, now, out);
}

int skerry_pieo_dequeue_f(skerry_model *model, int64_t id, int64_t *out)
{
    return pieo(model, SKERRY_PIEO_DEQUEUE_F, id, 0, 0, out);
}

/* Runs an operation of a described header; `in` and `out` are its rows. */
static int header_step(skerry_model *header, int op, int64_t *in, int64_t *out)
{
    in[0] = op;
    return skerry_step(header, in, out);
}

/* Rows for an operation of a described header, both in one block; NULL after a failure. Learns its sizes first. */
static int64_t *header_rows(skerry_model *header, int *code)
{
    int64_t *rows = NULL;
    int words;

    if (header == NULL || header->mark != MODEL_MARK || strncmp(header->names, "header_op ", 10) != 0)
        *code = fail(SKERRY_NO_MODEL, "this model is not a header");
    else if ((rows = calloc((size_t)header->inputs + header->outputs, sizeof *rows)) == NULL)
        *code = fail(SKERRY_FAILED, "out of memory");
    else if (header->header_bytes == 0
        && (*code = header_step(header, SKERRY_DESCRIBE, rows, rows + header->inputs)) == SKERRY_OK) {
        header->header_bytes = (int)rows[header->inputs];
        header->payload_bytes = (int)rows[header->inputs + 1];
        words = (header->header_bytes + 7) / 8;
        header->fields = header->outputs - 2 - words;
    }
    if (rows != NULL && *code != SKERRY_OK) {
        free(rows);
        rows = NULL;
    }
    return rows;
}

static void to_words(const uint8_t *bytes, int count, int64_t *words)
{
    uint64_t word;
    int i;

    for (i = 0; i < count; i++) {
        word = i % 8 == 0 ? 0 : (uint64_t)words[i / 8];
        words[i / 8] = (int64_t)(word | (uint64_t)bytes[i] << (56 - i % 8 * 8));
    }
}

int skerry_header_size(skerry_model *header, int *bytes, int *payload)
{
    int code = SKERRY_OK;
    int64_t *rows = header_rows(header, &code);

    if (rows == NULL)
        return code;
    free(rows);
    if (bytes != NULL)
        *bytes = header->header_bytes;
    if (payload != NULL)
        *payload = header->payload_bytes;
    return header->fields;
}

int skerry_header_field(skerry_model *header, const char *name, int *bits)
{
    int code = SKERRY_OK, field;
    int64_t *rows = header_rows(header, &code);
    const char *at;
    size_t length;

    if (rows == NULL)
        return code;
    code = header_step(header, SKERRY_DESCRIBE, rows, rows + header->inputs);
    if (code == SKERRY_OK && name != NULL) {
        /* The second line has two words, those of the header, then the fields. */
        at = strchr(header->names, '\n');
        for (field = -2 - (header->header_bytes + 7) / 8; field < header->fields; field++, at += length) {
            length = strcspn(++at, " \n");
            if (field >= 0 && strlen(name) == length && memcmp(at, name, length) == 0)
                break;
        }
        code = field < header->fields ? field : fail(SKERRY_REFUSED, "the header has no such field");
        if (code >= 0 && bits != NULL)
            *bits = (int)rows[header->inputs + header->outputs - header->fields + field];
    } else if (code == SKERRY_OK) {
        code = fail(SKERRY_REFUSED, "the name is NULL");
    }
    free(rows);
    return code;
}

int skerry_header_encode(skerry_model *header, const int64_t *fields, const uint8_t *payload, uint8_t *bytes)
{
    int code = SKERRY_OK, i, words;
    int64_t *rows = header_rows(header, &code);

    if (rows == NULL)
        return code;
    words = (header->header_bytes + 7) / 8;
    if (fields == NULL || bytes == NULL || (payload == NULL && header->payload_bytes > 0)) {
        code = fail(SKERRY_REFUSED, "fields, payload or bytes are NULL");
    } else {
        memcpy(rows + 1 + words, fields, (size_t)header->fields * sizeof *fields);
        to_words(payload, header->payload_bytes, rows + 1 + words + header->fields);
        code = header_step(header, SKERRY_ENCODE, rows, rows + header->inputs);
        for (i = 0; i < header->header_bytes && code == SKERRY_OK; i++)
            bytes[i] = (uint8_t)((uint64_t)rows[header->inputs + 2 + i / 8] >> (56 - i % 8 * 8));
    }
    free(rows);
    return code;
}

int skerry_header_decode(skerry_model *header, const uint8_t *bytes, const uint8_t *payload, int64_t *fields, int *state)
{
    int code = SKERRY_OK, words;
    int64_t *rows = header_rows(header, &code), *out;

    if (rows == NULL)
        return code;
    words = (header->header_bytes + 7) / 8;
    if (fields == NULL || bytes == NULL || (payload == NULL && header->payload_bytes > 0)) {
        code = fail(SKERRY_REFUSED, "fields, payload or bytes are NULL");
    } else {
        out = rows + header->inputs;
        to_words(bytes, header->header_bytes, rows + 1);
        to_words(payload, header->payload_bytes, rows + 1 + words + header->fields);
        code = header_step(header, SKERRY_DECODE, rows, out);
        if (code == SKERRY_OK) {
            memcpy(fields, out + 2 + words, (size_t)header->fields * sizeof *fields);
            if (state != NULL)
                *state = (int)out[1];
            code = (int)out[0];
        }
    }
    free(rows);
    return code;
}
