// Formats of text fields: the problem of a text, by format name. Pure.
import { emailProblem } from '../base/email.ts';
import { phoneDigits, phoneProblem } from '../base/phone.ts';
import { isBlank } from '../base/visible.ts';

/**
 * `idn-email` (JSON Schema): an address with a domain in any script. `phone`: digits with country code, with any separators.
 * `not-blank`: a text of which something is visible.
 */
export const formats: Record<string, (text: string) => string | undefined> = {
  'idn-email': emailProblem,
  phone: (text) => phoneProblem(phoneDigits(text)),
  'not-blank': (text) => (isBlank(text) ? 'must not be blank' : undefined),
};
