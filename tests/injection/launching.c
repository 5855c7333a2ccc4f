/* A program that uses CUDA's driver as its arguments say, one after the other:
     launch=SYMBOL,WORK[,TIMES]  gpu=N  context  destroy  graph  begin_capture  end_capture  threads=N  exit=N  _exit=N  signal=N  exec  fork
   libcuda is opened as the loader finds it: where there is no GPU that is the one that stands in for it. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

static void obey(const char* word, char** argv) {
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
