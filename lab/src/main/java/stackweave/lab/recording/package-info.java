/** What recordings say, read without the product's code: by JFR's reader and docs/events.md. */
package stackweave.lab.recording;
