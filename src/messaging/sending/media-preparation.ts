// Messages of a number whose file has to be known to the platform before they are called: a few at a time, apart from the queue.
import type { PreparedMessage } from './call-platform.ts';
import type { DueMessage } from './messages-moves-store.ts';

/** A message that waits to be called. */
export interface QueuedMessage {
  prepared: PreparedMessage;
  /** Of `clock.steady()`. */
  offeredAtMs: number;
}

export interface MediaPreparation {
  add(message: DueMessage, offeredAtMs: number): void;
  /** How many there are, those under way included. */
  size(): number;
  /** Begins no further one, and answers those that had not begun. */
  stop(): DueMessage[];
  /** Resolves when none is under way. */
  quiet(): Promise<void>;
}

const atOnceMax = 16;

/** Prepares what is added and hands it on; `prepare` answers undefined for what it has settled otherwise, and never rejects. */
export function openMediaPreparation(
  prepare: (message: DueMessage) => Promise<PreparedMessage | undefined>,
  handOn: (entry: QueuedMessage) => void,
): MediaPreparation {
  const waiting: { message: DueMessage; offeredAtMs: number }[] = [];
  const underWay = new Set<Promise<void>>();

  async function one(message: DueMessage, offeredAtMs: number): Promise<void> {
    const prepared = await prepare(message);
    if (prepared) handOn({ prepared, offeredAtMs });
  }

  function fill(): void {
    while (underWay.size < atOnceMax) {
      const next = waiting.shift();
      if (!next) return;
      const done = one(next.message, next.offeredAtMs).finally(() => {
        underWay.delete(done);
        fill();
      });
      underWay.add(done);
    }
  }

  return {
    add(message, offeredAtMs) {
      waiting.push({ message, offeredAtMs });
      fill();
    },
    size: () => waiting.length + underWay.size,
    stop: () => waiting.splice(0).map(({ message }) => message),
    async quiet() {
      await Promise.all(underWay);
    },
  };
}
