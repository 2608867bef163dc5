// Sends of many accounts as calls for `callers.ts`: of any size, with or without a key and a media file.
import { randomUUID } from 'node:crypto';
import type { Account, BenchFixture, Numbers } from './bench-fixture.ts';
import type { OneCall } from './callers.ts';

export interface SendingAccount {
  account: Account;
  numbers: Numbers;
  mediaId: string;
}

export interface SendKind {
  withKey: boolean;
  withMedia: boolean;
}

/** Adds accounts, each with a number, an endpoint and an uploaded file. */
export async function addSendingAccounts(fixture: BenchFixture, count: number): Promise<SendingAccount[]> {
  const all: SendingAccount[] = [];
  for (let index = 0; index < count; index++) {
    const account = await fixture.account(`Bench ${index}`);
    const numbers = await fixture.numbers(account, 1);
    await fixture.endpoint(account, `sends-${index}`);
    all.push({ account, numbers, mediaId: await upload(fixture, account) });
  }
  return all;
}

async function upload({ gateway }: BenchFixture, { apiKey }: Account): Promise<string> {
  const body = new FormData();
  body.append('file', new Blob(['%PDF-1.7\n', apiKey], { type: 'application/pdf' }), 'terms.pdf');
  const headers = { 'x-api-key': apiKey };
  const response = await fetch(`${gateway.url}/v1/templates/media`, { method: 'POST', headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`an upload failed: ${response.status} ${text}`);
  return (JSON.parse(text) as { data: { mediaId: string } }).data.mediaId;
}

let phones = 493_000_000_000;

/** The calls for `messages` messages to different people, of the accounts in turn. */
export function sendCalls(
  accounts: readonly SendingAccount[],
  { withKey, withMedia }: SendKind,
  { messages, recipientsPerCall }: { messages: number; recipientsPerCall: number },
): OneCall[] {
  return Array.from({ length: Math.ceil(messages / recipientsPerCall) }, (_, index) => {
    const { account, numbers, mediaId } = accounts[index % accounts.length] as SendingAccount;
    const recipients = Array.from({ length: recipientsPerCall }, () => {
      const phone = String(phones++);
      return { phone, name: 'Ada Lovelace', variables: { '1': 'Ada', '2': `A-${phone}`, '3': 'on Friday' } };
    });
    const templateId = numbers.templateIds[withMedia ? 'order_terms' : 'order_update'];
    return {
      method: 'POST',
      path: '/v1/templates/send',
      headers: {
        'content-type': 'application/json',
        'x-api-key': account.apiKey,
        ...(withKey ? { 'idempotency-key': randomUUID() } : {}),
      },
      body: JSON.stringify({ templateId, recipients, ...(withMedia ? { mediaId } : {}) }),
    };
  });
}
