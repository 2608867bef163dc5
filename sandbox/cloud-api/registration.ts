// Registering a number for the platform's API: its PIN, and the limit of ten attempts in 72 hours.
import { type Call, type Platform, readJson, respond } from './call.ts';
import { badParam, rejection } from './errors.ts';
import type { PhoneNumber } from './model.ts';

const windowMs = 72 * 3_600_000;
const attemptsMax = 10;

/** POST /{phone-number-id}/register and /deregister. Every attempt counts, also a rejected one. */
export async function registrationEdge(
  platform: Platform,
  call: Call,
  given: PhoneNumber,
  edge: 'register' | 'deregister',
): Promise<void> {
  const { state } = platform;
  const body = edge === 'register' ? await readJson(call.req) : {};
  const now = state.clock.now();
  const recent = (given.registrations ?? []).filter((at) => at > now - windowMs);
  if (recent.length >= attemptsMax) throw rejection(133016);
  const number: PhoneNumber = { ...given, registrations: [...recent, now] };
  state.record(['number', number]);
  if (edge === 'register') {
    const pin = checkPin(number, body);
    state.record(['number', { ...number, pin, status: 'CONNECTED' }]);
  } else state.record(['number', { ...number, status: 'DISCONNECTED' }]);
  respond(call, 200, { success: true });
}

/** The first PIN becomes the number's; later ones must be the same. */
function checkPin(number: PhoneNumber, body: Record<string, unknown>): string {
  if (body.messaging_product !== 'whatsapp') throw badParam('Invalid parameter: messaging_product');
  const { pin } = body;
  if (typeof pin !== 'string' || !/^\d{6}$/.test(pin))
    throw badParam('Param pin must be a string of 6 digits');
  if ((number.codeVerificationStatus ?? 'VERIFIED') !== 'VERIFIED') throw rejection(133006);
  if (number.pin !== null && number.pin !== undefined && number.pin !== pin) throw rejection(133005);
  return pin;
}
