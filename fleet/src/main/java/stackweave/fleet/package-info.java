/**
 * The commands that spark-submit runs: recordings of many JVMs as tables, and questions to them.
 */
package stackweave.fleet;
