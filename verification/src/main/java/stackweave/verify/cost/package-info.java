/**
 * What sampling costs, as CPU time of the whole process for the same work: the command {@code
 * verification/cost}, and the programs that work.
 */
package stackweave.verify.cost;
