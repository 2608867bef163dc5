// A second adapter of the messaging platform's port, which shows that the port depends on no vendor.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Readable } from 'node:stream';
import { invalidRequest, VendorError } from '../../src/base/errors.ts';
import { OutgoingError } from '../../src/base/outgoing/error.ts';
import type { Outgoing, OutgoingRequest } from '../../src/base/outgoing/outgoing.ts';
import type {
  Callback,
  CallbackContent,
  CallbackRequest,
  FileToUpload,
  MessagingPlatform,
  OutgoingMessage,
  PlatformRejection,
  PlatformTemplate,
  RejectionClass,
  SenderAccess,
  StatusReport,
} from '../../src/ports/platform.ts';
import type { ReceivedMessage } from '../../src/ports/platform-received.ts';
import { otherOwner, signOther } from './other-platform-server.ts';

type Json = Record<string, unknown>;

const reactions: Record<number, RejectionClass> = {
  7401: 'halt_token',
  7429: 'throttled',
  7503: 'halt_template',
};

const templateStatuses: Record<number, string> = { 7503: 'SUSPENDED' };

const stageOf: Record<string, StatusReport['status']> = {
  left: 'sent',
  arrived: 'delivered',
  seen: 'read',
  lost: 'failed',
};

interface Options {
  outgoing: Pick<Outgoing, 'request' | 'stream'>;
  guardedOutgoing: Pick<Outgoing, 'request' | 'stream'>;
}

function caller({ outgoing, guardedOutgoing }: Options) {
  return async (
    sender: SenderAccess,
    call: Pick<OutgoingRequest, 'method' | 'body'> & { path: string; timeoutMs?: number },
  ): Promise<Json> => {
    const client = sender.isOwnAddress ? guardedOutgoing : outgoing;
    const { path, timeoutMs = 10_000, ...rest } = call;
    const headers = { 'x-key': sender.credential };
    const response = await client
      .request({ ...rest, url: `${sender.apiUrl}/${path}`, headers, timeoutMs })
      .catch((error: unknown) => {
        if (!(error instanceof OutgoingError)) throw error;
        throw new VendorError(error.sent ? 'unknown' : 'not_sent', error.message, { cause: error });
      });
    const { status } = response;
    const body: Json = response.body.length === 0 ? {} : JSON.parse(response.body.toString());
    const { number, title, detail } = (body.problem ?? {}) as {
      number: number;
      title: string;
      detail: string;
    };
    if (number !== undefined) throw new VendorError('rejected', detail, { code: number, title, status });
    if (status >= 300) throw new VendorError('unknown', `HTTP ${status}`, { status });
    return body;
  };
}

function templateOf(value: Json): PlatformTemplate {
  const live = value.live === true;
  return {
    providerTemplateId: String(value.key),
    name: String(value.title),
    language: String(value.locale),
    state: live ? 'approved' : 'submitted',
    providerStatus: live ? 'LIVE' : 'IN_REVIEW',
    category: String(value.kind).toUpperCase(),
    parameterFormat: 'positional',
    components: value.parts as PlatformTemplate['components'],
    qualityScore: null,
    rejectedReason: null,
    messageTtlSeconds: null,
  };
}

const upload = (file: FileToUpload) => Readable.from(file.stream, { objectMode: false });

function textsOf(message: OutgoingMessage): string[] {
  const { header, body } = message.filled;
  return [...(header?.kind === 'text' ? header.values : []), ...body].map(({ text }) => text);
}

const signatureOf = ({ headers }: CallbackRequest): { seconds: number; whole: string } | undefined => {
  const header = headers['x-other-signature'];
  const seconds = typeof header === 'string' ? /^t=(\d+),s=[A-Za-z0-9+/=]{88}$/.exec(header)?.[1] : undefined;
  return seconds === undefined ? undefined : { seconds: Number(seconds), whole: header as string };
};

function verify(callback: Callback, secret: string): boolean {
  const header = signatureOf(callback);
  if (!header) return false;
  const expected = signOther(callback.url, callback.rawBody, secret, header.seconds);
  return (
    expected.length === header.whole.length &&
    timingSafeEqual(Buffer.from(expected), Buffer.from(header.whole))
  );
}

