/*
 * Java -> C -> Java -> C ...: down() enters C, lab_callback_to_java() calls back up() through
 * another JNI function on every level, up() calls down() again until level 0 burns in C.
 */
#include "lab.h"

uint64_t lab_callback_descend(JNIEnv *env, jobject self, jint level, uint64_t x, jint work);
uint64_t lab_callback_to_java(JNIEnv *env, jobject self, jint level, uint64_t x, jint work);
uint64_t lab_callback_bottom(uint64_t x, long work);
uint64_t lab_callback_leaf(uint64_t x, long work);

LAB uint64_t lab_callback_leaf(uint64_t x, long work) { return lab_mix_many(x, work); }

LAB uint64_t lab_callback_bottom(uint64_t x, long work) { return lab_callback_leaf(x, work) + 1; }

LAB uint64_t lab_callback_to_java(JNIEnv *env, jobject self, jint level, uint64_t x, jint work) {
  jclass type = (*env)->GetObjectClass(env, self);
  jlong y = 0;
  if (level % 3 == 0) {
    jmethodID up = (*env)->GetMethodID(env, type, "up", "(IJI)J");
    y = up == NULL ? 0 : (*env)->CallLongMethod(env, self, up, level - 1, (jlong)x, work);
  } else if (level % 3 == 1) {
    jmethodID up = (*env)->GetStaticMethodID(
        env, type, "upStatic", "(Lstackweave/samples/lab/phase/Callbacks;IJI)J");
    y = up == NULL ? 0
                   : (*env)->CallStaticLongMethod(env, type, up, self, level - 1, (jlong)x, work);
  } else {
    jmethodID up = (*env)->GetMethodID(env, type, "up", "(IJI)J");
    jvalue args[3] = {{.i = level - 1}, {.j = (jlong)x}, {.i = work}};
    y = up == NULL ? 0 : (*env)->CallNonvirtualLongMethodA(env, self, type, up, args);
  }
  (*env)->DeleteLocalRef(env, type);
  return (uint64_t)y + 1; /* a pending exception travels on by itself */
}

LAB uint64_t lab_callback_descend(JNIEnv *env, jobject self, jint level, uint64_t x, jint work) {
  if (level == 0) {
    return lab_callback_bottom(x, work) + 1;
  }
  return lab_callback_to_java(env, self, level, x, work) + 1;
}

JNIEXPORT jlong JNICALL Java_stackweave_samples_lab_phase_Callbacks_down(JNIEnv *env, jobject self,
                                                                         jint level, jlong x,
                                                                         jint work) {
  return (jlong)(lab_callback_descend(env, self, level, (uint64_t)x, work) + 1);
}
