package stackweave.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Marks live tests in which a single wrong frame is a defect. They are never repeated to become
 * green; one that fails is run again to keep the wrong stack as a replay file ({@link
 * WrongStacks}).
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(WrongStacks.class)
public @interface Exact {}
