// The formats of text fields that are ours: by name, what is wrong with a text and what to do. Pure.
import { emailProblem } from '../base/email.ts';
import { phoneDigits, phoneProblem } from '../base/phone.ts';

/** `idn-email` (JSON Schema): an address, its domain in any script. `phone`: digits with the country code, spelled freely. */
export const formats: Record<string, (text: string) => string | undefined> = {
  'idn-email': emailProblem,
  phone: (text) => phoneProblem(phoneDigits(text)),
};
