// The simulated webhook receiver: accepts events at /hooks/:name, verifies them, and shows them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type Fault, type Faults, faultList, injectFault } from '../faults.ts';
import { type Journal, openJournal } from '../journal.ts';
import { listen, type RunningServer, readBody, type ServerOptions, sendJson } from '../server.ts';
import { handleReceiverControl } from './control.ts';
import { type Received, type ReceivedLedger, receivedLedger } from './ledger.ts';
import { latestPage } from './page.ts';
import { verify } from './verify.ts';

export interface ReceiverOptions extends ServerOptions {
  /** The header that carries the signature (default `x-webhook-signature`). */
  signatureHeader?: string;
  /** How many of the newest requests it keeps (default 20,000). */
  keepEntries?: number;
}

/** The parts of the running receiver. */
export interface Receiver {
  /** Each hook's secrets; several during a rotation. */
  secrets: Map<string, string[]>;
  signatureHeader: string;
  ledger: ReceivedLedger;
  keep: { entries: number };
  faults: Faults;
  setSecrets(hook: string, secrets: string[]): void;
  /** Forgets the requests to a hook, or all. */
  clear(hook?: string): void;
}

type Entry = ['secrets', string, string[]] | ['got', Received] | ['cleared', hook?: string];

/** Starts the receiver on loopback; with `dir` its secrets and ledger survive a restart. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<RunningServer> {
  const { receiver, journal } = openReceiver(options);
  const server = await listen((req, res) => void handleRequest(receiver, journal, req, res), options.port);
  return {
    url: server.url,
    async close() {
      await server.close();
      journal.close();
    },
  };
}

function openReceiver(options: ReceiverOptions): { receiver: Receiver; journal: Journal } {
  const keep = { entries: options.keepEntries ?? 20_000 };
  const ledger = receivedLedger(keep);
  const secrets = new Map<string, string[]>();
  const apply = (entry: Entry) => {
    if (entry[0] === 'secrets') secrets.set(entry[1], entry[2]);
    else if (entry[0] === 'got') ledger.add(entry[1]);
    else ledger.clear(entry[1]);
  };
  const journal = openJournal<Entry>({
    file: options.dir ? join(options.dir, 'receiver.journal') : null,
    restore: apply,
    *snapshot() {
      for (const [hook, own] of secrets) yield ['secrets', hook, own];
      for (const got of ledger.all()) yield ['got', got];
    },
  });
  const record = (entry: Entry) => {
    apply(entry);
    journal.append(entry);
  };
  const receiver: Receiver = {
    secrets,
    signatureHeader: options.signatureHeader?.toLowerCase() ?? 'x-webhook-signature',
    ledger,
    keep,
    faults: faultList(null),
    setSecrets: (hook, own) => record(['secrets', hook, own]),
    clear: (hook) => record(hook === undefined ? ['cleared'] : ['cleared', hook]),
  };
  return { receiver, journal };
}

async function handleRequest(
  receiver: Receiver,
  journal: Journal,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const path = (req.url ?? '/').split('?', 1)[0] ?? '/';
  if (path.startsWith('/hooks/'))
    return receiveEvent(receiver, journal, path.slice('/hooks/'.length), req, res);
  if (path.startsWith('/sandbox/')) return handleReceiverControl(receiver, req, res);
  if (path !== '/') return sendJson(res, 404, { error: `not found: ${path}` });
  const latest = receiver.ledger.all().slice(-50).reverse();
  res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  res.end(latestPage(latest, receiver.ledger.counts(), [...receiver.secrets.keys()]));
}

async function receiveEvent(
  receiver: Receiver,
  journal: Journal,
  hook: string,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  if (req.method !== 'POST') return sendJson(res, 405, { error: 'only POST is allowed' }, { allow: 'POST' });
  const body = await readBody(req);
  if (body === null) return sendJson(res, 413, { error: 'the body is too large or incomplete' });
  const header = req.headers[receiver.signatureHeader];
  const verdict = verify(
    typeof header === 'string' ? header : header?.[0],
    receiver.secrets.get(hook) ?? [],
    body,
  );
  const fault = receiver.faults.take(hook);
  const got = receiver.ledger.add({
    hook,
    at: new Date().toISOString(),
    verified: verdict.status === 200,
    answered: responseOf(fault, verdict.status),
    headers: req.headers,
    body: body.toString('utf8'),
  });
  journal.append(['got', got]);
  if (fault && fault.does !== 'delay') return injectFault(res, fault);
  if (fault) await receiver.faults.delay(fault);
  if (verdict.status === 200) sendJson(res, 200, { received: true });
  else sendJson(res, verdict.status, { error: verdict.why });
}

function responseOf(fault: Fault | undefined, status: number): number | string {
  if (!fault || fault.does === 'delay') return status;
  // these have a status, although their body never ends
  if (fault.does === 'drip' || fault.does === 'flood') return `${fault.does} ${fault.status ?? 200}`;
  return fault.does === 'answer' ? (fault.status ?? 500) : fault.does;
}
