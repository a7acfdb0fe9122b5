package stackweave.maps.modules;

import stackweave.maps.elf.ElfImage;

/**
 * An image, and where it was read from.
 *
 * @param elf the image, or null with {@link ImageOrigin#NONE}
 * @param why why it was read from there; empty if there is nothing to explain
 */
public record OpenedImage(ElfImage elf, ImageOrigin origin, String why) {}
