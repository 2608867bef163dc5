// The conformance suite of the messaging platform's port, run on each adapter.

import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import { type Outgoing, openOutgoing } from '../../src/base/outgoing/outgoing.ts';
import type {
  Callback,
  CallbackRequest,
  MessagingPlatform,
  OutgoingMessage,
  PlatformTemplate,
  SenderAccess,
} from '../../src/ports/platform.ts';
import { failureOf, replyOutcomes, startSilentServer } from './outcomes.ts';

type Clients = Record<'outgoing' | 'guardedOutgoing', Pick<Outgoing, 'request' | 'stream'>>;

/** An adapter, and a platform with one number and several pages of templates. */
export interface PlatformUnderTest {
  open(clients: Clients): MessagingPlatform;
  sender: SenderAccess;
  /** The name of an approved template without placeholders, language en_US. */
  templateName: string;
  templateCount: number;
  verifyToken: string;
  callbackSecret: string;
  /** A handshake request with this verify token. */
  handshake(verifyToken: string): { request: CallbackRequest; answer: string };
  /** A genuine callback: the message was delivered. */
  delivered(message: { messageRef: string; correlationId: string }): Callback;
  /** A genuine callback: a person wrote this text to the number. */
  wrote(text: string): Callback;
  /** A genuine callback: this person stopped marketing messages, or wants them again. */
  preferred(phone: string, wantsMarketing: boolean): Callback;
  /** Lets a person send this file to the number; returns the platform's id of it. */
  receivedFile(bytes: Buffer): Promise<string>;
  close(): Promise<void>;
}

const fileOf = (bytes: Buffer, mimeType = 'image/png') => ({
  ...{ stream: Readable.from([bytes], { objectMode: false }), size: bytes.length, mimeType },
  fileName: 'a.png',
});

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(2_000)]);

