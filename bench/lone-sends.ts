// Single sends at a low constant rate, in turn with the platform's own call and with a bare route that does only what a send cannot do without.
import { setTimeout as sleep } from 'node:timers/promises';
import { findRunningEmbedded } from '../src/db/embedded/running.ts';
import type { BenchFixture } from './bench-fixture.ts';
import type { CallersInput, CallersResult, OneCall } from './callers.ts';
import { openCommits } from './commits.ts';
import { median, type Spread, spread } from './percentiles.ts';
import { startRpcProcess } from './processes.ts';
import { type SendingAccount, sendCalls } from './send-load.ts';
import { openSingleSends } from './single-sends.ts';

const parts = 3;
const connections = 8;

interface LoneSendsInput {
  fixture: BenchFixture;
  sending: SendingAccount;
  perSecond: number;
  seconds: number;
  run(calls: OneCall[], more: Partial<CallersInput>): Promise<CallersResult>;
  /** Resolves when all webhooks of so many more messages have arrived. */
  awaitLives(messages: number): Promise<unknown>;
}

/**
 * Milliseconds from the scheduled start, by what was called. All at the same rate: a process that waited a tenth of a second answers slower
 * than one that is busy.
 */
export async function measureLoneSends(input: LoneSendsInput): Promise<Record<string, Spread>> {
  const { fixture, sending, perSecond, run } = input;
  const single = await openSingleSends(fixture, sending.account, sending.numbers);
  const { platformCall } = single;
  const bareRoute = startRpcProcess('bare-route.ts');
  try {
    const { headers, body } = platformCall;
    const bareUrl = await bareRoute.call<string>('open', {
      connection: await findRunningEmbedded(fixture.gateway.dataDir),
      platform: { url: `${fixture.sandbox.cloudApiUrl}${platformCall.path}`, headers, body },
    });
    const kind = { withKey: false, withMedia: false };
    const messages = input.seconds * perSecond;
    const calls = sendCalls([sending], kind, { messages, recipientsPerCall: 1 });
    const twoCommits = await openCommits(fixture.db);
    const times: Record<'send' | 'bare' | 'platform' | 'commits', number[]> = {
      ...{ send: [], bare: [], platform: [], commits: [] },
    };
    const paced = { atOnce: connections, perSecond };
    const partSize = Math.ceil(calls.length / parts);
    for (let at = 0; at < calls.length; at += partSize) {
      const part = calls.slice(at, at + partSize);
      const direct = part.map(() => platformCall);
      times.platform.push(...(await run(direct, { ...paced, url: fixture.sandbox.cloudApiUrl })).ms);
      for (let number = 0; number < part.length; number++) {
        await sleep(1000 / perSecond);
        times.commits.push(await twoCommits());
      }
      const bare = part.map((call) => ({ ...call, path: '/sends' }));
      times.bare.push(...(await run(bare, { ...paced, url: bareUrl })).ms);
      times.send.push(...(await run(part, paced)).ms);
      await input.awaitLives(part.length);
    }
    const own = median(times.platform);
    const over = (ms: number[]) => spread(ms.map((one) => one - own));
    return {
      'whole send': spread(times.send),
      "platform's own time": spread(times.platform),
      'over the platform': over(times.send),
      'a bare route with two commits, over the platform': over(times.bare),
      'two bare commits': spread(times.commits),
    };
  } finally {
    await single.close();
    await bareRoute.stop();
  }
}
