// Registration of the media files of one sender's messages before their calls, a few at a time, so that other messages are not delayed.
import type { LeasedMessage } from '../messages/message.ts';
import type { PreparedMessage } from './prepared-message.ts';

export interface MediaPreparation {
  /** Prepares a message that was leased before `offeredAtMs`. */
  add(message: LeasedMessage, offeredAtMs: number): void;
  /** The number of messages waiting or being prepared. */
  size(): number;
  /** Starts no other preparation; returns the messages still waiting. */
  stop(): LeasedMessage[];
  /** Resolves when no preparation is in progress. */
  idle(): Promise<void>;
}

const concurrency = 16;

/**
 * Prepares added messages and passes them on. `prepare` never rejects; it resolves with undefined if the message cannot be
 * called and that is recorded.
 */
export function openMediaPreparation(
  prepare: (message: LeasedMessage) => Promise<PreparedMessage | undefined>,
  onPrepared: (prepared: PreparedMessage, offeredAtMs: number) => void,
): MediaPreparation {
  const waiting: { message: LeasedMessage; offeredAtMs: number }[] = [];
  const inProgress = new Set<Promise<void>>();

  async function prepareOne(message: LeasedMessage, offeredAtMs: number): Promise<void> {
    const prepared = await prepare(message);
    if (prepared) onPrepared(prepared, offeredAtMs);
  }

  function fill(): void {
    while (inProgress.size < concurrency) {
      const next = waiting.shift();
      if (!next) return;
      const done = prepareOne(next.message, next.offeredAtMs).finally(() => {
        inProgress.delete(done);
        fill();
      });
      inProgress.add(done);
    }
  }

  return {
    add(message, offeredAtMs) {
      waiting.push({ message, offeredAtMs });
      fill();
    },
    size: () => waiting.length + inProgress.size,
    stop: () => waiting.splice(0).map(({ message }) => message),
    async idle() {
      await Promise.all(inProgress);
    },
  };
}
