// Recipients as the platform reads them: the number to dial, and the person's id (pure).
import { rejection } from './errors.ts';

const twoDigitCodes = new Set(
  (
    '20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 ' +
    '81 82 84 86 90 91 92 93 94 95 98'
  ).split(' '),
);

/** The country code that a number in international form begins with. */
export function countryCodeOf(digits: string): string {
  if (digits[0] === '1' || digits[0] === '7') return digits.slice(0, 1);
  return digits.slice(0, twoDigitCodes.has(digits.slice(0, 2)) ? 2 : 3);
}

const e164 = /^[1-9][0-9]{6,14}$/;

/**
 * The digits of the recipient. Without a `+` the business number's country code is prepended, as the platform's
 * page on phone number formats says. Spaces, dashes and brackets are ignored.
 */
export function readRecipient(to: unknown, businessCountryCode: string): string {
  if (to === undefined || to === null || to === '') throw rejection(131008, "Parameter 'to' is required");
  const text = String(to);
  const digits = text.replace(/[\s().+-]/g, '');
  const phone = text.trimStart().startsWith('+') ? digits : businessCountryCode + digits;
  if (!e164.test(phone)) throw rejection(131009, `'to' is not a valid phone number: ${text.slice(0, 40)}`);
  return phone;
}

/**
 * The person's id, which may differ from the number: Brazilian mobiles outside the area codes 11 to 28 lose their ninth
 * digit, Mexican ones get a 1, Argentine ones a 9.
 */
export function waIdOf(phone: string): string {
  if (phone.startsWith('55') && phone.length === 13 && phone[4] === '9' && Number(phone.slice(2, 4)) > 28)
    return phone.slice(0, 4) + phone.slice(5);
  if (phone.startsWith('54') && phone.length === 12 && phone[2] !== '9') return `549${phone.slice(2)}`;
  if (phone.startsWith('52') && phone.length === 12) return `521${phone.slice(2)}`;
  return phone;
}
