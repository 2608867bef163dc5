// The platform's callbacks: the handshake, and reports, whose response is sent after their commit.
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { AppError } from '../base/errors.ts';
import type { Metrics } from '../base/metrics.ts';
import { machineMs } from '../base/steady.ts';
import { ok } from '../http/reply.ts';
import type { Server } from '../http/request.ts';
import { callbackBodyLimits, openUnauthenticatedBodies } from '../http/unauthenticated-body.ts';
import type { Callback, CallbackContent, CallbackRequest, MessagingPlatform } from '../ports/platform.ts';
import type { IdentityReport, PreferenceReport } from '../ports/platform-received.ts';
import type { PublishDeps } from '../webhooks/publish.ts';
import type { LinkRecipients } from './opt-outs/link-recipients.ts';
import type { ApplyReceived } from './received/apply-received.ts';
import type { ReceivedCallback } from './received/people-in-batch.ts';
import { type AnswerDeps, answerOptOuts } from './replies/answer-opt-outs.ts';
import type { CallbackApp, CallbackApps, CallbackAppsDeps } from './senders/callback-apps.ts';
import type { LastCallbacks } from './senders/last-callbacks.ts';
import { reactToNotices } from './senders/react-to-notices.ts';
import { recordHandshake } from './senders/states-store.ts';
import type { ApplyReports } from './status-reports/apply-statuses.ts';
import { reactToNumberErrors } from './status-reports/react-to-failures.ts';
import { applyTemplateReports, requestReadings } from './templates/apply-reports.ts';

export interface CallbackDeps extends PublishDeps, CallbackAppsDeps, AnswerDeps {
  callbackApps: CallbackApps;
  platform: Pick<
    MessagingPlatform,
    | 'provider'
    | 'answerHandshake'
    | 'canBeSigned'
    | 'verifyCallback'
    | 'readCallback'
    | 'classify'
    | 'isTemporary'
  >;
  applyReports: ApplyReports;
  applyReceived: ApplyReceived;
  linkNames: LinkRecipients['linkNames'];
  lastCallbacks: Pick<LastCallbacks, 'note'>;
  nudgeSync: () => void;
  /** Wakes the worker that lets messages of held templates continue. */
  nudgeQueue: () => void;
  metrics: Pick<Metrics, 'statuses' | 'received'>;
  /** Our public URL, without a trailing slash. */
  publicUrl: () => string;
}

const path = '/callbacks/messaging/:senderId';
const params = Type.Object({ senderId: Type.String() });
const senderIdOf = (request: FastifyRequest) => (request.params as { senderId: string }).senderId;

/** GET and POST /callbacks/messaging/:senderId. */
export function messagingCallbackRoutes(server: Server, deps: CallbackDeps): void {
  const apps = deps.callbackApps;
  handshakeRoute(server, deps, apps);
  server.register(async (scope) => reportRoute(scope as unknown as Server, deps, apps));
}

/** The request in the form of the port. */
const received = (deps: CallbackDeps, { url, headers }: FastifyRequest): CallbackRequest => ({
  url: `${deps.publicUrl()}${url}`,
  headers,
});

function handshakeRoute(server: Server, deps: CallbackDeps, apps: CallbackApps): void {
  server.get(
    path,
    { schema: { hide: true, params, querystring: Type.Object({}, { additionalProperties: true }) } },
    async (request, reply) => {
      const { verifyToken } = await apps.fresh(senderIdOf(request));
      const response = deps.platform.answerHandshake(received(deps, request), verifyToken);
      if (response === undefined)
        throw new AppError('forbidden', 'The verify token of the handshake is not the one of this sender.');
      await recordHandshake(deps.db, senderIdOf(request));
      return reply.type('text/plain; charset=utf-8').send(response);
    },
  );
}

/** A callback whose signature was verified. */
interface VerifiedCallback {
  app: CallbackApp;
  callback: Callback;
}

