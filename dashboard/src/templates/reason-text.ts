// The platform's reasons for a change of a template, in words.
import { textIfAny } from '../text/texts.ts';

/** What the reason means and what to do, such as for `INVALID_FORMAT`; undefined for one that says enough itself. */
export const reasonText = (reason: string): string | undefined =>
  textIfAny('templates', `reason_${/^[A-Z_]+/.exec(reason)?.[0] ?? ''}`);
