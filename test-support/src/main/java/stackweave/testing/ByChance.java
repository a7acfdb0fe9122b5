package stackweave.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * Marks live tests whose result depends on chance: they count samples or measure time. The build
 * repeats such a test once if it fails, and says so at its end ({@link Totals}). A test in which a
 * single wrong frame is a defect must not be one of these.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Tag("chance")
public @interface ByChance {}
