// The poster of callbacks: signed status reports or inbound messages, one in each callback, over a fixed number of connections.
import { createHmac } from 'node:crypto';
import { Pool } from 'undici';
import { nowMs, serveParent } from './child.ts';

export interface PostInput {
  origin: string;
  path: string;
  secret: string;
  phoneNumberId: string;
  connections: number;
  /** Messages whose stage is reported. */
  statuses?: { ids: string[]; status: string };
  /** The people who write, each message with an id of its own that begins with `series`. */
  inbound?: { phones: number[]; series: string };
}

export interface PostResult {
  rejected: number;
  startedAtMs: number;
}

function contentOf(input: PostInput, index: number): object {
  const timestamp = String(Math.floor(Date.now() / 1000));
  if (input.statuses) {
    const { ids, status } = input.statuses;
    const id = ids[index] as string;
    const pricing = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' };
    const report = { id: `wamid.${id}`, status, timestamp, recipient_id: '491700000000', pricing };
    return { statuses: [{ ...report, biz_opaque_callback_data: id }] };
  }
  const { phones, series } = input.inbound ?? { phones: [], series: '' };
  const from = String(phones[index]);
  const user = { from_user_id: `DE.${from}`, from };
  return {
    contacts: [{ profile: { name: 'Ada Lovelace' }, wa_id: from, user_id: `DE.${from}` }],
    messages: [
      {
        ...user,
        id: `wamid.${series}${index}`,
        timestamp,
        type: 'text',
        text: { body: 'When do you open?' },
      },
    ],
  };
}

function bodyOf(input: PostInput, index: number): string {
  const metadata = { display_phone_number: '15550100000', phone_number_id: input.phoneNumberId };
  const value = { messaging_product: 'whatsapp', metadata, ...contentOf(input, index) };
  return JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: '1', changes: [{ value, field: 'messages' }] }],
  });
}

async function run(input: PostInput): Promise<PostResult> {
  const total = input.statuses?.ids.length ?? input.inbound?.phones.length ?? 0;
  const posts = Array.from({ length: total }, (_, index) => {
    const body = bodyOf(input, index);
    const mac = createHmac('sha256', input.secret).update(body).digest('hex');
    return { body, headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${mac}` } };
  });
  const pool = new Pool(input.origin, { connections: input.connections, pipelining: 1 });
  const result: PostResult = { rejected: 0, startedAtMs: nowMs() };
  let next = 0;
  const line = async () => {
    for (let post = posts[next++]; post; post = posts[next++]) {
      const { statusCode, body } = await pool.request({ method: 'POST', path: input.path, ...post });
      await body.dump();
      if (statusCode !== 200) result.rejected += 1;
    }
  };
  await Promise.all(Array.from({ length: input.connections }, line));
  await pool.close();
  return result;
}

serveParent({ run });
