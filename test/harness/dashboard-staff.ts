// Staff with hours and bookings, for the dashboard's pages of appointments.
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { createLink } from '../../src/accounts/links.ts';
import { systemClock } from '../../src/base/clock.ts';
import { scopes } from '../../src/contract/envelope.ts';
import { everyDay } from './dates.ts';
import type { Gateway } from './gateway.ts';

/** The zone of the harness's browser. */
export const browserZone = 'Europe/Berlin';

/** Creates a staff member without a calendar, open every day from 08:00 to 18:00 in the browser's zone; returns the id. */
export async function addStaff(
  gateway: Gateway,
  user: Record<string, unknown>,
  schedule: Record<string, unknown> = {},
): Promise<string> {
  const made = await gateway.call<{ _id: string }>('POST', '/v1/appointments/users', {
    body: { calendar: 'none', ...user },
  });
  const id = made.body.data._id;
  const weekly = everyDay.map((weekday) => ({ weekday, from: '08:00', to: '18:00' }));
  const body = { timezone: browserZone, slotMinutes: 30, weekly, ...schedule };
  await gateway.call('PUT', `/v1/appointments/users/${id}/schedule`, { body });
  return id;
}

/** Books a slot of half an hour; returns the booking's id. */
export async function addBooking(
  gateway: Gateway,
  booking: { appointmentUserId: string; date: string; from: string; to: string } & Record<string, unknown>,
): Promise<string> {
  const { body, text } = await gateway.call<{ bookingId: string }>('POST', '/v1/appointments/book', {
    body: {
      ...{ email: 'guest@example.com', phoneNumber: '15551230100', timezone: browserZone },
      ...booking,
    },
    headers: { 'Idempotency-Key': randomUUID() },
  });
  if (!body.success) throw new Error(text);
  return body.data.bookingId;
}

/** Signs in as the operator does, by a link of the command line, in any language. */
export async function signInAsOperator(page: Page, gateway: Gateway, path = '/'): Promise<void> {
  const link = { accountId: gateway.accountId, maker: 'operator', name: 'Operator' } as const;
  const { token } = await createLink(
    { db: gateway.database.db, clock: systemClock },
    { ...link, scopes: [...scopes, 'operator'], expiresInSeconds: 60 },
  );
  await page.goto(`${gateway.url}/#link=${token}`);
  await page.locator('.sign-in button').first().click();
  await page.locator('#main h1').waitFor();
  await page.goto(`${gateway.url}${path}`);
  await page.locator('#main h1').waitFor();
}
