/* The C side of dev.skerry.tools.cosim.ModelHandle. Depends on libc, and loads libjvm when Java starts. */
#include "skerry.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <jni.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_OPTIONS 40
#define DOOR "dev/skerry/tools/cosim/ModelHandle"
#define INDEX_BITS 24
#define BLOCK_MODELS 1024
#define BLOCKS ((1 << INDEX_BITS) / BLOCK_MODELS)

/*
 * A handle is a number, not an address: the generation of a table entry above the index of the entry. Entries are
 * reused and never freed, so a handle that was closed or never issued is detected.
 */
struct model {
    uint64_t handle;    /* 0 while there is no model */
    uint64_t last;      /* handle issued last; the first one has generation 1 */
    struct model *next; /* next unused entry */
    jobject door;
    int64_t *rows;
    int64_t *answers;
    int inputs;
    int outputs;
    int batch;
    const char *names;
    const char *findings;
    /* Sizes of a described header; 0 until they are queried. */
    int header_bytes;
    int payload_bytes;
    int fields;
};

_Static_assert(sizeof(void *) == sizeof(uint64_t), "handles have 64 bits");

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t placing = PTHREAD_MUTEX_INITIALIZER;
static struct model *blocks[BLOCKS];
static struct model *unused;
static int blocks_made;
static pthread_key_t attached;
static JavaVM *machine;
static jclass door_class;
static jmethodID door_open, door_property, door_steps, door_close, door_text, door_get, door_set, door_copy, door_offer;
static jmethodID door_save, door_restore, door_coverage;
static jclass refusal_class;
/* Why the running JVM cannot be used; "" if it can. */
static char unusable[512];

static __thread JNIEnv *thread_env;
static __thread char thread_error[512];
static __thread int thread_code;

static int fail(int code, const char *text)
{
    snprintf(thread_error, sizeof thread_error, "%s", text);
    thread_code = code;
    return code;
}

static void succeed(void)
{
    thread_error[0] = '\0';
    thread_code = SKERRY_OK;
}

const char *skerry_version(void)
{
    return SKERRY_VERSION;
}

