// The formats of text fields that are ours: by name, what is wrong with a text and what to do. Pure.
import { emailFault } from '../base/email.ts';
import { phoneDigits, phoneFault } from '../base/phone.ts';

/** `idn-email` (JSON Schema): an address, its domain in any script. `phone`: digits with the country code, spelled freely. */
export const formats: Record<string, (text: string) => string | undefined> = {
  'idn-email': emailFault,
  phone: (text) => phoneFault(phoneDigits(text)),
};
