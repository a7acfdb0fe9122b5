/**
 * Probes at malloc and its relatives: the kernel runs a small program of ours at these places,
 * which says which blocks are followed, and by which stack they were allocated. Opt-in, and only
 * while calls are few.
 */
package stackweave.engine.probe;
