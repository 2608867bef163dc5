// A campaign's upload: rows per second and memory of the gateway, and another account's single send during the upload and feeding.
import { request } from 'undici';
import { startBenchFixture } from '../bench-fixture.ts';
import { nowMs } from '../child.ts';
import { residentBytes } from '../cpu.ts';
import { progress, saveFigures, table } from '../print.ts';
import { openSingleSends, overPlatform, type SingleSends, sendWhile } from '../single-sends.ts';
import { workload } from '../workload.ts';

const rowsPerChunk = 500;

/** The file, a chunk at a time. */
async function* csv(recipients: number): AsyncGenerator<Buffer> {
  yield Buffer.from('phone,name,1,2,3,metadata.list\n');
  for (let at = 0; at < recipients; at += rowsPerChunk) {
    let text = '';
    for (let row = at; row < Math.min(recipients, at + rowsPerChunk); row++)
      text += `${492_000_000_000 + row},Ada ${row},Ada,10 %,Friday,spring\n`;
    yield Buffer.from(text);
  }
}

/** Single sends until `isOver`, over the platform's own time; at least 20. */
const sendsUntil = async (single: SingleSends, isOver: () => boolean) =>
  overPlatform(await sendWhile(single, (made) => !isOver() || made < 20));

export default workload({
  about:
    'A campaign’s upload as CSV: rows per second, memory, and another account’s single send in the meantime.',
  options: {
    recipients: { default: 100_000, about: 'rows of the file; a send has up to 1,000,000' },
    seconds: { default: 10, about: 'how long the feeding is measured' },
    limit: {
      default: 100,
      about:
        'milliseconds within which 99 of 100 single sends of another account should end, on an idle machine',
    },
  },
  async run({ recipients, seconds, limit }) {
    const fixture = await startBenchFixture();
    try {
      const [large, small] = [await fixture.account('Campaign'), await fixture.account('Single')];
      const { templateIds } = await fixture.numbers(large, 1);
      const single = await openSingleSends(fixture, small, await fixture.numbers(small, 1));
      const call = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
        const answer = await request(`${fixture.gateway.url}/v1/sends${path}`, {
          method,
          headers: { 'x-api-key': large.apiKey, ...(body ? { 'content-type': 'application/json' } : {}) },
          ...(body ? { body: JSON.stringify(body) } : {}),
        });
        const { data, message } = (await answer.body.json()) as {
          data: Record<string, number>;
          message: string;
        };
        if (answer.statusCode !== 200) throw new Error(message);
        return data as Record<string, number> & { sendId: string; counts: Record<string, number> };
      };
      progress('single sends, idle');
      let sent = 0;
      const idle = await sendsUntil(single, () => ++sent > 50);

      progress('the upload');
      const { sendId } = await call('POST', '', { templateId: templateIds.summer_sale });
      /** In MB; stays empty where /proc does not exist. */
      const memory: number[] = [];
      const sample = () => {
        const bytes = residentBytes(fixture.gateway.pid);
        if (bytes !== undefined) memory.push(Math.round(bytes / 2 ** 20));
      };
      sample();
      const before = memory[0] ?? null;
      const sampling = setInterval(sample, 100);
      const began = nowMs();
      let isUploaded = false;
      const uploading = request(`${fixture.gateway.url}/v1/sends/${sendId}/recipients`, {
        method: 'POST',
        headers: { 'x-api-key': large.apiKey, 'content-type': 'text/csv' },
        body: csv(recipients) as never,
        headersTimeout: 0,
        bodyTimeout: 0,
      }).then(async ({ body }) => {
        const answer = (await body.json()) as { data: { added: number } };
        isUploaded = true;
        return { added: answer.data.added, uploadSeconds: (nowMs() - began) / 1000 };
      });
      const duringUpload = await sendsUntil(single, () => isUploaded);
      const { added, uploadSeconds } = await uploading;
      clearInterval(sampling);

      progress('the feeding');
      await call('POST', `/${sendId}/start`);
      const until = nowMs() + seconds * 1000;
      const duringFeeding = await sendsUntil(single, () => nowMs() > until);
      const { counts, perSecond } = await call('GET', `/${sendId}`);
      await call('POST', `/${sendId}/pause`);
      await single.close();

      const largest = memory.length > 0 ? Math.max(...memory) : null;
      table('The upload', [
        ['rows added', added],
        ['seconds', uploadSeconds],
        ['rows per second', added / uploadSeconds],
        ['memory of the gateway before, MB', before ?? 'unknown'],
        ['memory of the gateway at most, MB', largest ?? 'unknown'],
        ['waiting after the measured feeding', counts?.waiting ?? 0],
        ['accepted per second while fed', perSecond ?? 0],
      ]);
      const rows = { idle, duringUpload, duringFeeding };
      table('Another account’s single send over the platform’s own time (ms)', [
        ['', 'calls', 'p50', 'p95', 'p99', 'longest'],
        ...Object.entries(rows).map(([name, ms]) => [name, ms.count, ms.p50, ms.p95, ms.p99, ms.max]),
      ]);
      const isWithin = duringUpload.p99 <= limit && duringFeeding.p99 <= limit;
      console.log(`  ${isWithin ? 'within' : 'beyond'} the limit of ${limit} ms at the 99th percentile`);
      saveFigures(
        'campaign',
        { recipients, seconds, limit },
        { ...rows, added, uploadSeconds, before, largest, counts, perSecond },
      );
    } finally {
      await fixture.close();
    }
  },
});
