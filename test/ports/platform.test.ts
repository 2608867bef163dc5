// The conformance suite on both adapters: the WhatsApp Cloud API, and a second platform that exists only in tests.
import { createHmac } from 'node:crypto';
import { openMetaPlatform } from '../../src/adapters/meta/platform.ts';
import { statusCallback } from '../harness/callbacks.ts';
import { appSecret, numberId, startPlatform, token, wabaId } from '../sandbox/platform.ts';
import { handshakeAnswer, openOtherPlatform } from './other-platform.ts';
import {
  otherEvent,
  otherKey,
  otherNumber,
  otherOwner,
  otherSecret,
  startOtherPlatform,
} from './other-platform-server.ts';
import { platformSuite } from './platform.suite.ts';

const address = 'https://gateway.example/callbacks/messaging/7';
const access = { senderId: 'sender', accountId: 'account', isOwnAddress: false };

platformSuite('the WhatsApp Cloud API', async () => {
  const cloud = await startPlatform({ settings: { approvalMs: 60_000 } });
  const names = Array.from({ length: 101 }, (_, index) => `template_${index}`);
  const components = [{ type: 'BODY', text: 'Hello there, friend.' }];
  for (const name of names) await cloud.control.addTemplate({ wabaId, name, components });
  return {
    open: (clients) => openMetaPlatform({ ...clients, apiVersion: 'v23.0' }),
    sender: {
      ...{ ...access, apiUrl: cloud.url, credential: token },
      ...{ phoneNumberId: numberId, businessAccountId: wabaId },
    },
    ...{ templateName: 'template_0', templateCount: names.length, close: cloud.close },
    ...{ verifyToken: 'verify-me', callbackSecret: appSecret },
    handshake: (verifyToken) => ({
      request: {
        url: `${address}?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${verifyToken}`,
        headers: {},
      },
      answer: '1158201444',
    }),
    delivered({ messageRef, correlationId }) {
      const status = { status: 'delivered', id: messageRef, opaque: correlationId };
      const rawBody = Buffer.from(JSON.stringify(statusCallback(numberId, [status])));
      const digest = createHmac('sha256', appSecret).update(rawBody).digest('hex');
      return { url: address, headers: { 'x-hub-signature-256': `sha256=${digest}` }, rawBody };
    },
    wrote(text) {
      const message = { from: '15550100077', id: 'wamid.IN', type: 'text', text: { body: text } };
      const value = {
        metadata: { phone_number_id: numberId },
        messages: [{ ...message, timestamp: String(Math.floor(Date.now() / 1000)) }],
      };
      const rawBody = Buffer.from(JSON.stringify({ entry: [{ changes: [{ field: 'messages', value }] }] }));
      return { url: address, headers: {}, rawBody };
    },
    preferred(phone, wantsMarketing) {
      const preference = {
        ...{ wa_id: phone, category: 'marketing_messages', value: wantsMarketing ? 'resume' : 'stop' },
        timestamp: Math.floor(Date.now() / 1000),
      };
      const value = { metadata: { phone_number_id: numberId }, user_preferences: [preference] };
      const changes = [{ field: 'user_preferences', value }];
      const rawBody = Buffer.from(JSON.stringify({ entry: [{ id: wabaId, changes }] }));
      return { url: address, headers: {}, rawBody };
    },
    async receivedFile(bytes) {
      const file = { base64: bytes.toString('base64'), mimeType: 'image/png' };
      const messages = [{ from: { phone: '15550100077' }, kind: 'image', file }];
      const written = await cloud.control.write(numberId, { messages });
      return written.messages[0]?.mediaId ?? '';
    },
  };
});

platformSuite('another platform', async () => {
  const other = await startOtherPlatform(['table_ready', 'order_ready', 'reminder']);
  return {
    open: openOtherPlatform,
    sender: {
      ...{ ...access, apiUrl: other.url, credential: otherKey },
      ...{ phoneNumberId: otherNumber, businessAccountId: otherOwner },
    },
    ...{ templateName: 'table_ready', templateCount: 3, close: other.close },
    ...{ verifyToken: 'verify-me', callbackSecret: otherSecret },
    handshake: (verifyToken) => ({
      request: {
        url: `${address}?nonce=n1&proof=${handshakeAnswer('caller', verifyToken)}`,
        headers: {},
      },
      answer: handshakeAnswer('n1', verifyToken),
    }),
    delivered({ messageRef, correlationId }) {
      const { headers, body } = otherEvent(address, {
        ...{ kind: 'arrived', uuid: messageRef, ref: correlationId },
      });
      return { url: address, headers, rawBody: Buffer.from(body) };
    },
    wrote(words) {
      const { headers, body } = otherEvent(address, {
        kind: 'wrote',
        uuid: 'in-1',
        who: '15550100077',
        words,
      });
      return { url: address, headers, rawBody: Buffer.from(body) };
    },
    preferred(who, wantsMarketing) {
      const kind = wantsMarketing ? 'resumed' : 'stopped';
      const { headers, body } = otherEvent(address, { kind, uuid: 'choice-1', who });
      return { url: address, headers, rawBody: Buffer.from(body) };
    },
    async receivedFile(bytes) {
      other.files.set('file-1', bytes);
      return 'file-1';
    },
  };
});
