// The messaging platform's port, implemented with the WhatsApp Cloud API.
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FileToUpload, MessagingPlatform, SenderAccess } from '../../ports/platform.ts';
import { answerHandshake, isSigned, readCallback, signatureOf } from './callback.ts';
import { type MetaClientOptions, openMetaClient, string, unexpected } from './client.ts';
import { classify, templateStatusOf } from './error-codes.ts';
import { messageIdMax, objectsOf } from './json.ts';
import { messageBody } from './message.ts';
import { uploadSample } from './sample.ts';
import { platformTemplate, templateFields, templateStatus } from './template.ts';

const sendTimeoutMs = 20_000;
const readTimeoutMs = 15_000;
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
  const read = (sender: SenderAccess, path: string, query: Record<string, string>) =>
    client.call(sender, { method: 'GET', path, query, timeoutMs: readTimeoutMs });

  return {
    provider: 'meta',
    classify,
    templateStatusOf,
    answerHandshake,
    canBeSigned: (request) => signatureOf(request) !== undefined,
    verifyCallback: ({ rawBody, ...request }, secret) => isSigned(rawBody, signatureOf(request), secret),
    readCallback: ({ rawBody }) => readCallback(rawBody),

    async sendTemplate(sender, message) {
      const answer = await client.call(sender, {
        method: 'POST',
        path: `${sender.phoneNumberId}/messages`,
        json: messageBody(message),
        timeoutMs: sendTimeoutMs,
      });
      const first = (answer.messages as { id?: unknown; message_status?: unknown }[] | undefined)?.[0];
      const status = first?.message_status;
      const wamid = string(first?.id, 'a message id');
      if (wamid.length > messageIdMax) throw unexpected('a message id that can be kept');
      return {
        messageRef: wamid,
        held: typeof status === 'string' && status !== 'accepted',
      };
    },

    async listTemplates(sender, after) {
      const query: Record<string, string> = { fields: templateFields, limit: String(templatePageSize) };
      if (after) query.after = after;
      const answer = await read(sender, `${sender.businessAccountId}/message_templates`, query);
      const paging = answer.paging as { next?: unknown; cursors?: { after?: unknown } } | undefined;
      const next = typeof paging?.next === 'string' ? paging.cursors?.after : undefined;
      if (!Array.isArray(answer.data)) throw unexpected('a list of templates');
      return {
        templates: objectsOf(answer.data).map(platformTemplate),
        after: typeof next === 'string' ? next : undefined,
      };
    },

    async readTemplate(sender, providerTemplateId) {
      return platformTemplate(await read(sender, providerTemplateId, { fields: templateFields }));
    },

    async createTemplate(sender, draft) {
      const answer = await client.call(sender, {
        method: 'POST',
        path: `${sender.businessAccountId}/message_templates`,
        json: {
          name: draft.name,
          language: draft.language,
          category: draft.category,
          parameter_format: draft.parameterFormat.toUpperCase(),
          components: draft.components,
        },
        timeoutMs: readTimeoutMs,
      });
      return {
        providerTemplateId: string(answer.id, 'a template id'),
        ...templateStatus(string(answer.status ?? 'PENDING', 'a status')),
        category: string(answer.category ?? draft.category, 'a category').toUpperCase(),
      };
    },

    async deleteTemplate(sender, template) {
      await client.call(sender, {
        method: 'DELETE',
        path: `${sender.businessAccountId}/message_templates`,
        query: { name: template.name, hsm_id: template.providerTemplateId },
        timeoutMs: readTimeoutMs,
      });
    },

    async readNumber(sender) {
      const answer = await read(sender, sender.phoneNumberId, {
        fields: 'display_phone_number,verified_name',
      });
      return {
        displayPhone: string(answer.display_phone_number, 'a phone number'),
        verifiedName: typeof answer.verified_name === 'string' ? answer.verified_name : '',
      };
    },

    async uploadMedia(sender, file, timeoutMs) {
      const answer = await client.call(sender, {
        method: 'POST',
        path: `${sender.phoneNumberId}/media`,
        body: mediaForm(file),
        timeoutMs,
      });
      return { platformMediaId: string(answer.id, 'a media id') };
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