function receivedOf(event: Json, raw: string): ReceivedMessage {
  const phone = String(event.who);
  const file = typeof event.file === 'string' ? event.file : null;
  return {
    ...{ phoneNumberId: String(event.number), messageRef: String(event.uuid), raw, phone, userId: null },
    person: { phone, userId: null, name: null, otherPhones: [], otherUserIds: [] },
    ...{ type: file === null ? 'words' : 'file', isFromPerson: true, mediaRef: file, contextRef: null },
    timestamp: Math.floor(Date.parse(String(event.at)) / 1000),
    content: file === null ? { text: String(event.words) } : { media: { mimeType: null, sha256: null } },
  };
}

function read({ rawBody }: Callback): CallbackContent {
  const content: CallbackContent = {
    ...{ statuses: [], templates: [], numbers: [], received: [], recipients: [], identities: [] },
    ...{ preferences: [], notices: [], ignored: 0 },
  };
  let event: Json;
  try {
    event = JSON.parse(rawBody.toString());
  } catch {
    throw invalidRequest([{ path: '', message: 'must be JSON' }]);
  }
  if (event.kind === 'wrote') {
    content.received.push(receivedOf(event, rawBody.toString()));
    return content;
  }
  if (event.kind === 'stopped' || event.kind === 'resumed') {
    content.preferences.push({
      ...{ phoneNumberId: String(event.number), businessAccountId: otherOwner, detail: null },
      person: { phone: String(event.who), userId: null, name: null, otherPhones: [], otherUserIds: [] },
      wantsMarketing: event.kind === 'resumed',
      timestamp: Math.floor(Date.parse(String(event.at)) / 1000),
    });
    return content;
  }
  const status = stageOf[String(event.kind)];
  if (!status) return { ...content, ignored: 1 };
  const error = status === 'failed' ? { code: 7_900, title: 'Lost', message: 'The message was lost.' } : null;
  content.statuses.push({
    ...{ phoneNumberId: String(event.number), messageRef: String(event.uuid), status, error },
    correlationId: typeof event.ref === 'string' ? event.ref : null,
    timestamp: Math.floor(Date.parse(String(event.at)) / 1000),
    priceCategory: null,
    billable: null,
  });
  return content;
}

/** Computes the handshake's response, the HMAC of the caller's nonce. */
export const handshakeAnswer = (nonce: string, token: string) =>
  createHmac('sha256', token).update(nonce).digest('hex');

