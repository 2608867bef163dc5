// A simulated platform for the sandbox's tests: one app, account, number and templates, and a server for its callbacks.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CloudApiOptions, startCloudApi } from '../../sandbox/cloud-api/server.ts';
import { cloudApiControl } from '../../sandbox/control.ts';

export const appId = '100200300400500';
export const appSecret = '986a346c9962b1d345e053bcd1211b22';
export const token = 'EAA-sandbox-token';
export const wabaId = '111000111000111';
export const numberId = '222000222000222';

export interface Status {
  id: string;
  status: string;
  timestamp: string;
  recipient_id: string;
  biz_opaque_callback_data?: string;
  pricing?: { billable: boolean; pricing_model: string; type: string; category: string };
  errors?: Array<{ code: number; title: string; message: string; error_data: { details: string } }>;
}

export interface Callback {
  raw: string;
  signed: boolean;
  field: string;
  value: Record<string, unknown>;
  statuses: Status[];
}

/** A server that receives callbacks, as an app's own would: it does the handshake, checks signatures, and records them. */
export async function startCallbackServer(verifyToken = 'verify-me') {
  const callbacks: Callback[] = [];
  const waiting = new Set<() => void>();
  const callbackServer = { callbacks, respondWith: (_n: number) => 200, posts: 0 };
  const server = createServer((req, res) => void take(req, res));
  async function take(req: IncomingMessage, res: ServerResponse) {
    const url = new URL(req.url ?? '', 'http://callbackServer');
    if (req.method === 'GET') {
      const right = url.searchParams.get('hub.verify_token') === verifyToken;
      res.writeHead(right ? 200 : 403).end(right ? url.searchParams.get('hub.challenge') : 'no');
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const status = callbackServer.respondWith(callbackServer.posts++);
    res.writeHead(status).end();
    if (status !== 200) return;
    const mac = createHmac('sha256', appSecret).update(bytes).digest('hex');
    const body = JSON.parse(bytes.toString());
    const changes = body.entry.flatMap((entry: { changes: unknown[] }) => entry.changes);
    callbacks.push({
      raw: bytes.toString('latin1'),
      signed: req.headers['x-hub-signature-256'] === `sha256=${mac}`,
      field: changes[0].field,
      value: changes[0].value,
      statuses: changes.flatMap((change: { value: { statuses?: Status[] } }) => change.value.statuses ?? []),
    });
    for (const check of waiting) check();
  }
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return Object.assign(callbackServer, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`,
    statuses: (wamid?: string) =>
      callbacks.flatMap((c) => c.statuses).filter((s) => wamid === undefined || s.id === wamid),
    /** Resolves once `condition` holds; checked again at each callback. */
    until: (condition: () => boolean) =>
      new Promise<void>((resolve) => {
        const check = () => {
          if (!condition()) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  });
}

/** Starts a platform with everything needed to send, and a server for its callbacks. */
export async function startPlatform(options: CloudApiOptions = {}) {
  const fast = { sentMs: 0, deliveredMs: 0, readMs: 0, approvalMs: 0, messagesPerSecond: 0, heldMs: 20 };
  const cloud = await startCloudApi({ ...options, settings: { ...fast, ...options.settings } });
  const control = cloudApiControl(cloud.url);
  const callbackServer = await startCallbackServer();
  await control.addApp({ id: appId, secret: appSecret, tokens: [token] });
  await control.addWaba({ id: wabaId, appId, name: 'Test Business' });
  await control.addNumber({
    id: numberId,
    wabaId,
    displayPhoneNumber: '+91 22 5550 0100',
    verifiedName: 'Test',
  });
  await control.subscribe(appId, callbackServer.url, 'verify-me');
  const call = caller(cloud.url);
  return {
    url: cloud.url,
    control,
    callbackServer,
    call,
    /** Sends a template; `components` in the platform's format. */
    send: (to: string, components?: unknown, more: Record<string, unknown> = {}) =>
      call('POST', `${numberId}/messages`, messageTo(to, components, more)),
    close: async () => {
      await cloud.close();
      await callbackServer.close();
    },
  };
}

export function messageTo(to: unknown, components?: unknown, more: Record<string, unknown> = {}) {
  const { template, ...rest } = more;
  const named = { name: 'plain', language: { code: 'en_US' }, ...(template as object | undefined) };
  return {
    messaging_product: 'whatsapp',
    to,
    type: 'template',
    template: { ...named, ...(components !== undefined && { components }) },
    ...rest,
  };
}

export const plain = { wabaId, name: 'plain', components: [{ type: 'BODY', text: 'Hello there, friend.' }] };

/** Calls the platform's API with the token. */
export function caller(url: string, bearer: string | null = token) {
  return async (method: string, path: string, body?: unknown, signal?: AbortSignal) => {
    const response = await fetch(`${url}/v23.0/${path}`, {
      method,
      headers: {
        ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
        ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    const text = await response.text();
    return { status: response.status, text, json: text === '' ? null : JSON.parse(text) };
  };
}

export function text(...values: string[]) {
  return values.map((value) => ({ type: 'text', text: value }));
}
