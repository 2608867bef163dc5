// Concurrent large uploads: megabytes per second and the gateway's memory growth, compared with plain AES-256-GCM.

import { startBenchFixture } from '../bench-fixture.ts';
import { nowMs } from '../child.ts';
import { readConditions, reportConditions } from '../conditions.ts';
import { perPiece, read, residentBytes } from '../cpu.ts';
import { spread } from '../percentiles.ts';
import { formatSpread, progress, saveFigures, table } from '../print.ts';
import { startRpcProcess } from '../processes.ts';
import { profileFlags, showProfile } from '../show-profile.ts';
import type { UploadInput } from '../uploader.ts';
import { workload } from '../workload.ts';

const million = 1_000_000;
const sampleEveryMs = 20;

export default workload({
  about:
    'Concurrent uploads: MB/s and memory growth of the gateway, compared with plain AES-256-GCM of the same bytes.',
  options: {
    files: { default: 10, about: 'concurrent files' },
    megabytes: { default: 100, about: 'size of each, at most 104' },
    profile: { default: false, about: 'write and show a CPU profile of the gateway' },
  },
  async run({ files, megabytes, profile }) {
    const fixture = await startBenchFixture({ nodeFlags: profile ? profileFlags('upload') : [] });
    const window = { fromMs: 0, toMs: 0 };
    const uploader = startRpcProcess('uploader.ts');
    try {
      const account = await fixture.account('Bench');
      await fixture.numbers(account, 1);
      const input: UploadInput = {
        url: fixture.gateway.url,
        apiKey: account.apiKey,
        files,
        bytes: megabytes * million,
      };
      const memory = () => residentBytes(fixture.gateway.pid) ?? Number.NaN;
      progress('warming up');
      await uploader.call('upload', { ...input, files: 2 });
      const conditions = readConditions();
      const plainBefore = await uploader.call<number>('encrypt', input);
      progress('uploads');
      const memoryBefore = memory();
      let peak = memoryBefore;
      const sampling = setInterval(() => {
        peak = Math.max(peak, memory());
      }, sampleEveryMs);
      const before = read(fixture.meters);
      window.fromMs = nowMs();
      const { ms, each } = await uploader.call<{ ms: number; each: number[] }>('upload', input);
      window.toMs = nowMs();
      clearInterval(sampling);
      const total = files * megabytes;
      const cpu = perPiece(before, read(fixture.meters), total);
      const plainAfter = await uploader.call<number>('encrypt', input);
      const perSecond = total / (ms / 1000);
      const plainPerSecond = (2 * total) / ((plainBefore + plainAfter) / 1000);
      const growth = (peak - memoryBefore) / million;
      table(
        `${files} concurrent uploads of ${megabytes} MB: received, encrypted, stored, decrypted, registered`,
        [
          ['MB/s', perSecond],
          ['plain AES-256-GCM, one thread: MB/s', plainPerSecond],
          ['ratio', perSecond / plainPerSecond],
          ['response time of each', formatSpread(spread(each))],
          ['memory of the gateway before, MB', memoryBefore / million],
          ['maximum growth, MB', growth],
          ...Object.entries(cpu).map(([name, value]) => [`CPU ms per MB: ${name}`, value]),
        ],
      );
      const verdict = reportConditions(conditions, [plainBefore, plainAfter]);
      saveFigures(
        'upload',
        { files, megabytes },
        {
          perSecond,
          plainPerSecond,
          ratio: perSecond / plainPerSecond,
          each,
          memoryBefore,
          peak,
          growth,
          cpu,
          verdict,
        },
      );
    } finally {
      await uploader.stop();
      await fixture.close();
    }
    if (profile) showProfile('upload', window);
  },
});
