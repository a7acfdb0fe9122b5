/**
 * Libraries that Java code loads while samples are taken: an event with the stack of each load, and
 * files that are held open until their tables are read.
 */
package stackweave.agent.feature.load;