function reportRoute(server: Server, deps: CallbackDeps, apps: CallbackApps): void {
  const readBody = openUnauthenticatedBodies(callbackBodyLimits);
  const verified = (request: FastifyRequest, rawBody: Buffer): Promise<VerifiedCallback> =>
    verify(deps, apps, senderIdOf(request), { ...received(deps, request), rawBody });
  // do not read the body of a request that cannot be signed
  server.addHook('onRequest', async (request) => {
    if (!deps.platform.canBeSigned(received(deps, request))) throw notSigned();
    await apps.of(senderIdOf(request));
  });
  // the signature covers the raw bytes
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (request: FastifyRequest, payload: Readable) =>
    readBody(request, payload, (rawBody) => verified(request, rawBody)),
  );
  server.post(
    path,
    // no helmet headers on the busiest path: they protect browsers, which never call it
    { schema: { hide: true, params }, helmet: false },
    async (request, reply) => {
      const body = request.body as VerifiedCallback | undefined;
      const { app, callback } = body ?? (await verified(request, Buffer.alloc(0)));
      const content = deps.platform.readCallback(callback);
      const subjects = subjectsOf(content);
      // a number added a moment ago may not be cached yet
      const current = hasAll(app, subjects) ? app : await apps.fresh(senderIdOf(request));
      await applyCallback(deps, current, content, machineMs() - reply.elapsedTime);
      deps.lastCallbacks.note(sendersOf(current, subjects));
      return ok('Callback applied.', null);
    },
  );
}

function notSigned(): AppError {
  return new AppError('signature_invalid', "The callback's signature is missing or invalid.");
}

/** Verifies a callback, with the current secret if it was changed a moment ago. Throws 401 if it is not genuine. */
async function verify(
  deps: CallbackDeps,
  apps: CallbackApps,
  senderId: string,
  callback: Callback,
): Promise<VerifiedCallback> {
  for (const read of [apps.of, apps.fresh]) {
    const app = await read(senderId);
    if (deps.platform.verifyCallback(callback, app.secret)) return { app, callback };
  }
  throw notSigned();
}

/** The platform's ids of the phone numbers and business accounts that a callback is about, each once. */
interface Subjects {
  phoneNumbers: Set<string>;
  businessAccounts: Set<string>;
}

function subjectsOf(content: CallbackContent): Subjects {
  const { statuses, numbers, received, templates, identities, preferences } = content;
  const subjects: Subjects = { phoneNumbers: new Set(), businessAccounts: new Set() };
  for (const reports of [statuses, numbers, received])
    for (const { phoneNumberId } of reports) subjects.phoneNumbers.add(phoneNumberId);
  for (const reports of [templates, identities, preferences])
    for (const { businessAccountId } of reports) subjects.businessAccounts.add(businessAccountId);
  return subjects;
}

/** True if the app is known to have them all. */
function hasAll({ numbers }: CallbackApp, { phoneNumbers, businessAccounts }: Subjects): boolean {
  for (const id of phoneNumbers) if (!numbers.some((own) => own.phone_number_id === id)) return false;
  for (const id of businessAccounts) if (!numbers.some((own) => own.business_account_id === id)) return false;
  return true;
}