/** Opens the adapter. */
export function openOtherPlatform(options: Options): MessagingPlatform {
  const call = caller(options);
  const post = (sender: SenderAccess, path: string, body: Json) =>
    call(sender, { method: 'POST', path, body: JSON.stringify(body) });
  const sendFile = async (sender: SenderAccess, file: FileToUpload, timeoutMs: number) =>
    String((await call(sender, { method: 'POST', path: 'files', body: upload(file), timeoutMs })).file);

  return {
    provider: 'other',
    classify: ({ code }: PlatformRejection) => reactions[Number(code)] ?? 'final',
    isTemporary: () => false,
    templateStatusOf: ({ code }) => templateStatuses[Number(code)],
    unapprovedTemplate: (status) => ({
      isEditable: status === 'DECLINED',
      isRejected: status === 'DECLINED',
      isPaused: false,
    }),
    async sendTemplate(sender, message) {
      const { uuid } = await post(sender, 'messages', {
        ...{ to: message.phone, template: message.templateName, ref: message.correlationId },
        values: textsOf(message),
      });
      return { messageRef: String(uuid), held: false };
    },
    async sendReply(sender, { phone, content, correlationId }) {
      if (phone === null || content.kind !== 'text')
        throw new VendorError('rejected', 'texts to a phone only', { code: 7404, title: 'Unsupported' });
      const { uuid } = await post(sender, 'messages', { to: phone, words: content.text, ref: correlationId });
      return { messageRef: String(uuid), held: false };
    },
    async markRead(sender, { messageRef }) {
      await post(sender, 'seen', { uuid: messageRef });
    },
    async listTemplates(sender, after) {
      const { list, next } = await call(sender, { method: 'GET', path: `templates?from=${after ?? 0}` });
      return { templates: (list as Json[]).map(templateOf), after: next === null ? undefined : String(next) };
    },
    readTemplate: async (sender, id) =>
      templateOf(await call(sender, { method: 'GET', path: `templates/${id}` })),
    async createTemplate(sender, { name, language, category, components }) {
      const made = { title: name, locale: language, kind: category.toLowerCase(), parts: components };
      return templateOf(await post(sender, 'templates', made));
    },
    async editTemplate(sender, { providerTemplateId, components, category }) {
      const body = JSON.stringify({ parts: components, kind: category });
      await call(sender, { method: 'PATCH', path: `templates/${providerTemplateId}`, body });
      return { state: 'submitted', providerStatus: 'IN_REVIEW' };
    },
    async deleteTemplate(sender, { providerTemplateId }) {
      await call(sender, { method: 'DELETE', path: `templates/${providerTemplateId}` });
    },
    async unpauseTemplate() {
      throw new VendorError('rejected', 'this platform pauses nothing', { code: 7404, title: 'Unsupported' });
    },
    async readNumber(sender) {
      const { shown, owner } = await call(sender, { method: 'GET', path: `numbers/${sender.phoneNumberId}` });
      return {
        businessAccountId: null,
        ...{ displayPhone: String(shown), verifiedName: String(owner), isRegistered: true, status: 'LIVE' },
        ...{ qualityRating: null, messagingLimit: null, throughput: null, health: null },
      };
    },
    advice: {
      ...{ newCredential: 'Make a key.', appSecret: 'Copy it.', registration: 'Ask.', number: 'Look.' },
      ...{ registrationOf: {}, rejectedRegistration: {} },
    },
    async readAppId(sender) {
      return String((await call(sender, { method: 'GET', path: 'app' })).app);
    },
    async inspectCredential(sender, app) {
      const { app: id } = await call(sender, { method: 'GET', path: 'app' });
      if (String(id) !== app.appId) return { problem: 'app_id', message: `the key belongs to ${id}` };
      return { problem: null, credential: { isValid: true, expiresAtMs: null, missingPermissions: [] } };
    },
    async registerNumber(sender) {
      await post(sender, `numbers/${sender.phoneNumberId}/register`, {});
    },
    async readSubscription(sender) {
      const { hook } = await call(sender, { method: 'GET', path: 'hook' });
      return { isSubscribed: hook !== null, overrideUrl: null };
    },
    async readAppCallback(sender) {
      const { hook } = await call(sender, { method: 'GET', path: 'hook' });
      return { url: typeof hook === 'string' ? hook : null, missingKinds: [] };
    },
    subscribe: async () => undefined,
    async setAppCallback(sender, _app, { url, verifyToken }) {
      await post(sender, 'hook', { url, proof: handshakeAnswer('caller', verifyToken), token: verifyToken });
    },
    uploadMedia: async (sender, file, timeoutMs) => ({
      platformMediaId: await sendFile(sender, file, timeoutMs),
    }),
    uploadSample: async (sender, file, timeoutMs) => ({ handle: await sendFile(sender, file, timeoutMs) }),
    async deleteMedia(sender, id) {
      await call(sender, { method: 'DELETE', path: `files/${id}` });
    },
    answerHandshake({ url }, token) {
      const query = URL.parse(url)?.searchParams;
      const nonce = query?.get('nonce');
      return nonce && query?.get('proof') === handshakeAnswer('caller', token)
        ? handshakeAnswer(nonce, token)
        : undefined;
    },
    canBeSigned: (request) => signatureOf(request) !== undefined,
    verifyCallback: verify,
    readCallback: read,
    async openReceivedMedia({ sender, mediaRef, maxBytes, timeoutMs }) {
      const { outgoing, guardedOutgoing } = options;
      const response = await (sender.isOwnAddress ? guardedOutgoing : outgoing).stream({
        ...{
          method: 'GET',
          url: `${sender.apiUrl}/files/${mediaRef}`,
          maxResponseBytes: maxBytes,
          timeoutMs,
        },
        headers: { 'x-key': sender.credential },
      });
      if (response.status === 200)
        return { outcome: 'opened', content: response.body, mimeType: null, size: null };
      response.body.destroy();
      return { outcome: 'gone' };
    },
  };
}
