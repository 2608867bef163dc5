// The shell commands of the documents: each sets what it needs before it uses it, and those for the sandbox run as pasted.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Demo } from '../../demo/seed.ts';
import { freePort } from '../faults/processes.ts';
import { readDocuments, readProjectFile } from '../harness/documents.ts';
import { openWorkplace, type Workplace } from '../harness/program.ts';

const blocks = readDocuments().flatMap(({ path, text }) =>
  [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].map(([, code = '']) => ({ path, code })),
);
const named = blocks.map(({ path, code }) => [`${path}: ${code.trim().split('\n')[0]}`, code] as const);

test.each(named)('sets its variables and parses: %s', (_name, code) => {
  execFileSync('bash', ['-n'], { input: code });
  const shellCode = code.replace(/'[^']*'/g, "''");
  const used = [...shellCode.matchAll(/\$\{?([A-Z_]+)/g)].map(({ 1: name = '', index }) => ({ name, index }));
  const unset = used
    .filter(({ name }) => !['PWD', 'HOME', 'PATH'].includes(name))
    .filter(({ name, index }) => !new RegExp(`(?:^|[\\s;])${name}=`).test(shellCode.slice(0, index)));
  expect(unset.map(({ name }) => name)).toEqual([]);
});

describe('pasted beside a running sandbox', () => {
  let workplace: Workplace;
  let demo: Demo;
  let port: number;
  const children: number[] = [];

  beforeAll(async () => {
    workplace = await openWorkplace();
    ({ demo } = await workplace.startDemo());
    port = await freePort();
    const receiver = /```js\n(\/\/ WEBHOOK_SECRET[\s\S]*?)```/.exec(readProjectFile('README.md'))?.[1] ?? '';
    await writeFile(join(workplace.folder, 'receiver.mjs'), receiver.replace('9000', String(port)));
    await writeFile(join(workplace.folder, 'body.json'), '{}');
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    await writeFile(join(workplace.folder, 'picture.png'), Buffer.from(png, 'base64'));
  }, 60_000);
  afterAll(async () => {
    for (const pid of children) {
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // it has ended
      }
    }
    await workplace?.close();
  });

  /** Runs the only block of the document that contains the text, with the addresses and the key of this sandbox. */
  async function paste(path: string, contains: string, before = ''): Promise<string> {
    const [block, another] = blocks.filter((one) => one.path === path && one.code.includes(contains));
    if (!block || another) throw new Error(`Not exactly one block of ${path} has ${contains}`);
    const code = block.code
      .replaceAll('http://127.0.0.1:8080', demo.baseUrl)
      .replaceAll('https://gateway.example.com', demo.baseUrl)
      .replaceAll('127.0.0.1:9000', `127.0.0.1:${port}`)
      .replaceAll('KEY=cgw_…', `KEY=${demo.apiKey}`)
      .replace(/ ENDPOINT_ID=\S+…/, ` ${before}`);
    const shell = spawn('bash', ['-e'], {
      cwd: workplace.folder,
      env: { PATH: process.env.PATH, HOME: workplace.folder },
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    });
    children.push(shell.pid ?? 0);
    const exit = once(shell, 'exit');
    // what runs in the background would keep the output open
    shell.stdin.end(code.replace(/ &$/m, ' > /dev/null &'));
    const [out, [status]] = await Promise.all([text(shell.stdout), exit]);
    expect(status).toBe(0);
    return out;
  }

  test('an endpoint is created, replayed, and receives a signed test', async () => {
    const example = 'https://shop.example.com/hooks/messages';
    const made = JSON.parse(await paste('docs/webhooks.md', example));
    expect(made).toMatchObject({ success: true, data: { url: example } });
    const replayed = await paste('docs/webhooks.md', '/replay', `ENDPOINT_ID=${made.data._id}`);
    expect(JSON.parse(replayed).success).toBe(true);
    const tested = JSON.parse(await paste('docs/webhooks.md', 'node receiver.mjs'));
    expect(tested).toMatchObject({ success: true, data: { statusCode: 204 } });
  });

  test('a file is uploaded', async () => {
    const uploaded = JSON.parse(await paste('docs/sending.md', 'file=@picture.png'));
    expect(uploaded.data.mediaId).toMatch(/^\d+$/);
  });

  test('a signature is computed', async () => {
    expect(await paste('README.md', 'openssl dgst')).toMatch(/[0-9a-f]{64}/);
  });

  test('a calendar is connected', async () => {
    const functions = blocks.find(({ code }) => code.startsWith('demo() {'))?.code.split('\n')[0] ?? '';
    const [block] = blocks.filter(({ code }) => code.includes('ext-calendar/auth-url?'));
    const out = execFileSync('bash', ['-e'], {
      cwd: workplace.folder,
      input: `${functions}\n${block?.code}`,
      encoding: 'utf8',
    });
    expect(out).toContain('<h1>Calendar connected</h1>');
  });
});