/** Runs the suite on the adapter and platform that `start` opens. */
export function platformSuite(name: string, start: () => Promise<PlatformUnderTest>): void {
  describe(name, () => {
    const outgoing = openOutgoing({ connectionsPerOrigin: 8, keepAliveMs: 1_000 });
    let underTest: PlatformUnderTest;
    let platform: MessagingPlatform;
    let sender: SenderAccess;
    let message: OutgoingMessage;
    beforeAll(async () => {
      underTest = await start();
      ({ sender } = underTest);
      platform = underTest.open({ outgoing, guardedOutgoing: outgoing });
      message = {
        ...{ phone: '15550100099', templateName: underTest.templateName, language: 'en_US' },
        ...{ filled: { body: [], buttons: [] }, correlationId: 'our-id-1' },
      };
    });
    afterAll(async () => {
      await outgoing.close();
      await underTest?.close();
    });

    const components = [{ type: 'BODY', text: 'Your parcel is on its way to you now.' }];

    async function allTemplates(): Promise<{ templates: PlatformTemplate[]; pages: number }> {
      const templates: PlatformTemplate[] = [];
      let [after, pages]: [string | undefined, number] = [undefined, 0];
      do {
        const page: Awaited<ReturnType<typeof platform.listTemplates>> = await platform.listTemplates(
          sender,
          after,
        );
        templates.push(...page.templates);
        after = page.after;
        pages += 1;
      } while (after !== undefined);
      return { templates, pages };
    }

    test('has a name', () => expect(platform.provider).toMatch(/^[a-z][a-z0-9-]*$/));

    describe('a send', () => {
      test('returns the reference that its callback contains, together with our id', async () => {
        const { messageRef } = await platform.sendTemplate(sender, message);
        const callback = underTest.delivered({ messageRef, correlationId: message.correlationId });
        const [report] = platform.readCallback(callback).statuses;
        expect(report).toMatchObject({
          ...{ messageRef, correlationId: 'our-id-1', status: 'delivered', error: null },
          phoneNumberId: sender.phoneNumberId,
        });
        expect(Math.abs((report?.timestamp ?? 0) - Date.now() / 1000)).toBeLessThan(60);
      });

      test('of a reply has the same outcomes', () => replyOutcomes(platform, sender));

      test('returns a different reference each time', async () => {
        const refs = [
          await platform.sendTemplate(sender, message),
          await platform.sendTemplate(sender, message),
        ];
        expect(new Set(refs.map(({ messageRef }) => messageRef)).size).toBe(2);
      });

      test('with a wrong credential is rejected, and halts the numbers that use it', async () => {
        const error = await failureOf(platform.sendTemplate({ ...sender, credential: 'wrong' }, message));
        expect(error).toMatchObject({ outcome: 'rejected', code: expect.any(Number) });
        expect(error.message).not.toContain('wrong');
        expect(platform.classify(error)).toBe('halt_token');
      });

      test('was not sent if the connection is refused', async () => {
        const { url, close } = await startSilentServer();
        await close();
        const error = await failureOf(platform.sendTemplate({ ...sender, apiUrl: url }, message));
        expect(error.outcome).toBe('not_sent');
      });

      test('has an unknown outcome if the connection breaks after the request', async () => {
        const { url, close } = await startSilentServer();
        const error = await failureOf(platform.sendTemplate({ ...sender, apiUrl: url }, message));
        expect(error.outcome).toBe('unknown');
        await close();
      });

      test('to an address that the account chose goes through the address guard only', async () => {
        const forbid = () => Promise.reject(new Error('not through the guard'));
        const forbidden = { request: forbid, stream: forbid };
        const guarded = underTest.open({ outgoing: forbidden, guardedOutgoing: outgoing });
        await guarded.sendTemplate({ ...sender, isOwnAddress: true }, message);
        await expect(guarded.sendTemplate(sender, message)).rejects.toThrow('not through the guard');
      });
    });

    describe('templates', () => {
      test('are listed once each over all pages, and can be read individually', async () => {
        const { templates, pages } = await allTemplates();
        expect(pages).toBeGreaterThan(1);
        expect(new Set(templates.map((one) => one.providerTemplateId)).size).toBe(underTest.templateCount);
        const [first] = templates as [PlatformTemplate];
        expect(await platform.readTemplate(sender, first.providerTemplateId)).toEqual(first);
        expect(first).toMatchObject({ state: 'approved', language: 'en_US' });
      });

      test('are edited, and then reviewed again', async () => {
        const { templates } = await allTemplates();
        const { providerTemplateId } = templates.find((one) => one.state === 'approved') as PlatformTemplate;
        const edited = await platform.editTemplate(sender, { providerTemplateId, components });
        expect(edited).toEqual({ state: 'submitted', providerStatus: expect.stringMatching(/^[A-Z_]+$/) });
        expect((await platform.readTemplate(sender, providerTemplateId)).components).toEqual(components);
      });

      test('are submitted for review and deleted', async () => {
        const draft = {
          ...{ name: 'from_the_suite', language: 'en_US', category: 'UTILITY' },
          parameterFormat: 'positional' as const,
          components: [{ type: 'BODY', text: 'Your order is on its way to you now.' }],
        };
        const created = await platform.createTemplate(sender, draft);
        expect(created).toMatchObject({ state: 'submitted', category: 'UTILITY' });
        expect(created.providerStatus).toBe(created.providerStatus.toUpperCase());
        const { providerTemplateId } = created;
        expect(await platform.readTemplate(sender, providerTemplateId)).toMatchObject({
          ...{ name: draft.name, language: draft.language, components: draft.components },
        });
        expect(
          await failureOf(platform.editTemplate(sender, { providerTemplateId: '999', components })),
        ).toMatchObject({
          outcome: 'rejected',
        });
        await platform.deleteTemplate(sender, { name: draft.name, providerTemplateId });
        const { templates } = await allTemplates();
        expect(templates.some((one) => one.name === draft.name)).toBe(false);
      });
    });

    test('a number is read; an unknown number and a wrong credential are rejected', async () => {
      expect((await platform.readNumber(sender)).displayPhone).toMatch(/^\+?[\d ()-]{7,}$/);
      for (const wrong of [{ phoneNumberId: '999999999999' }, { credential: 'wrong' }]) {
        const error = await failureOf(platform.readNumber({ ...sender, ...wrong }));
        expect(error.outcome).toBe('rejected');
      }
    });

    test('media is uploaded from a stream, and deleted', async () => {
      const { platformMediaId } = await platform.uploadMedia(sender, fileOf(png), 10_000);
      expect(platformMediaId).not.toBe('');
      await platform.deleteMedia(sender, platformMediaId);
      expect((await failureOf(platform.deleteMedia(sender, platformMediaId))).outcome).toBe('rejected');
    });

    test('a sample is uploaded, and named by a handle', async () => {
      expect((await platform.uploadSample(sender, fileOf(png), 10_000)).handle).not.toBe('');
    });

    test('an inbound message is read with its sender, time and source', () => {
      const callback = underTest.wrote('Grüße');
      const { received } = platform.readCallback(callback);
      expect(received).toMatchObject([
        {
          phoneNumberId: sender.phoneNumberId,
          phone: '15550100077',
          isFromPerson: true,
          content: { text: 'Grüße' },
        },
      ]);
      expect(callback.rawBody.toString()).toContain(received[0]?.raw);
      expect(Math.abs((received[0]?.timestamp ?? 0) - Date.now() / 1000)).toBeLessThan(60);
    });

    test.each([false, true])('the choice of a person is read with its time: wants marketing %s', (wants) => {
      const { preferences } = platform.readCallback(underTest.preferred('15550100077', wants));
      expect(preferences).toMatchObject([
        {
          ...{ businessAccountId: sender.businessAccountId, wantsMarketing: wants },
          person: { phone: '15550100077' },
        },
      ]);
      expect(Math.abs((preferences[0]?.timestamp ?? 0) - Date.now() / 1000)).toBeLessThan(60);
    });

    test('the file of an inbound message is opened as a stream; an unknown one is gone', async () => {
      const mediaRef = await underTest.receivedFile(png);
      const opened = await platform.openReceivedMedia({
        sender,
        mediaRef,
        maxBytes: 10_000,
        timeoutMs: 10_000,
      });
      if (opened.outcome !== 'opened') throw new Error(opened.outcome);
      expect(Buffer.concat(await opened.content.toArray()).equals(png)).toBe(true);
      const other = { sender, mediaRef: '9'.repeat(18), maxBytes: 10_000, timeoutMs: 10_000 };
      expect(await platform.openReceivedMedia(other)).toEqual({ outcome: 'gone' });
    });

    describe('a callback', () => {
      const genuine = () => underTest.delivered({ messageRef: 'ref-1', correlationId: 'our-id-1' });

      test('completes the handshake with the correct verify token only', () => {
        const valid = underTest.handshake(underTest.verifyToken);
        expect(platform.answerHandshake(valid.request, underTest.verifyToken)).toBe(valid.answer);
        expect(platform.answerHandshake(valid.request, 'another-token')).toBeUndefined();
        const wrong = underTest.handshake('another-token');
        expect(platform.answerHandshake(wrong.request, underTest.verifyToken)).toBeUndefined();
        const bare = { url: valid.request.url.replace(/\?.*/, ''), headers: {} };
        expect(platform.answerHandshake(bare, underTest.verifyToken)).toBeUndefined();
      });

      test('is verified over its raw body with the correct secret', () => {
        expect(platform.canBeSigned(genuine())).toBe(true);
        expect(platform.verifyCallback(genuine(), underTest.callbackSecret)).toBe(true);
        expect(platform.verifyCallback(genuine(), 'another-secret')).toBe(false);
      });

      test('is not verified with another body, or without its headers', () => {
        const rawBody = Buffer.from(genuine().rawBody);
        rawBody[rawBody.length - 3] = (rawBody.at(-3) as number) ^ 1;
        expect(platform.verifyCallback({ ...genuine(), rawBody }, underTest.callbackSecret)).toBe(false);
        expect(platform.canBeSigned({ ...genuine(), headers: {} })).toBe(false);
        expect(platform.verifyCallback({ ...genuine(), headers: {} }, underTest.callbackSecret)).toBe(false);
      });

      test('that is not one of this platform throws invalid_request', () => {
        const read = () => platform.readCallback({ ...genuine(), rawBody: Buffer.from('not a callback') });
        expect(read).toThrow(AppError);
        expect(read).toThrow(expect.objectContaining({ code: 'invalid_request' }));
      });
    });
  });
}
