// Operators of numbers: they resume those that rejections of the platform halted.
import { setTimeout as sleep } from 'node:timers/promises';
import type { CampaignFixture } from './campaign-fixture.ts';
import { type Lines, startLines } from './operators.ts';
import type { Random } from './random.ts';

export interface Resumers extends Lines {
  /** How often a number was resumed. */
  resumed: () => number;
}

/** Starts an operator who looks at the numbers about once a second. While no gateway or platform responds, the next look comes soon. */
export function startResumers({ call }: Pick<CampaignFixture, 'call'>, random: Random): Resumers {
  let resumed = 0;
  const look = async () => {
    const { items } = await call<{ items: { _id: string; name: string; status: string }[] }>(
      'GET',
      '/v1/senders',
    );
    for (const { _id, name, status } of items) {
      if (status !== 'halted') continue;
      await call('PATCH', `/v1/senders/${_id}`, { name });
      resumed += 1;
    }
  };
  const lines = startLines(1, async () => {
    await look().catch(() => undefined);
    await sleep(random.between(300, 1_500));
  });
  return { ...lines, resumed: () => resumed };
}
