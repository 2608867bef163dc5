// The recipients of a send: their phones, and what of the request applies to each. Pure.
import type { Fault } from '../../base/errors.ts';
import type { Location } from '../templates/template.ts';

export interface RequestedRecipient {
  phone: string;
  name?: string | undefined;
  variables?: Record<string, unknown> | undefined;
  mediaId?: string | undefined;
  location?: Location | undefined;
  metadata?: Record<string, string> | undefined;
}

const phonePattern = /^[1-9][0-9]{6,14}$/;

/** What is wrong with a phone and what to do; undefined if nothing is (E.164 without the plus sign). */
export function phoneFault(phone: string): string | undefined {
  if (phonePattern.test(phone)) return undefined;
  const stray = [...new Set(phone.replace(/[0-9]/g, ''))].map((sign) =>
    sign === ' ' ? 'spaces' : `"${sign}"`,
  );
  if (stray.length > 0) return `must be digits only, with the country code: remove ${stray.join(', ')}`;
  if (phone.startsWith('0')) return 'must begin with the country code, not with 0';
  return 'must have 7 to 15 digits, with the country code';
}

/** Faults of the phones: each well formed, none twice (one request never sends twice to one person). */
export function phoneFaults(recipients: RequestedRecipient[]): Fault[] {
  const first = new Map<string, number>();
  return recipients.flatMap(({ phone }, index) => {
    const path = `recipients[${index}].phone`;
    const fault = phoneFault(phone);
    if (fault) return [{ path, message: fault }];
    const earlier = first.get(phone);
    first.set(phone, earlier ?? index);
    return earlier === undefined ? [] : [{ path, message: `is the same as recipients[${earlier}].phone` }];
  });
}
