/*
 * Ways to wait in native code, for WaitingApp: each in a chain of functions of its own. Built with
 * and without frame pointers; CLASS is the Java class of the build, as JNI has it.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <errno.h>
#include <jni.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define JOIN(a, b, c) a##b##c
#define FUNCTION(class, name) JOIN(Java_stackweave_live_waiting_, class, name)

#define NOINLINE __attribute__((noinline, noipa))

enum kind { NANOSLEEP, CONDITION, SEMAPHORE, RECEIVE, POLL, PAUSE, PIPE, EPOLL, SELECT, LARGE, KINDS };

/* Keeps the compiler from making the call before it a jump. */
#define AFTER_CALL() __asm__ volatile("" ::: "memory")

NOINLINE static int wait_nanosleep(void) {
  struct timespec time = {1000, 0};
  int result = nanosleep(&time, NULL);
  AFTER_CALL();
  return result;
}

NOINLINE static int wait_condition(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&mutex);
  int result = pthread_cond_wait(&condition, &mutex);
  AFTER_CALL();
  return result;
}

NOINLINE static int wait_semaphore(void) {
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  int result = sem_wait(&semaphore);
  AFTER_CALL();
  return result;
}

NOINLINE static int wait_receive(void) {
  int ends[2];
  char byte;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
    return -1;
  }
  int result = (int)recv(ends[0], &byte, 1, 0);
  AFTER_CALL();
  return result;
}

/* A frame whose size only runs tell. */
NOINLINE static int wait_poll(int bytes) {
  int ends[2];
  if (pipe(ends) != 0) {
    return -1;
  }
  char *buffer = alloca(bytes);
  memset(buffer, bytes, bytes);
  struct pollfd *polled = (struct pollfd *)buffer;
  polled->fd = ends[0];
  polled->events = POLLIN;
  int result = poll(polled, 1, -1) + buffer[bytes - 1];
  AFTER_CALL();
  return result;
}

NOINLINE static int wait_pause(void) {
  int result = pause();
  AFTER_CALL();
  return result;
}

NOINLINE static int wait_pipe(void) {
  int ends[2];
  char byte;
  if (pipe(ends) != 0) {
    return -1;
  }
  int result = (int)read(ends[0], &byte, 1);
  AFTER_CALL();
  return result;
}

NOINLINE static int wait_epoll(void) {
  struct epoll_event event;
  int result = epoll_wait(epoll_create1(EPOLL_CLOEXEC), &event, 1, -1);
  AFTER_CALL();
  return result;
}

NOINLINE static int wait_select(void) {
  int ends[2];
  fd_set set;
  if (pipe(ends) != 0) {
    return -1;
  }
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  int result = select(ends[0] + 1, &set, NULL, NULL, NULL);
  AFTER_CALL();
  return result;
}

/* Leaves return addresses on the stack. */
NOINLINE static int leave_frames(int count) {
  int result = count == 0 ? 0 : leave_frames(count - 1) + 1;
  AFTER_CALL();
  return result;
}

/* A frame that -fstack-clash-protection reserves in a loop, over old frames. */
NOINLINE static int wait_large(void) {
  volatile char buffer[65536];
  struct timespec time = {1000, 0};
  buffer[0] = 1;
  int result = nanosleep(&time, NULL) + buffer[0];
  AFTER_CALL();
  return result;
}

NOINLINE static int wait_once(int kind) {
  int result;
  switch (kind) {
  case NANOSLEEP:
    result = wait_nanosleep();
    break;
  case CONDITION:
    result = wait_condition();
    break;
  case SEMAPHORE:
    result = wait_semaphore();
    break;
  case RECEIVE:
    result = wait_receive();
    break;
  case POLL:
    result = wait_poll(1000 + 16 * kind);
    break;
  case PAUSE:
    result = wait_pause();
    break;
  case PIPE:
    result = wait_pipe();
    break;
  case EPOLL:
    result = wait_epoll();
    break;
  case LARGE:
    leave_frames(4000);
    result = wait_large();
    break;
  default:
    result = wait_select();
    break;
  }
  AFTER_CALL();
  return result;
}

static pthread_mutex_t contended = PTHREAD_MUTEX_INITIALIZER;

NOINLINE static int wait_mutex(void) {
  int result = pthread_mutex_lock(&contended);
  AFTER_CALL();
  return result;
}

/* Waits for the mutex, and has it from then on. */
JNIEXPORT jint JNICALL FUNCTION(CLASS, _lock)(JNIEnv *env, jclass self) {
  (void)env;
  (void)self;
  jint result = wait_mutex();
  AFTER_CALL();
  return result;
}

JNIEXPORT jint JNICALL FUNCTION(CLASS, _unlock)(JNIEnv *env, jclass self) {
  (void)env;
  (void)self;
  return pthread_mutex_unlock(&contended);
}

NOINLINE static int wait_for_ever(int kind) {
  int result = 0;
  while (result != 12345) { /* a debugger interrupts some calls */
    result = wait_once(kind);
  }
  AFTER_CALL();
  return result;
}

JNIEXPORT jint JNICALL FUNCTION(CLASS, _block)(JNIEnv *env, jclass self, jint kind) {
  (void)env;
  (void)self;
  jint result = wait_for_ever(kind);
  AFTER_CALL();
  return result;
}

NOINLINE static void call_back(JNIEnv *env, jclass self, jmethodID method) {
  (*env)->CallStaticVoidMethod(env, self, method);
  AFTER_CALL();
}

JNIEXPORT void JNICALL FUNCTION(CLASS, _callBack)(JNIEnv *env, jclass self) {
  jmethodID method = (*env)->GetStaticMethodID(env, self, "parked", "()V");
  if (method != NULL) {
    call_back(env, self, method);
  }
  AFTER_CALL();
}
