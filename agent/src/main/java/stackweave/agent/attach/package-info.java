/** What the command line and an agent in another JVM say to each other. */
package stackweave.agent.attach;
