/** Applications and agents that the integration tests run in JVMs of their own. */
package stackweave.agent.apps;
