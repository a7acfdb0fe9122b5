/**
 * Questions to the tables: chosen samples as a profile, which the exports show like a recording.
 */
package stackweave.fleet.answer;
