// Outcomes of calls to a messaging platform: its rejections, connections without a response, and those of replies.
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect } from 'vitest';
import { VendorError } from '../../src/base/errors.ts';
import type { MessagingPlatform, SenderAccess } from '../../src/ports/platform.ts';

/** The error of a call that fails. */
export async function failureOf(promise: Promise<unknown>): Promise<VendorError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(VendorError);
  return error as VendorError;
}

/** Starts a server that reads a request and closes the connection without a response. */
export async function startSilentServer() {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, close: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

/** A reply and a read mark have the outcomes of a send. */
export async function replyOutcomes(platform: MessagingPlatform, sender: SenderAccess): Promise<void> {
  const content = { kind: 'text', text: 'Hello' } as const;
  const reply = { phone: '15550100099', userId: null, content, correlationId: 'our-id-2' };
  const send = (more: Partial<SenderAccess>) => failureOf(platform.sendReply({ ...sender, ...more }, reply));
  expect((await platform.sendReply(sender, reply)).messageRef).toMatch(/./);
  expect((await send({ credential: 'wrong' })).outcome).toBe('rejected');
  const { url, close } = await startSilentServer();
  expect((await send({ apiUrl: url })).outcome).toBe('unknown');
  await close();
  expect((await send({ apiUrl: url })).outcome).toBe('not_sent');
  const unknown = { messageRef: 'unknown', typing: true };
  expect((await failureOf(platform.markRead(sender, unknown))).outcome).toBe('rejected');
}
