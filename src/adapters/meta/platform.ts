// The messaging platform's port, implemented with the WhatsApp Cloud API.
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { VendorError } from '../../base/errors.ts';
import type { FileToUpload, MessagingPlatform, SenderAccess, SentMessage } from '../../ports/platform.ts';
import { answerHandshake, isSigned, readCallback, signatureOf } from './callback.ts';
import { type MetaClient, type MetaClientOptions, openMetaClient, string, unexpected } from './client.ts';
import { classify, isTemporary, templateStatusOf, unapprovedTemplate } from './error-codes.ts';
import { messageIdMax, objectsOf, storableText } from './json.ts';
import { messageBody } from './message.ts';
import { advice, onboardingCalls } from './onboarding.ts';
import { phoneOf } from './person.ts';
import { openReceivedMedia } from './received-media.ts';
import { replyBody } from './reply.ts';
import { uploadSample } from './sample.ts';
import { platformTemplate, templateFields, templateStatus } from './template.ts';

const sendTimeoutMs = 20_000;
const readTimeoutMs = 15_000;
/** A reply may wait for it. */
const markReadTimeoutMs = 5_000;
const templatePageSize = 100;

/** One file as multipart/form-data, streamed with its Content-Length. */
function mediaForm(file: FileToUpload) {
  const boundary = `gateway-${randomUUID()}`;
  const field = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const fileName = file.fileName.replace(/[^\x20-\x7e]|["\\]/g, '_');
  const head = Buffer.from(
    field('messaging_product', 'whatsapp') +
      field('type', file.mimeType) +
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\n` +
      `Content-Type: ${file.mimeType}\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  async function* parts() {
    yield head;
    yield* file.stream;
    yield tail;
  }
  return {
    stream: Readable.from(parts(), { objectMode: false }),
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + file.size + tail.length),
    },
  };
}

/** Opens the adapter. */
export function openMetaPlatform(options: MetaClientOptions): MessagingPlatform {
  const client = openMetaClient(options);
  return {
    provider: 'meta',
    advice,
    classify,
    isTemporary,
    templateStatusOf,
    unapprovedTemplate,
    answerHandshake,
    canBeSigned: (request) => signatureOf(request) !== undefined,
    verifyCallback: ({ rawBody, ...request }, secret) => isSigned(rawBody, signatureOf(request), secret),
    readCallback: ({ rawBody }) => readCallback(rawBody),
    ...sendCalls(client),
    ...onboardingCalls(client),
    ...templateCalls(client),
    ...mediaCalls(client),
    openReceivedMedia: (of) => openReceivedMedia(client, options, of),
  };
}

const get = (client: MetaClient, sender: SenderAccess, path: string, query: Record<string, string>) =>
  client.call(sender, { method: 'GET', path, query, timeoutMs: readTimeoutMs });

/** The recipient's `wa_id` if it differs from the number, as in Brazil, Mexico and Argentina. */
function recipientIn(response: Record<string, unknown>, phone: string): { recipientPhone?: string } {
  const waId = phoneOf(objectsOf(response.contacts)[0]?.wa_id);
  return waId === null || waId === phone ? {} : { recipientPhone: waId };
}

function sendCalls(client: MetaClient): Pick<MessagingPlatform, 'sendTemplate' | 'sendReply' | 'markRead'> {
  return {
    sendTemplate: (sender, message) => post(client, sender, messageBody(message), message.phone),
    sendReply: (sender, reply) => post(client, sender, replyBody(reply), reply.phone),
    async markRead(sender, { messageRef, typing }) {
      await client.call(sender, {
        method: 'POST',
        path: `${sender.phoneNumberId}/messages`,
        json: {
          messaging_product: 'whatsapp',
          status: 'read',
          message_id: messageRef,
          ...(typing ? { typing_indicator: { type: 'text' } } : {}),
        },
        timeoutMs: markReadTimeoutMs,
      });
    },
  };
}

async function post(
  client: MetaClient,
  sender: SenderAccess,
  json: object,
  phone: string | null,
): Promise<SentMessage> {
  const response = await client.call(sender, {
    method: 'POST',
    path: `${sender.phoneNumberId}/messages`,
    json,
    timeoutMs: sendTimeoutMs,
  });
  const first = (response.messages as { id?: unknown; message_status?: unknown }[] | undefined)?.[0];
  const status = first?.message_status;
  const wamid = string(first?.id, 'a message id');
  if (wamid.length > messageIdMax) throw unexpected('a message id short enough to store');
  return {
    messageRef: wamid,
    held: typeof status === 'string' && status !== 'accepted',
    ...(phone === null ? {} : recipientIn(response, phone)),
  };
}

type TemplateCalls = Pick<
  MessagingPlatform,
  'listTemplates' | 'readTemplate' | 'createTemplate' | 'editTemplate' | 'deleteTemplate' | 'unpauseTemplate'
>;

const ttlOf = ({ messageTtlSeconds: ttl }: { messageTtlSeconds?: number | null }) =>
  ttl === undefined || ttl === null ? {} : { message_send_ttl_seconds: ttl };

function templateCalls(client: MetaClient): TemplateCalls {
  const pathOf = (sender: SenderAccess) => `${sender.businessAccountId}/message_templates`;
  return {
    async listTemplates(sender, after) {
      const query: Record<string, string> = { fields: templateFields, limit: String(templatePageSize) };
      if (after) query.after = after;
      const response = await get(client, sender, pathOf(sender), query);
      const paging = response.paging as { next?: unknown; cursors?: { after?: unknown } } | undefined;
      const next = typeof paging?.next === 'string' ? paging.cursors?.after : undefined;
      if (!Array.isArray(response.data)) throw unexpected('a list of templates');
      return {
        templates: objectsOf(response.data).map(platformTemplate),
        after: typeof next === 'string' ? next : undefined,
      };
    },

    async readTemplate(sender, providerTemplateId) {
      return platformTemplate(await get(client, sender, providerTemplateId, { fields: templateFields }));
    },

    async createTemplate(sender, draft) {
      const response = await client.call(sender, {
        method: 'POST',
        path: pathOf(sender),
        json: {
          name: draft.name,
          language: draft.language,
          category: draft.category,
          parameter_format: draft.parameterFormat.toUpperCase(),
          components: draft.components,
          ...ttlOf(draft),
        },
        timeoutMs: readTimeoutMs,
      });
      return {
        providerTemplateId: string(response.id, 'a template id'),
        ...templateStatus(string(response.status ?? 'PENDING', 'a status')),
        category: string(response.category ?? draft.category, 'a category').toUpperCase(),
      };
    },

    async editTemplate(sender, { providerTemplateId, components, category, ...edit }) {
      await client.call(sender, {
        method: 'POST',
        path: providerTemplateId,
        json: {
          ...(components === undefined ? {} : { components }),
          ...(category === undefined ? {} : { category }),
          ...ttlOf(edit),
        },
        timeoutMs: readTimeoutMs,
      });
      // the response says only that it was taken
      return templateStatus('PENDING');
    },

    async deleteTemplate(sender, template) {
      await client.call(sender, {
        method: 'DELETE',
        path: pathOf(sender),
        query: { name: template.name, hsm_id: template.providerTemplateId },
        timeoutMs: readTimeoutMs,
      });
    },

    // "Template pausing" (2026-09-11): any pause, and one during template pacing ends no other way; the response has a reason if it failed
    // (Graph API, "WhatsApp Business HSM: unpause", as david-lev/pywa reads it)
    async unpauseTemplate(sender, providerTemplateId) {
      const path = `${providerTemplateId}/unpause`;
      const { success, reason } = await client.call(sender, {
        method: 'POST',
        path,
        timeoutMs: readTimeoutMs,
      });
      if (success === true) return;
      const title = 'The pause was not ended';
      throw new VendorError('rejected', storableText(reason) || title, { title });
    },
  };
}

function mediaCalls(
  client: MetaClient,
): Pick<MessagingPlatform, 'uploadMedia' | 'uploadSample' | 'deleteMedia'> {
  return {
    async uploadMedia(sender, file, timeoutMs) {
      const response = await client.call(sender, {
        method: 'POST',
        path: `${sender.phoneNumberId}/media`,
        body: mediaForm(file),
        timeoutMs,
      });
      return { platformMediaId: string(response.id, 'a media id') };
    },

    async uploadSample(sender, file, timeoutMs) {
      return { handle: await uploadSample(client, sender, file, timeoutMs) };
    },

    async deleteMedia(sender, platformMediaId) {
      await client.call(sender, {
        method: 'DELETE',
        path: platformMediaId,
        query: { phone_number_id: sender.phoneNumberId },
        timeoutMs: readTimeoutMs,
      });
    },
  };
}
