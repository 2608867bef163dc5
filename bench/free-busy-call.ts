// The call that the gateway makes to a staff member's calendar, for baselines that make it too.
import type { OutsideCall } from './bare-route.ts';
import { type BenchFixture, googleClient } from './bench-fixture.ts';

const dayMs = 86_400_000;

/** The call for a date of the calendar, with an access token of its account. */
export async function freeBusyCall(
  { sandbox, google }: BenchFixture,
  email: string,
  date: string,
): Promise<OutsideCall> {
  const response = await fetch(`${sandbox.googleUrl}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: await google.issueRefreshToken({ account: email, clientId: googleClient.id }),
      client_id: googleClient.id,
      client_secret: googleClient.secret,
    }),
  });
  const { access_token } = (await response.json()) as { access_token: string };
  const from = Date.parse(date);
  return {
    url: `${sandbox.googleUrl}/calendar/v3/freeBusy`,
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      timeMin: new Date(from).toISOString(),
      timeMax: new Date(from + dayMs).toISOString(),
      items: [{ id: email }],
    }),
  };
}
