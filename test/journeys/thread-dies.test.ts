// The delivery thread and the gateway end together: without the thread, the gateway would accept requests but deliver nothing.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openProgramFolder, root } from '../harness/program.ts';

const workspace = await openProgramFolder({ migrated: true });
afterAll(() => workspace.close());

it('the gateway exits with the thread’s error, and the next start continues deliveries', async () => {
  const faultScript = join(workspace.folder, 'fault.mjs');
  await writeFile(
    faultScript,
    `import { isMainThread, parentPort } from 'node:worker_threads';
    if (!isMainThread) parentPort.on('message', () => { throw new Error('a fault of the thread'); });`,
  );
  const cli = join(root, 'src/cli.ts');
  const broken = workspace.start(['start', '--no-sandbox'], {
    command: [process.execPath, '--import', faultScript, cli],
  });
  // its first claim fails
  const { code, err } = await broken.ended;
  expect(code).toBe(1);
  expect(err).toContain('a fault of the thread');
  const next = workspace.start(['start', '--no-sandbox']);
  const [, url] = await next.says(/answers at (http\S+?)\.?\s/);
  expect((await fetch(`${url}/health/ready`)).status).toBe(200);
});
