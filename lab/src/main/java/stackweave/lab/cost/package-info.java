/**
 * What sampling costs, as CPU time of the whole process for the same work: the command {@code
 * lab/cost}, and the programs that work.
 */
package stackweave.lab.cost;
