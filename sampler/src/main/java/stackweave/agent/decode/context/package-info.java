/** What sampled threads worked for, by the labels that the application sets. */
package stackweave.agent.decode.context;
