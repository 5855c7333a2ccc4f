/* A program that uses CUDA's driver as its arguments say, one after the other:
     launch=SYMBOL,WORK[,TIMES]  gpu=N  context  destroy  graph  begin_capture  end_capture  threads=N  exit=N  _exit=N  signal=N  exec fork
     copy=BYTES  set=BYTES  profile  unprofile  mark=REGION  unmark=REGION  once=VARIABLE,WORD (where the environment has it)
   and NVTX, where its header is: push=NAME  pop  wide=NAME  start=NAME  end  domain=DOMAIN,NAME  leave (the domain)
   libcuda is opened as the loader finds it: where there is no GPU that is the one that stands in for it. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plumbline.h"
#ifdef WITH_NVTX
#include <nvtx3/nvToolsExt.h>
#include <wchar.h>
#endif

static void* library;

static void* function(const char* name) {
  void* found = dlsym(library, name);
  if (found == NULL) fprintf(stderr, "no %s\n", name), exit(9);
  return found;
}

static int launch(const char* symbol, unsigned work) {
  int (*launch_kernel)(const char*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**) =
      function("cuLaunchKernel");
  return launch_kernel(symbol, work, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
}

static void* current(void) {
  void* context = NULL;
  ((int (*)(void**))function("cuCtxGetCurrent"))(&context);
  return context;
}

static void* launch_many(void* number) {
  static const char* symbols[] = {"even", "odd"};
  for (int i = 0; i < 500; ++i) launch(symbols[*(int*)number % 2], *(int*)number + 1);
  return NULL;
}

static void launch_by_threads(int n) {
  pthread_t threads[16];
  int numbers[16];
  for (int i = 0; i < n; ++i) numbers[i] = i, pthread_create(&threads[i], NULL, launch_many, &numbers[i]);
  for (int i = 0; i < n; ++i) pthread_join(threads[i], NULL);
}

/* Whether the word was one of memory or of marks. */
static int obey_mark(const char* word) {
  char name[200];
  unsigned bytes = 0;
  if (sscanf(word, "copy=%u", &bytes) == 1)
    ((int (*)(unsigned long long, const void*, size_t))function("cuMemcpyHtoD"))(0, NULL, bytes);
  else if (sscanf(word, "set=%u", &bytes) == 1)
    ((int (*)(unsigned long long, unsigned char, size_t))function("cuMemsetD8"))(0, 0, bytes);
  else if (strcmp(word, "profile") == 0)
    ((int (*)(void))function("cuProfilerStart"))();
  else if (strcmp(word, "unprofile") == 0)
    ((int (*)(void))function("cuProfilerStop"))();
  else if (sscanf(word, "mark=%199s", name) == 1)
    PLUMBLINE_START(name);
  else if (sscanf(word, "unmark=%199s", name) == 1)
    PLUMBLINE_STOP(name);
  else
    return 0;
  return 1;
}

/* Whether the word was one of NVTX's. */
static int obey_nvtx(const char* word) {
#ifdef WITH_NVTX
  static nvtxRangeId_t started;
  static nvtxDomainHandle_t domain;
  char name[100], of_domain[100];
  wchar_t wide[100];
  if (sscanf(word, "push=%99s", name) == 1)
    nvtxRangePushA(name);
  else if (strcmp(word, "pop") == 0)
    nvtxRangePop();
  else if (sscanf(word, "wide=%99s", name) == 1)
    swprintf(wide, 100, L"%s\u00e9", name), nvtxRangePushW(wide);
  else if (sscanf(word, "start=%99s", name) == 1)
    started = nvtxRangeStartA(name);
  else if (strcmp(word, "end") == 0)
    nvtxRangeEnd(started);
  else if (sscanf(word, "domain=%99[^,],%99s", of_domain, name) == 2) {
    nvtxEventAttributes_t told = {
        .version = NVTX_VERSION, .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE, .messageType = NVTX_MESSAGE_TYPE_REGISTERED};
    if (domain == NULL) domain = nvtxDomainCreateA(of_domain);
    told.message.registered = nvtxDomainRegisterStringA(domain, name);
    nvtxDomainRangePushEx(domain, &told);
  } else if (strcmp(word, "leave") == 0)
    nvtxDomainRangePop(domain);
  else
    return 0;
  return 1;
#else
  (void)word;
  return 0;
#endif
}

static void obey(const char* word, char** argv) {
  char variable[100], then[200];
  if (sscanf(word, "once=%99[^,],%199s", variable, then) == 2) {
    if (getenv(variable) != NULL) obey(then, argv);
    return;
  }
  if (obey_mark(word) || obey_nvtx(word)) return;
  char symbol[200];
  unsigned work = 1, times = 1;
  int number = 0;
  void* context = NULL;
  if (sscanf(word, "launch=%199[^,],%u,%u", symbol, &work, &times) >= 2)
    while (times-- > 0) launch(symbol, work);
  else if (sscanf(word, "gpu=%d", &number) == 1) {
    ((int (*)(void**, int))function("cuDevicePrimaryCtxRetain"))(&context, number);
    ((int (*)(void*))function("cuCtxSetCurrent"))(context);
  } else if (strcmp(word, "context") == 0)
    ((int (*)(void**, unsigned, int))function("cuCtxCreate"))(&context, 0, 0);
  else if (strcmp(word, "destroy") == 0)
    ((int (*)(void*))function("cuCtxDestroy"))(current());
  else if (strcmp(word, "graph") == 0)
    ((int (*)(void*, void*))function("cuGraphLaunch"))(NULL, NULL);
  else if (strcmp(word, "begin_capture") == 0) {
    if (((int (*)(void*, int))function("cuStreamBeginCapture_v2"))(NULL, 0) != 0) exit(8);
  } else if (strcmp(word, "end_capture") == 0)
    ((int (*)(void*, void*))function("cuStreamEndCapture"))(NULL, NULL);
  else if (sscanf(word, "threads=%d", &number) == 1)
    launch_by_threads(number);
  else if (sscanf(word, "exit=%d", &number) == 1)
    exit(number);
  else if (sscanf(word, "_exit=%d", &number) == 1)
    _exit(number);
  else if (sscanf(word, "signal=%d", &number) == 1)
    raise(number);
  else if (strcmp(word, "exec") == 0) {
    char* again[] = {argv[0], "launch=after,5", NULL};
    execv("/proc/self/exe", again);
  } else if (strcmp(word, "fork") == 0) {
    if (fork() == 0) exit(0);
    wait(NULL);
  } else
    fprintf(stderr, "unknown word %s\n", word), exit(9);
}

int main(int argc, char** argv) {
  if (argc < 2) return 0; /* no call of CUDA at all */
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == NULL) return fprintf(stderr, "%s\n", dlerror()), 9;
  ((int (*)(unsigned))function("cuInit"))(0);
  for (int i = 1; i < argc; ++i) obey(argv[i], argv);
  puts("the program's own words");
  return 0;
}
