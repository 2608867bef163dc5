// The receiver's control API (`/sandbox/…`): secrets, faults, the ledger, and waiting for an event.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ControlError, type ControlRequest, type ControlRoute, routeControl } from '../server.ts';
import type { ReceivedFilter } from './ledger.ts';
import type { Receiver } from './server.ts';

/** Longest wait of `events?wait=`, in seconds. */
const longestWaitSeconds = 120;

interface ReceiverRequest extends ControlRequest {
  receiver: Receiver;
}

const routes: ReadonlyArray<ControlRoute<ReceiverRequest>> = [
  ['GET', /^hooks$/, ({ receiver }) => ({ hooks: Object.fromEntries(receiver.secrets) })],
  ['PUT', /^hooks\/([^/]+)\/secrets$/, ({ receiver, id, body }) => setSecrets(receiver, id, body)],
  ['POST', /^hooks\/([^/]+)\/secrets$/, ({ receiver, id, body }) => addSecret(receiver, id, body)],
  ['PATCH', /^settings$/, ({ receiver, body }) => patchSettings(receiver, body)],
  ['GET', /^faults$/, ({ receiver }) => ({ faults: receiver.faults.list() })],
  ['POST', /^faults$/, ({ receiver, body }) => receiver.faults.add(body)],
  ['DELETE', /^faults$/, ({ receiver }) => receiver.faults.clear()],
  ['GET', /^events$/, ({ receiver, query }) => readEvents(receiver, query)],
  ['DELETE', /^events$/, ({ receiver, query }) => receiver.clear(query.get('hook') ?? undefined)],
  ['GET', /^counts$/, ({ receiver }) => receiver.ledger.counts()],
];

/** Handles one call of the control API. */
export function handleReceiverControl(
  receiver: Receiver,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  return routeControl(routes, { receiver }, req, res);
}

function setSecrets(receiver: Receiver, hook: string, { secrets }: Record<string, unknown>): unknown {
  if (!Array.isArray(secrets) || !secrets.every((s) => typeof s === 'string' && s !== ''))
    throw new ControlError(400, 'secrets: a list of strings is required');
  receiver.setSecrets(hook, secrets);
  return { hook, secrets };
}

function addSecret(receiver: Receiver, hook: string, { secret }: Record<string, unknown>): unknown {
  return setSecrets(receiver, hook, { secrets: [...(receiver.secrets.get(hook) ?? []), secret] });
}

function patchSettings(receiver: Receiver, body: Record<string, unknown>): unknown {
  if (typeof body.signatureHeader === 'string') receiver.signatureHeader = body.signatureHeader.toLowerCase();
  if (typeof body.keepEntries === 'number') receiver.keep.entries = body.keepEntries;
  return { signatureHeader: receiver.signatureHeader, keepEntries: receiver.keep.entries };
}

/** With `wait` (seconds): if no event matches yet, responds as soon as one does, or with an empty list after that time. */
async function readEvents(receiver: Receiver, query: URLSearchParams): Promise<unknown> {
  const text = (key: string) => (query.has(key) ? { [key]: query.get(key) } : {});
  const filter: ReceivedFilter = {
    ...text('hook'),
    ...text('messageId'),
    ...text('kind'),
    ...text('status'),
    ...(query.has('verified') && { verified: query.get('verified') === 'true' }),
    ...(query.has('since') && { since: Number(query.get('since')) }),
    newest: query.get('newest') === 'true',
    ...(query.has('limit') && { limit: Number(query.get('limit')) }),
  };
  const waitSeconds = Math.min(longestWaitSeconds, Math.max(0, Number(query.get('wait') ?? 0)));
  const events = await receiver.ledger.wait(filter, waitSeconds * 1000);
  return { events: events.map((got) => ({ ...got, json: parsed(got.body) })) };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
