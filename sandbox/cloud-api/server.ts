// The simulated WhatsApp Cloud API: starts the server, authenticates calls, and routes them to their handlers.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Fault, faultList, injectFault } from '../faults.ts';
import { listen, type RunningServer, type ServerOptions } from '../server.ts';
import { type Call, type Platform, readJson, respondError } from './call.ts';
import { createPoster } from './callbacks.ts';
import { callLog } from './calls.ts';
import { faultKinds, handleCloudControl } from './control.ts';
import { badToken, unknownObject } from './errors.ts';
import { download, mediaBytes, mediaNode, postMedia } from './media.ts';
import { postMessage } from './messages.ts';
import type { App, Settings } from './model.ts';
import { appNode, numberNode, phoneNumbersEdge, subscribedAppsEdge, tokenNode, wabaNode } from './numbers.ts';
import { rateLimits } from './rate-limits.ts';
import { openState } from './state.ts';
import { scheduleSteps } from './statuses.ts';
import { scheduleReview, templateNode, templatesEdge } from './templates.ts';
import { startUpload, uploadNode } from './uploads.ts';

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
    rejections: new Map(),
    calls: callLog(() => state.settings.keepCalls),
    mediaBytes: mediaBytes(() => state.settings.keepMediaBytes),
    uploads: new Map(),
    url: () => url,
  };
  const faults = faultList(faultKinds);
  const server = await listen((req, res) => {
    if (req.url?.startsWith('/sandbox/')) void handleCloudControl(platform, faults, req, res);
    else void handleCall(platform, faults.take(kindOf(req.url ?? '')), req, res);
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
  fault: Fault | undefined,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  try {
    if (fault?.does === 'delay') await new Promise((go) => setTimeout(go, fault.ms ?? 1000));
    else if (fault && fault.when !== 'after') {
      if (platform.state.settings.keepCalls > 0 && kindOf(req.url ?? '') === 'messages')
        platform.calls.record(await readJson(req), outcomeOf(fault), responseOf(fault));
      req.resume();
      injectFault(res, fault);
      return;
    }
    await route(platform, fault?.does === 'delay' ? undefined : fault, req, res);
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
  const app = authenticate(platform, req, query);
  const version = versioned ? (parts[1] as string) : 'v23.0';
  const call: Call = { req, res, app, version, query, fault };
  if (node === 'whatsapp_business') return download(platform, call);
  if (node.startsWith('upload:')) return uploadNode(platform, call, node);
  if (!(await handle(platform, call, node, edge))) throw unknownObject(req.method ?? 'GET', node);
}

/** Calls the handler of an object and its edge; false if this app has no such object or edge. */
async function handle(platform: Platform, call: Call, node: string, edge: string): Promise<boolean> {
  const { state } = platform;
  const posts = call.req.method === 'POST';
  const owns = (wabaId: string | undefined) => state.wabas.get(wabaId ?? '')?.appId === call.app.id;

  const number = state.numbers.get(node);
  if (number && owns(number.wabaId)) {
    if (edge === 'messages' && posts) await postMessage(platform, call, number);
    else if (edge === 'media' && posts) await postMedia(platform, call, number);
    else if (edge === '') numberNode(platform, call, number);
    else return false;
    return true;
  }
  const waba = state.wabas.get(node);
  if (waba && owns(waba.id)) {
    if (edge === 'message_templates') await templatesEdge(platform, call, waba);
    else if (edge === 'phone_numbers') phoneNumbersEdge(platform, call, waba);
    else if (edge === 'subscribed_apps') subscribedAppsEdge(call);
    else if (edge === '') wabaNode(call, waba);
    else return false;
    return true;
  }
  if (edge === 'uploads' && posts && node === call.app.id) {
    startUpload(platform, call);
    return true;
  }
  if (edge === '' && !posts && (node === 'app' || node === call.app.id)) {
    appNode(call);
    return true;
  }
  if (edge === '' && !posts && node === 'debug_token') {
    tokenNode(platform, call);
    return true;
  }
  const template = state.templates.get(node);
  if (template && edge === '' && owns(template.wabaId)) {
    templateNode(platform, call, template);
    return true;
  }
  const media = state.media.get(node);
  if (!media || edge !== '' || !owns(state.numbers.get(media.phoneNumberId)?.wabaId)) return false;
  mediaNode(platform, call, media);
  return true;
}

function authenticate({ state }: Platform, req: IncomingMessage, query: URLSearchParams): App {
  const header = req.headers.authorization;
  const space = header?.indexOf(' ') ?? -1;
  const token = space > 0 ? header?.slice(space + 1).trim() : query.get('access_token');
  if (!token) throw badToken('missing');
  const app = state.tokens.get(token);
  if (app) return app;
  for (const { revokedTokens } of state.apps.values())
    if (revokedTokens.includes(token)) throw badToken('revoked');
  throw badToken('unknown');
}
