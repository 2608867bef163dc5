// The simulated WhatsApp Cloud API: starts the server, authenticates calls, and routes them to their handlers.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { cutMidway, type Fault, type Faults, faultList, injectFault } from '../faults.ts';
import { listen, type RunningServer, type ServerOptions } from '../server.ts';
import { type Call, type Platform, readJson, respondError } from './call.ts';
import { createPoster } from './callbacks.ts';
import { callLog } from './calls.ts';
import { faultKinds, handleCloudControl } from './control.ts';
import { answerEdge } from './edges.ts';
import { unknownObject } from './errors.ts';
import { download, mediaBytes } from './media.ts';
import { messagingLimits } from './messaging-limits.ts';
import type { Settings } from './model.ts';
import { rateLimits } from './rate-limits.ts';
import { openState } from './state.ts';
import { scheduleSteps } from './statuses.ts';
import { scheduleReview } from './template-reviews.ts';
import { authenticate, checkProof } from './tokens.ts';
import { uploadNode } from './uploads.ts';

export interface CloudApiOptions extends ServerOptions {
  /** Connections for callbacks to each address (default 128). */
  connections?: number;
  /** Initial settings; those stored in `dir` take precedence. */
  settings?: Partial<Settings>;
}

/** Starts the platform on loopback; with `dir` it continues from the state in that folder. */
export async function startCloudApi(options: CloudApiOptions = {}): Promise<RunningServer> {
  const state = openState(options.dir ?? null, options.settings);
  let url = '';
  const platform: Platform = {
    state,
    poster: createPoster(state, options.connections),
    rateLimits: rateLimits(),
    messagingLimits: messagingLimits(state),
    rejections: new Map(),
    calls: callLog(() => state.settings.keepCalls),
    mediaBytes: mediaBytes(() => state.settings.keepMediaBytes),
    uploads: new Map(),
    url: () => url,
  };
  const faults = faultList(faultKinds);
  const server = await listen((req, res) => {
    if (req.url?.startsWith('/sandbox/')) void handleCloudControl(platform, faults, req, res);
    else void handleCall(platform, faults, req, res);
  }, options.port);
  url = server.url;
  for (const message of state.ledger.unfinished()) scheduleSteps(state, platform.poster, message);
  for (const callback of state.callbacks.values()) platform.poster.postTemplate(callback);
  for (const template of state.templates.values()) scheduleReview(platform, template);
  return {
    url,
    async close() {
      await server.close();
      await platform.poster.close();
      state.journal.close();
    },
  };
}

/** The kind of call that a fault's `on` names. */
function kindOf(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  if (path.endsWith('/messages')) return 'messages';
  if (path.endsWith('/message_templates')) return 'templates';
  if (path.endsWith('/media')) return 'media';
  if (path.startsWith('/whatsapp_business/')) return 'downloads';
  return path.includes('upload') ? 'uploads' : 'objects';
}

/** The logged outcome of a call that a fault prevents. */
function outcomeOf({ body }: Fault): string {
  const code = (body as { error?: { code?: unknown } } | undefined)?.error?.code;
  return typeof code === 'number' ? `rejected ${code}` : 'not accepted';
}

/** The logged response of such a call: an HTTP status if the fault has a body, else the fault's name. */
function responseOf(fault: Fault): string {
  return fault.does === 'answer' && fault.body !== undefined ? String(fault.status ?? 500) : fault.does;
}

async function handleCall(
  platform: Platform,
  faults: Faults,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const fault = faults.take(kindOf(req.url ?? ''));
  try {
    if (fault?.does === 'delay') await faults.delay(fault);
    else if (fault?.does === 'cut') cutMidway(res);
    else if (fault && fault.when !== 'after') {
      if (platform.state.settings.keepCalls > 0 && kindOf(req.url ?? '') === 'messages')
        platform.calls.record(await readJson(req), outcomeOf(fault), responseOf(fault));
      req.resume();
      injectFault(res, fault);
      return;
    }
    const isApplied = fault?.does === 'delay' || fault?.does === 'cut';
    await route(platform, isApplied ? undefined : fault, req, res);
  } catch (error) {
    // Read and drop the rest of the body, so that the caller can read the rejection.
    req.resume();
    respondError(res, error, platform.state.settings.plainErrorData);
  }
}

async function route(
  platform: Platform,
  fault: Fault | undefined,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const url = req.url ?? '/';
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
  const parts = path.split('/');
  const versioned = /^v\d+\.\d+$/.test(parts[1] ?? '');
  const [node = '', edge = ''] = parts.slice(versioned ? 2 : 1);
  const caller = authenticate(platform, req, query);
  const version = versioned ? (parts[1] as string) : 'v23.0';
  const call: Call = { req, res, ...caller, version, query, fault };
  if (node === 'whatsapp_business') return download(platform, call);
  checkProof(caller, query);
  if (node.startsWith('upload:')) return uploadNode(platform, call, node);
  if (!(await answerEdge(platform, call, node, edge))) throw unknownObject(req.method ?? 'GET', node);
}