int skerry_error_code(void)
{
    return thread_code;
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

/* Clears a pending Java exception, and stores its text as the reason why the JVM cannot be used. */
static void describe(JNIEnv *env, const char *what)
{
    jthrowable failure = (*env)->ExceptionOccurred(env);
    jmethodID to_string;
    jstring text = NULL;
    const char *chars = NULL;

    (*env)->ExceptionClear(env);
    to_string = failure == NULL ? NULL
        : (*env)->GetMethodID(env, (*env)->GetObjectClass(env, failure), "toString", "()Ljava/lang/String;");
    if (to_string != NULL)
        text = (jstring)(*env)->CallObjectMethod(env, failure, to_string);
    if (!(*env)->ExceptionCheck(env) && text != NULL)
        chars = (*env)->GetStringUTFChars(env, text, NULL);
    (*env)->ExceptionClear(env);
    snprintf(unusable, sizeof unusable, "%s: %s", what, chars != NULL ? chars : "Java does not say why");
}

/* Looks up classes and methods, once. */
static int find(JNIEnv *env)
{
    static const struct {
        jmethodID *method;
        const char *name, *type;
        int is_static;
    } methods[] = {
        {&door_open, "open", "(Ljava/lang/String;)L" DOOR ";", 1}, {&door_property, "property", "(I)J", 0},
        {&door_steps, "steps", "(I)V", 0}, {&door_close, "close", "()V", 0},
        {&door_get, "get", "(Ljava/lang/String;)[J", 0}, {&door_set, "set", "(Ljava/lang/String;[J)V", 0},
        {&door_copy, "copyFrom", "(L" DOOR ";)V", 0}, {&door_offer, "offer", "(JIII)I", 0},
        {&door_save, "save", "()[B", 0}, {&door_restore, "restore", "([B)V", 0},
        {&door_coverage, "writeCoverage", "(Ljava/lang/String;)V", 0},
        {&door_text, "text", "(Ljava/lang/Throwable;)Ljava/lang/String;", 1}};
    jclass door = (*env)->FindClass(env, DOOR);
    jclass refusal = door == NULL ? NULL : (*env)->FindClass(env, "java/lang/IllegalArgumentException");
    unsigned i;

    if (refusal == NULL) {
        describe(env, "the classes of Skerry do not load");
        return fail(SKERRY_NO_JAVA, unusable);
    }
    for (i = 0; i < sizeof methods / sizeof *methods; i++) {
        *methods[i].method = methods[i].is_static
            ? (*env)->GetStaticMethodID(env, door, methods[i].name, methods[i].type)
            : (*env)->GetMethodID(env, door, methods[i].name, methods[i].type);
        if (*methods[i].method == NULL) {
            describe(env, "skerry.jar is of another version than this library, " SKERRY_VERSION);
            return fail(SKERRY_NO_JAVA, unusable);
        }
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

/* Whether a class path entry contains the class that C calls. A jar contains the name of the class in plain text. */
static int holds_skerry(const char *entry)
{
    char path[4096];
    struct stat of;
    void *bytes;
    int file, found = 0;

    if (stat(entry, &of) == 0 && S_ISDIR(of.st_mode)) {
        snprintf(path, sizeof path, "%s/" DOOR ".class", entry);
        return access(path, R_OK) == 0;
    }
    file = open(entry, O_RDONLY | O_CLOEXEC);
    if (file >= 0 && fstat(file, &of) == 0 && of.st_size > 0) {
        bytes = mmap(NULL, (size_t)of.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED) {
            found = memmem(bytes, (size_t)of.st_size, DOOR ".class", strlen(DOOR ".class")) != NULL;
            munmap(bytes, (size_t)of.st_size);
        }
    }
    if (file >= 0)
        close(file);
    return found;
}

/* Checks the class path before the JVM starts, because the JVM cannot be started twice. */
static int check_class_path(const char *class_path)
{
    char *path = strdup(class_path), *rest = NULL, *entry;
    int found = 0;

    for (entry = path == NULL ? NULL : strtok_r(path, ":", &rest); entry != NULL && !found;
        entry = strtok_r(NULL, ":", &rest))
        found = holds_skerry(entry);
    free(path);
    if (!found) {
        snprintf(thread_error, sizeof thread_error, "no classes of Skerry in %s: point SKERRY_JAR at skerry.jar",
            class_path);
        thread_code = SKERRY_NO_JAVA;
    }
    return found ? SKERRY_OK : SKERRY_NO_JAVA;
}

/* Loads libjvm of the JDK that the library was built with, or else of JAVA_HOME, or of the loader's path. */
static void *load_jvm(void)
{
    static const char *const at = "/lib/server/libjvm.so";
    const char *home = getenv("JAVA_HOME");
    char path[4096];
    void *jvm = dlopen(SKERRY_JDK "/lib/server/libjvm.so", RTLD_NOW);

    if (jvm == NULL && home != NULL) {
        snprintf(path, sizeof path, "%s%s", home, at);
        jvm = dlopen(path, RTLD_NOW);
    }
    if (jvm == NULL)
        jvm = dlopen("libjvm.so", RTLD_NOW);
    if (jvm == NULL)
        fail(SKERRY_NO_JAVA, "no libjvm.so in " SKERRY_JDK "/lib/server, where it was when this library was built: point "
            "JAVA_HOME at a JDK 25");
    return jvm;
}

static int create(const char *class_path, const char *given)
{
    /*
     * -Xrs leaves SIGINT, SIGTERM, SIGHUP and SIGQUIT to the simulator. The serial collector uses a single GC thread,
     * and the JVM prints nothing on the simulator's standard output. The remaining options are those of
     * ../../../skerry, because no manifest opens packages here.
     */
    static const char *const usual[] = {"-Xrs", "-XX:+UseSerialGC", "-XX:+DisplayVMOutputToStderr",
        "--enable-native-access=ALL-UNNAMED", "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow"};
    JavaVMOption options[MAX_OPTIONS];
    JavaVMInitArgs args;
    JavaVM *created = NULL;
    JNIEnv *env = NULL;
    const char *set = getenv("SKERRY_JAVA_OPTIONS");
    jint (*make)(JavaVM **, void **, void *);
    void *jvm, *symbol;
    char *path, *list;
    jint answer;
    int count = 0;

    if (class_path == NULL)
        class_path = getenv("SKERRY_JAR");
    if (class_path == NULL)
        return fail(SKERRY_NO_JAVA, "no class path: point SKERRY_JAR at skerry.jar");
    if (check_class_path(class_path) != SKERRY_OK || (jvm = load_jvm()) == NULL)
        return SKERRY_NO_JAVA;
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
    options[count++].optionString = path;
    for (; count <= (int)(sizeof usual / sizeof *usual); count++)
        options[count].optionString = (char *)usual[count - 1];
    args.version = JNI_VERSION_10;
    args.options = options;
    args.nOptions = split(list, options, count);
    args.ignoreUnrecognized = JNI_FALSE;
    symbol = dlsym(jvm, "JNI_CreateJavaVM");
    memcpy(&make, &symbol, sizeof make);
    answer = make(&created, (void **)&env, &args);
    free(path);
    free(list);
    if (answer != JNI_OK) {
        pthread_key_delete(attached);
        /* In a second attempt, HotSpot would mix the options of both attempts. */
        snprintf(unusable, sizeof unusable, "%s", answer == JNI_EEXIST
            ? "this process has a Java machine that somebody else has started"
            : "the JVM refused its options or found no memory, see standard error; start again in a new process");
        return fail(SKERRY_NO_JAVA, unusable);
    }
    answer = find(env);
    thread_env = env;
    /* Published last, because other threads must not use a JVM without Skerry's classes. */
    machine = created;
    return answer;
}

int skerry_start(const char *class_path, const char *options)
{
    int code = SKERRY_OK;

    succeed();
    pthread_mutex_lock(&starting);
    if (unusable[0] != '\0')
        code = fail(SKERRY_NO_JAVA, unusable);
    else if (machine == NULL)
        code = create(class_path, options);
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

/* Returns an unused entry, NULL if there is no memory. */
static struct model *take_entry(void)
{
    struct model *model, *block;
    int i;

    pthread_mutex_lock(&placing);
    if (unused == NULL && blocks_made < BLOCKS && (block = calloc(BLOCK_MODELS, sizeof *block)) != NULL) {
        for (i = BLOCK_MODELS - 1; i >= 0; i--) {
            block[i].last = (uint64_t)blocks_made * BLOCK_MODELS + (uint64_t)i;
            block[i].next = unused;
            unused = &block[i];
        }
        __atomic_store_n(&blocks[blocks_made++], block, __ATOMIC_RELEASE);
    }
    model = unused;
    if (model != NULL)
        unused = model->next;
    pthread_mutex_unlock(&placing);
    return model;
}

static void free_entry(struct model *model)
{
    pthread_mutex_lock(&placing);
    model->next = unused;
    unused = model;
    pthread_mutex_unlock(&placing);
}

/* Returns the model of a handle, NULL if there is none. A NULL handle keeps the reason why there is no model. */
static struct model *model_of(const skerry_model *handle)
{
    uint64_t number = (uintptr_t)handle, index = number & ((1 << INDEX_BITS) - 1);
    struct model *block = __atomic_load_n(&blocks[index / BLOCK_MODELS], __ATOMIC_ACQUIRE);
    struct model *model = block == NULL ? NULL : &block[index % BLOCK_MODELS];

    if (number != 0 && model != NULL && __atomic_load_n(&model->handle, __ATOMIC_ACQUIRE) == number) {
        succeed();
        return model;
    }
    if (handle != NULL)
        fail(SKERRY_NO_MODEL, "this is not a model, or it is closed");
    else if (thread_code == SKERRY_OK)
        fail(SKERRY_NO_MODEL, "the model is NULL");
    return NULL;
}

skerry_model *skerry_open(const char *description)
{
    struct model *model;
    JNIEnv *env;
    jstring line;
    jobject door = NULL;

    if (skerry_start(NULL, NULL) != SKERRY_OK || (env = env_of_thread()) == NULL)
        return NULL;
    if (description == NULL) {
        fail(SKERRY_REFUSED, "description is NULL");
        return NULL;
    }
    model = take_entry();
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
        model->header_bytes = 0;
        (*env)->DeleteLocalRef(env, door);
    }
    if (line != NULL)
        (*env)->DeleteLocalRef(env, line);
    if (caught(env) != SKERRY_OK || door == NULL || model->door == NULL) {
        if (model != NULL)
            free_entry(model);
        if (thread_code == SKERRY_OK)
            fail(SKERRY_FAILED, "out of memory");
        return NULL;
    }
    model->last += 1 << INDEX_BITS;
    __atomic_store_n(&model->handle, model->last, __ATOMIC_RELEASE);
    return (skerry_model *)(uintptr_t)model->last;
}

/* Returns the model of a handle and the JNI environment of this thread; NULL after a failure. */
static struct model *env_for(const skerry_model *handle, JNIEnv **env, int *code)
{
    struct model *model = model_of(handle);

    if (model == NULL) {
        *code = SKERRY_NO_MODEL;
    } else if ((*env = env_of_thread()) == NULL) {
        *code = SKERRY_NO_JAVA;
        model = NULL;
    }
    return model;
}

int skerry_close(skerry_model *handle)
{
    uint64_t number = (uintptr_t)handle;
    int code = SKERRY_OK;
    JNIEnv *env;
    struct model *model;

    if (handle == NULL)
        return SKERRY_OK;
    model = env_for(handle, &env, &code);
    if (model == NULL)
        return code;
    if (!__atomic_compare_exchange_n(&model->handle, &number, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return fail(SKERRY_NO_MODEL, "this is not a model, or it is closed");
    (*env)->CallVoidMethod(env, model->door, door_close);
    code = caught(env);
    (*env)->DeleteGlobalRef(env, model->door);
    free_entry(model);
    return code;
}

int skerry_inputs(const skerry_model *handle)
{
    struct model *model = model_of(handle);

    return model == NULL ? SKERRY_NO_MODEL : model->inputs;
}

int skerry_outputs(const skerry_model *handle)
{
    struct model *model = model_of(handle);

    return model == NULL ? SKERRY_NO_MODEL : model->outputs;
}

const char *skerry_names(const skerry_model *handle)
{
    struct model *model = model_of(handle);

    return model == NULL ? NULL : model->names;
}

const char *skerry_findings(const skerry_model *handle)
{
    struct model *model = model_of(handle);

    return model == NULL ? NULL : model->findings;
}

int skerry_steps(skerry_model *handle, int64_t count, const int64_t *in, int64_t *out)
{
    int code = SKERRY_OK;
    JNIEnv *env;
    struct model *model = env_for(handle, &env, &code);

    if (model == NULL)
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

int64_t skerry_get(const skerry_model *handle, const char *name, int64_t *words, int64_t most)
{
    int code = SKERRY_OK;
    JNIEnv *env;
    struct model *model = env_for(handle, &env, &code);
    jstring line;
    jlongArray found = NULL;
    jsize count = 0;

    if (model == NULL)
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

int skerry_set(skerry_model *handle, const char *name, const int64_t *words, int64_t count)
{
    int code = SKERRY_OK;
    JNIEnv *env;
    struct model *model = env_for(handle, &env, &code);
    jstring line;
    jlongArray given;

    if (model == NULL)
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
    JNIEnv *env;
    struct model *source = env_for(from, &env, &code), *model = source == NULL ? NULL : env_for(to, &env, &code);

    if (model == NULL)
        return code;
    (*env)->CallVoidMethod(env, model->door, door_copy, source->door);
    return caught(env);
}

int skerry_coverage(const skerry_model *handle, const char *file)
{
    int code = SKERRY_OK;
    JNIEnv *env;
    struct model *model = env_for(handle, &env, &code);
    jstring path;

    if (model == NULL)
        return code;
    if (file == NULL)
        return fail(SKERRY_REFUSED, "the file is NULL");
    path = (*env)->NewStringUTF(env, file);
    if (path != NULL) {
        (*env)->CallVoidMethod(env, model->door, door_coverage, path);
        (*env)->DeleteLocalRef(env, path);
    }
    return caught(env);
}

int64_t skerry_save(const skerry_model *handle, void *bytes, int64_t most)
{
    int code = SKERRY_OK;
    JNIEnv *env;
    struct model *model = env_for(handle, &env, &code);
    jbyteArray state;
    jsize count = 0;

    if (model == NULL)
        return code;
    if (most < 0 || (most > 0 && bytes == NULL))
        return fail(SKERRY_REFUSED, "no room for a state");
    state = (jbyteArray)(*env)->CallObjectMethod(env, model->door, door_save);
    code = caught(env);
    if (code == SKERRY_OK) {
        count = (*env)->GetArrayLength(env, state);
        if (count <= most)
            (*env)->GetByteArrayRegion(env, state, 0, count, (jbyte *)bytes);
        (*env)->DeleteLocalRef(env, state);
    }
    return code == SKERRY_OK ? count : code;
}

int skerry_restore(skerry_model *handle, const void *bytes, int64_t count)
{
    int code = SKERRY_OK;
    JNIEnv *env;
    struct model *model = env_for(handle, &env, &code);
    jbyteArray state;

    if (model == NULL)
        return code;
    if (bytes == NULL || count < 0 || count > INT32_MAX)
        return fail(SKERRY_REFUSED, "this is not a saved state");
    state = (*env)->NewByteArray(env, (jsize)count);
    if (state != NULL) {
        (*env)->SetByteArrayRegion(env, state, 0, (jsize)count, (const jbyte *)bytes);
        (*env)->CallVoidMethod(env, model->door, door_restore, state);
    }
    code = caught(env);
    if (state != NULL)
        (*env)->DeleteLocalRef(env, state);
    return code;
}

int skerry_offer(skerry_model *handle, int64_t slot, int source, int destination, int cells)
{
    int code = SKERRY_OK;
    JNIEnv *env;
    struct model *model = env_for(handle, &env, &code);
    jint flow;

    if (model == NULL)
        return code;
    flow = (*env)->CallIntMethod(env, model->door, door_offer, (jlong)slot, (jint)source, (jint)destination,
        (jint)cells);
    code = caught(env);
    return code == SKERRY_OK ? flow : code;
}

static int pieo(skerry_model *handle, int64_t request, int64_t id, int64_t rank, int64_t time, int64_t *out)
{
    int64_t in[] = {request, id, rank, time, SKERRY_PIEO_ANYWHERE};
    int64_t ports[8];
    struct model *model = model_of(handle);
    int code;

    if (model == NULL)
        return SKERRY_NO_MODEL - SKERRY_CALL;
    if (model->inputs != 5 || model->outputs != 8)
        return fail(SKERRY_NO_MODEL, "this model is not a PIEO") - SKERRY_CALL;
    code = skerry_step(handle, in, out != NULL ? out : ports);
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

/*
 * Returns the rows for an operation of a described header, both in one block; NULL after a failure. The first call
 * queries the sizes of the header.
 */
static int64_t *header_rows(skerry_model *handle, struct model **of, int *code)
{
    int64_t *rows = NULL;
    struct model *header = *of = model_of(handle);
    int words;

    if (header == NULL)
        *code = SKERRY_NO_MODEL;
    else if (strncmp(header->names, "header_op ", 10) != 0)
        *code = fail(SKERRY_NO_MODEL, "this model is not a header");
    else if ((rows = calloc((size_t)header->inputs + header->outputs, sizeof *rows)) == NULL)
        *code = fail(SKERRY_FAILED, "out of memory");
    else if (header->header_bytes == 0
        && (*code = header_step(handle, SKERRY_DESCRIBE, rows, rows + header->inputs)) == SKERRY_OK) {
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

int skerry_header_size(skerry_model *handle, int *bytes, int *payload)
{
    int code = SKERRY_OK;
    struct model *header;
    int64_t *rows = header_rows(handle, &header, &code);

    if (rows == NULL)
        return code;
    free(rows);
    if (bytes != NULL)
        *bytes = header->header_bytes;
    if (payload != NULL)
        *payload = header->payload_bytes;
    return header->fields;
}

int skerry_header_field(skerry_model *handle, const char *name, int *bits)
{
    int code = SKERRY_OK, field;
    struct model *header;
    int64_t *rows = header_rows(handle, &header, &code);
    const char *at;
    size_t length;

    if (rows == NULL)
        return code;
    code = header_step(handle, SKERRY_DESCRIBE, rows, rows + header->inputs);
    if (code == SKERRY_OK && name != NULL) {
        /* The second line lists two words, the words of the header, and then the fields. */
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

int skerry_header_encode(skerry_model *handle, const int64_t *fields, const uint8_t *payload, uint8_t *bytes)
{
    int code = SKERRY_OK, i, words;
    struct model *header;
    int64_t *rows = header_rows(handle, &header, &code);

    if (rows == NULL)
        return code;
    words = (header->header_bytes + 7) / 8;
    if (fields == NULL || bytes == NULL || (payload == NULL && header->payload_bytes > 0)) {
        code = fail(SKERRY_REFUSED, "fields, payload or bytes are NULL");
    } else {
        memcpy(rows + 1 + words, fields, (size_t)header->fields * sizeof *fields);
        to_words(payload, header->payload_bytes, rows + 1 + words + header->fields);
        code = header_step(handle, SKERRY_ENCODE, rows, rows + header->inputs);
        for (i = 0; i < header->header_bytes && code == SKERRY_OK; i++)
            bytes[i] = (uint8_t)((uint64_t)rows[header->inputs + 2 + i / 8] >> (56 - i % 8 * 8));
    }
    free(rows);
    return code;
}

int skerry_header_decode(skerry_model *handle, const uint8_t *bytes, const uint8_t *payload, int64_t *fields, int *state)
{
    int code = SKERRY_OK, words;
    struct model *header;
    int64_t *rows = header_rows(handle, &header, &code), *out;

    if (rows == NULL)
        return code;
    words = (header->header_bytes + 7) / 8;
    if (fields == NULL || bytes == NULL || (payload == NULL && header->payload_bytes > 0)) {
        code = fail(SKERRY_REFUSED, "fields, payload or bytes are NULL");
    } else {
        out = rows + header->inputs;
        to_words(bytes, header->header_bytes, rows + 1);
        to_words(payload, header->payload_bytes, rows + 1 + words + header->fields);
        code = header_step(handle, SKERRY_DECODE, rows, out);
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
