// Large uploads at once: megabytes a second and the gateway's growth, beside plain AES-256-GCM of the same bytes.
import { perPiece, read, residentBytes } from '../cpu.ts';
import { spread } from '../percentiles.ts';
import { keep, progress, shownSpread, table } from '../print.ts';
import { startAsked } from '../processes.ts';
import { startScene } from '../scene.ts';
import type { UploadInput } from '../uploader.ts';
import { workload } from '../workload.ts';

const million = 1_000_000;
const lookEveryMs = 20;

export default workload({
  about:
    'Uploads at once: MB/s and memory growth of the gateway, beside plain AES-256-GCM of the same bytes.',
  options: {
    files: { default: 10, about: 'files at once' },
    megabytes: { default: 100, about: 'size of each, at most 104' },
  },
  async run({ files, megabytes }) {
    const scene = await startScene();
    const uploader = startAsked('uploader.ts');
    try {
      const account = await scene.account('Bench');
      await scene.numbers(account, 1);
      const input: UploadInput = {
        url: scene.gateway.url,
        apiKey: account.apiKey,
        files,
        bytes: megabytes * million,
      };
      const memory = () => residentBytes(scene.gateway.pid) ?? Number.NaN;
      progress('warming up');
      await uploader.ask('upload', { ...input, files: 2 });
      const plainBefore = await uploader.ask<number>('plain', input);
      progress('uploads');
      const memoryBefore = memory();
      let peak = memoryBefore;
      const looking = setInterval(() => {
        peak = Math.max(peak, memory());
      }, lookEveryMs);
      const before = read(scene.meters);
      const { ms, each } = await uploader.ask<{ ms: number; each: number[] }>('upload', input);
      clearInterval(looking);
      const total = files * megabytes;
      const cpu = perPiece(before, read(scene.meters), total);
      const plainAfter = await uploader.ask<number>('plain', input);
      const perSecond = total / (ms / 1000);
      const plainPerSecond = (2 * total) / ((plainBefore + plainAfter) / 1000);
      const growth = (peak - memoryBefore) / million;
      table(`${files} uploads of ${megabytes} MB at once: received, sealed, stored, opened, registered`, [
        ['MB/s', perSecond],
        ['plain AES-256-GCM, one thread: MB/s', plainPerSecond],
        ['ratio', perSecond / plainPerSecond],
        ['each answered within', shownSpread(spread(each))],
        ['memory of the gateway before, MB', memoryBefore / million],
        ['its growth at most, MB', growth],
        ...Object.entries(cpu).map(([name, value]) => [`CPU ms a MB: ${name}`, value]),
      ]);
      keep(
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
        },
      );
    } finally {
      await uploader.stop();
      await scene.close();
    }
  },
});
