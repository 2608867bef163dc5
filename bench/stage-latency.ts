// The time from a status callback to the webhook that it caused, of every message that the sandbox and the receiver recorded.
import type { BenchFixture } from './bench-fixture.ts';

/**
 * Milliseconds from the sending of a callback to the arrival of its webhook, for messages whose id has this ending. A later
 * stage's callback also causes the webhooks of the earlier ones.
 */
export async function stageLatencies(fixture: BenchFixture, ending: string): Promise<number[]> {
  const posted = await fixture.sandbox.call<Map<string, number[]>>('times');
  const arrived = await fixture.receiver.call<Map<string, number[]>>('times', { ending });
  const all: number[] = [];
  for (const [id, stages] of arrived) {
    const callbacks = posted.get(id);
    if (!callbacks) continue;
    stages.forEach((atMs, stage) => {
      const causes = callbacks.slice(stage).filter((at) => at > 0);
      all.push(atMs - Math.min(...causes));
    });
  }
  return all;
}

/** Clears all records, and records the messages whose id has this ending from now on. */
export async function noteStages(fixture: BenchFixture, ending: string): Promise<void> {
  await fixture.receiver.call('clear');
  await fixture.sandbox.call('note', { ending });
}
