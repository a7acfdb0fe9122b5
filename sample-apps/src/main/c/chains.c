/* Java -> entry -> outer -> middle -> inner -> leaf. */
#include "lab.h"

uint64_t lab_chain_outer(uint64_t x, long work);
uint64_t lab_chain_middle(uint64_t x, long work);
uint64_t lab_chain_inner(uint64_t x, long work);
uint64_t lab_chain_leaf(uint64_t x, long work);

LAB uint64_t lab_chain_leaf(uint64_t x, long work) { return lab_mix_many(x, work); }

LAB uint64_t lab_chain_inner(uint64_t x, long work) {
  uint64_t a = lab_chain_leaf(x, work / 2);
  return a ^ lab_chain_leaf(a + 1, work / 2);
}

/* Six arguments alive over two calls: all callee-saved registers are pushed. */
LAB static uint64_t lab_chain_static(uint64_t x, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                                     long work) {
  uint64_t y = lab_chain_inner(x, work);
  return lab_chain_inner(y ^ a ^ (b << 1), work) + a * 3 + b * 5 + c * 7 + d * 11;
}

LAB uint64_t lab_chain_middle(uint64_t x, long work) {
  return lab_chain_static(x, x + 1, x + 2, x + 3, x + 4, work / 2) + 1;
}

LAB uint64_t lab_chain_outer(uint64_t x, long work) { return lab_chain_middle(x, work) + 1; }

JNIEXPORT jlong JNICALL Java_stackweave_samples_lab_phase_Chains_run(JNIEnv *env, jclass self,
                                                                     jlong seed, jint work) {
  (void)env;
  (void)self;
  return (jlong)(lab_chain_outer((uint64_t)seed, work) + 1);
}
