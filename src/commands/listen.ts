// `listen`: forwards the webhooks of an account to a local address while it runs, for development. Nothing calls this machine:
// the command reads the deliveries of a paused endpoint through the API and posts them itself, signed like any other.
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ChatbotGateway, GatewayError } from '../../client/src/client.ts';
import { openOutgoing } from '../base/outgoing/outgoing.ts';
import { type AccountOption, callGateway } from './call-gateway.ts';
import { kindsOf } from './endpoints.ts';
import { CommandError } from './exit-codes.ts';
import { type Forward, openForward } from './forward.ts';
import { onInterruption } from './interruption.ts';
import { listenSecret } from './listen-secret.ts';
import { note, say, sayEach, usesJson } from './output.ts';

export interface ListenOptions extends AccountOption {
  events: string;
  /** Forward what an existing endpoint gets instead; it is not changed. */
  endpoint?: string;
  secretFile?: string;
}

const pollMs = 1_000;
const retryMs = 5_000;
/** A delivery becomes visible when its transaction commits, which can be later than its creation. */
const overlapMs = 30_000;
/** A key that a killed command leaves ends then. */
const keySeconds = 86_400;
const seenMax = 10_000;
/** RFC 6761: a name below .invalid never resolves, so the gateway itself can never deliver there. */
const nowhere = 'https://listen.invalid/';

/** Runs until a signal. Throws if the gateway rejects the key or the endpoint. */
export async function listen(to: string | undefined, options: ListenOptions): Promise<void> {
  const secret = listenSecret(options.secretFile);
  const outgoing = openOutgoing({ connectionsPerOrigin: 4, keepAliveMs: 10_000 });
  const stopping = new AbortController();
  const unlisten = onInterruption(() => stopping.abort());
  try {
    const forward = to === undefined ? undefined : openForward(localUrl(to), secret, outgoing);
    await callGateway(
      { account: options.account, scopes: ['manage'], name: 'listen', keySeconds },
      async (gateway) => {
        const source = options.endpoint
          ? await existingEndpoint(gateway, options.endpoint)
          : await ownEndpoint(gateway, options.events);
        try {
          announce(to, secret, source.endpointId);
          await poll({ gateway, source, forward, signal: stopping.signal });
        } finally {
          if (!options.endpoint) await gateway.deleteEndpoint({ id: source.endpointId });
        }
      },
    );
  } finally {
    unlisten();
    await outgoing.close();
  }
}

function announce(to: string | undefined, secret: string, endpointId: string): void {
  if (usesJson()) sayEach({ listening: true, endpointId, secret }, '');
  say(`The secret of these webhooks is ${secret}`);
  say(
    to === undefined
      ? 'Waiting for webhooks; Ctrl-C stops. Add an address to forward them.'
      : `Forwarding webhooks to ${to}; Ctrl-C stops.`,
  );
}

/**
 * Only https, or http within this machine or its network: webhooks contain personal data. Throws for other addresses.
 */
function localUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? '';
  const isLocal =
    /^(localhost|.*\.(localhost|local|internal)|[^.:]+)$/.test(host) ||
    /^(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|::1$|f[cd])/.test(host);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)) return url;
  throw new CommandError(
    'usage',
    `${text} cannot be used: give a local address, such as http://localhost:3000/webhooks, or an https address.`,
  );
}

/** What was read of an endpoint. Times are the gateway's: this machine's clock may differ. */
interface Source {
  endpointId: string;
  /** Newer deliveries are forwarded; undefined: all. */
  from: string | undefined;
  seen: Set<string>;
}

/** An endpoint of the account from its newest delivery on. It is only read. */
async function existingEndpoint(gateway: ChatbotGateway, endpointId: string): Promise<Source> {
  await gateway.getEndpoint({ id: endpointId });
  const { items } = await gateway.listDeliveries({ endpointId, limit: 100 });
  return { endpointId, from: items[0]?.createdAt, seen: new Set(items.map(({ _id }) => _id)) };
}

/** Creates a paused endpoint whose events are kept, and removes those that killed commands on this machine left. */
async function ownEndpoint(gateway: ChatbotGateway, events: string): Promise<Source> {
  const kinds = kindsOf(events);
  const prefix = `${nowhere}${encodeURIComponent(hostname())}/`;
  for await (const { _id, url } of gateway.listEndpoints()) {
    const pid = url.startsWith(prefix) ? Number(url.slice(prefix.length)) : 0;
    if (pid > 0 && !isRunning(pid)) await gateway.deleteEndpoint({ id: _id });
  }
  const { _id: id, createdAt } = await gateway.createEndpoint({
    // a rare kind until it is paused: nothing is attempted in between
    body: { url: `${prefix}${process.pid}`, description: 'gateway listen', events: ['contacts.opted_in'] },
  });
  try {
    await gateway.updateEndpoint({ id, body: { status: 'paused', events: kinds } });
    return { endpointId: id, from: createdAt, seen: new Set() };
  } catch (error) {
    await gateway.deleteEndpoint({ id }).catch(() => undefined);
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

interface Polling {
  gateway: ChatbotGateway;
  source: Source;
  forward: Forward | undefined;
  signal: AbortSignal;
}

async function poll(polling: Polling): Promise<void> {
  const { signal } = polling;
  while (!signal.aborted) {
    let waitMs = pollMs;
    try {
      await forwardNew(polling);
    } catch (error) {
      if (signal.aborted) return;
      const isTemporary = !(error instanceof GatewayError) || error.status >= 500 || error.status === 429;
      if (!isTemporary) throw error;
      waitMs = Math.max(retryMs, ((error as GatewayError).retryAfterSeconds ?? 0) * 1_000);
      note(`The gateway cannot be reached; trying again. ${(error as Error).message}`);
    }
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Forwards what is new, oldest first, so that the stages of a message are in order. */
async function forwardNew({ gateway, source, forward, signal }: Polling): Promise<void> {
  const { endpointId, from, seen } = source;
  const found: string[] = [];
  let newest = from;
  const query = { endpointId, limit: 100, ...(from === undefined ? {} : { from }) };
  for await (const { _id, createdAt } of gateway.listDeliveries(query, { signal })) {
    if (!seen.has(_id)) found.push(_id);
    if (newest === undefined || createdAt > newest) newest = createdAt;
  }
  // UUIDv7: sorted by creation
  for (const id of found.sort()) {
    if (signal.aborted) return;
    const { event, messageId, body } = await gateway.getDelivery({ id }, { signal });
    seen.add(id);
    const result = forward ? await forward(id, body) : undefined;
    const common = { deliveryId: id, event, messageId, at: new Date().toISOString() };
    if (!result) sayEach({ ...common, body: JSON.parse(body) }, `${common.at}  ${event}\n${body}`);
    else
      sayEach(
        { ...common, ...result },
        `${common.at}  ${event}  ${result.statusCode ?? result.error} (${result.durationMs} ms)`,
      );
  }
  for (const old of seen) if (seen.size > seenMax) seen.delete(old);
  if (newest === undefined) return;
  const overlapping = new Date(Date.parse(newest) - overlapMs).toISOString();
  if (from === undefined || overlapping > from) source.from = overlapping;
}
