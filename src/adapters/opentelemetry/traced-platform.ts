// The messaging platform with a span for each message that it is called for, and for the time that the message waited before.
import { VendorError } from '../../base/errors.ts';
import { uuidTime } from '../../base/uuid-time.ts';
import type { MessagingPlatform } from '../../ports/platform.ts';
import type { Tracing } from '../../ports/tracing.ts';

/** The same platform; the message of a call is its `correlationId`. */
export function tracePlatform(platform: MessagingPlatform, tracing: Tracing): MessagingPlatform {
  async function traced<T>(subjectId: string, name: string, call: () => Promise<T>): Promise<T> {
    const startMs = Date.now();
    const createdMs = Math.min(uuidTime(subjectId).getTime(), startMs);
    tracing.record({
      subjectId,
      name: 'claim: wait in the queue',
      kind: 'internal',
      startMs: createdMs,
      endMs: startMs,
    });
    let error: string | undefined;
    try {
      return await call();
    } catch (caught) {
      error = caught instanceof VendorError ? caught.outcome : 'failed';
      throw caught;
    } finally {
      tracing.record({ subjectId, name, kind: 'client', startMs, endMs: Date.now(), error });
    }
  }
  return {
    ...platform,
    sendTemplate: (access, message) =>
      traced(message.correlationId, 'call: send template', () => platform.sendTemplate(access, message)),
    sendReply: (access, reply) =>
      traced(reply.correlationId, 'call: send reply', () => platform.sendReply(access, reply)),
  };
}
