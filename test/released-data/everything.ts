// Everything that an account can read through the API, as one object: path to answer.
import { createHash } from 'node:crypto';

interface Listed {
  items: { _id?: string; id?: string; mediaId?: string; sendId?: string }[];
}

const staffPaths = (id: string) => [
  `/v1/appointments/users/${id}/schedule`,
  `/v1/appointments/form-questions?appointmentUserId=${id}`,
  `/v1/appointments/ext-calendar/status?appointmentUserId=${id}`,
];

/** Lists, and the paths that each of their items leads to. */
const lists: [string, (item: Listed['items'][number]) => string[]][] = [
  ['/v1/templates?limit=100', ({ _id }) => [`/v1/templates/${_id}`]],
  ['/v1/messages?limit=100', ({ id, sendId }) => [`/v1/messages/${id}`, `/v1/sends/${sendId}`]],
  ['/v1/senders', () => []],
  ['/v1/keys?limit=100', () => []],
  ['/v1/media?limit=100', ({ mediaId }) => [`/v1/media/${mediaId}`, `/v1/media/${mediaId}/content`]],
  ['/v1/webhooks/endpoints', () => []],
  ['/v1/webhooks/deliveries?limit=100', ({ _id }) => [`/v1/webhooks/deliveries/${_id}`]],
  ['/v1/appointments/departments', () => []],
  ['/v1/appointments/users?limit=100', ({ _id }) => staffPaths(_id ?? '')],
  ['/v1/appointments/bookings?limit=100', ({ _id }) => [`/v1/appointments/bookings/${_id}`]],
];

/** The `data` of the answer, or the digest of a file; throws on anything but 200. */
export async function readOne(url: string, apiKey: string, path: string): Promise<unknown> {
  const response = await fetch(`${url}${path}`, { headers: { 'X-API-Key': apiKey } });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${bytes}`);
  if (path.endsWith('/content')) return createHash('sha256').update(bytes).digest('hex');
  return (JSON.parse(bytes.toString()) as { data: unknown }).data;
}

/** Reads all lists and all that their items lead to. */
export async function readEverything(url: string, apiKey: string): Promise<Record<string, unknown>> {
  const read: Record<string, unknown> = {};
  for (const [list, further] of lists) {
    const data = (await readOne(url, apiKey, list)) as Listed;
    read[list] = data;
    for (const path of data.items.flatMap(further)) read[path] ??= await readOne(url, apiKey, path);
  }
  return read;
}