async function applyCallback(
  deps: CallbackDeps,
  app: CallbackApp,
  content: CallbackContent,
  arrivedAtMs: number,
): Promise<void> {
  const accountsOf = (phoneNumberId: string) =>
    app.numbers
      .filter((number) => number.phone_number_id === phoneNumberId)
      .map((number) => number.account_id);
  const reports = content.statuses.map((report) => ({
    accountIds: accountsOf(report.phoneNumberId),
    report,
  }));
  const foreign = reports.filter(({ accountIds }) => accountIds.length === 0).length;
  const own = reports.filter(({ accountIds }) => accountIds.length > 0);
  const applied =
    own.length > 0
      ? await deps.applyReports({ arrivedAtMs, reports: own })
      : { moved: 0, unknown: 0, removed: 0 };
  // the platform's call does not wait for it
  for (const { phoneNumberId, person } of content.recipients)
    for (const accountId of new Set(accountsOf(phoneNumberId))) void deps.linkNames({ accountId, person });
  if (content.received.length + content.identities.length + content.preferences.length > 0)
    await applyReceived(deps, app, content);
  if (content.templates.length > 0) await applyTemplates(deps, app, content);
  const numbers = content.numbers.map((report) => {
    const own = app.numbers.filter((number) => number.phone_number_id === report.phoneNumberId);
    return { ...report, senderIds: own.map(({ id }) => id) };
  });
  await reactToNumberErrors(deps, numbers);
  await reactToNotices(deps, app.numbers, content.notices);
  const { provider } = deps.platform;
  const senderId = app.sender.id;
  deps.log.debug({ provider, senderId, ...applied, foreign, ignored: content.ignored }, 'callback.applied');
  if (applied.moved > 0) deps.metrics.statuses.inc({ outcome: 'moved' }, applied.moved);
  if (applied.removed > 0) deps.metrics.statuses.inc({ outcome: 'removed' }, applied.removed);
  if (foreign + applied.unknown > 0) {
    deps.metrics.statuses.inc({ outcome: 'unmatched' }, foreign + applied.unknown);
    deps.log.info({ provider, senderId, foreign, unknown: applied.unknown }, 'callback.unmatched');
  }
}

/** The senders that a callback concerns. */
const sendersOf = ({ numbers }: CallbackApp, { phoneNumbers, businessAccounts }: Subjects): string[] =>
  numbers
    .filter((own) => phoneNumbers.has(own.phone_number_id) || businessAccounts.has(own.business_account_id))
    .map(({ id }) => id);

async function applyReceived(deps: CallbackDeps, app: CallbackApp, content: CallbackContent): Promise<void> {
  /** The accounts of the number that a notice names, else of its business account. */
  const noticed = <R extends IdentityReport | PreferenceReport>(report: R) => {
    const own = app.numbers.filter((number) =>
      report.phoneNumberId === null
        ? number.business_account_id === report.businessAccountId
        : number.phone_number_id === report.phoneNumberId,
    );
    return { report, accountIds: [...new Set(own.map(({ account_id: accountId }) => accountId))] };
  };
  const callback: ReceivedCallback = {
    messages: content.received.map((message) => {
      const own = app.numbers.filter(({ phone_number_id: id }) => id === message.phoneNumberId);
      return { message, to: own.map(({ id, account_id: accountId }) => ({ accountId, senderId: id })) };
    }),
    identities: content.identities.map(noticed),
    preferences: content.preferences.map(noticed),
  };
  const foreign = callback.messages.filter(({ to }) => to.length === 0).length;
  const { stored, said } = await deps.applyReceived(callback);
  // the platform's call does not wait for it
  void answerOptOuts(deps, said);
  if (stored > 0) deps.metrics.received.inc({ outcome: 'stored' }, stored);
  if (foreign > 0) {
    deps.metrics.received.inc({ outcome: 'unmatched' }, foreign);
    deps.log.info(
      { provider: deps.platform.provider, senderId: app.sender.id, foreign },
      'received.unmatched',
    );
  }
}

async function applyTemplates(deps: CallbackDeps, app: CallbackApp, content: CallbackContent): Promise<void> {
  const businessAccounts = app.numbers.map((number) => ({
    accountId: number.account_id,
    businessAccountId: number.business_account_id,
  }));
  const { leasedDeliveries, toRead, hasChanged } = await deps.db
    .transaction()
    .execute((tx) => applyTemplateReports(deps, tx, businessAccounts, content.templates));
  deps.deliveries.offer(leasedDeliveries);
  await requestReadings(deps.db, toRead);
  deps.nudgeQueue();
  if (toRead.length > 0 || hasChanged) deps.nudgeSync();
}
