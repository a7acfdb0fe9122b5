/** The application's labels, as a feature of sampling. */
package stackweave.agent.feature.label;
