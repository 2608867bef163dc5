// The commands of the guide that generate Python classes, and the program that uses them, against a running gateway.
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readBlocks } from '../harness/documents.ts';
import { addSender, startGateway } from '../harness/gateway.ts';
import { installPackages } from '../harness/registry-packages.ts';
import { elsewhereOf, shellBlocks } from './blocks.ts';

const subject = 'the Python classes of the guide to clients';

/** Whether Python can make an environment and install what the classes need. */
function canInstall(): boolean {
  const { status } = spawnSync('python3', ['-c', 'import venv, ensurepip']);
  const found = spawnSync('python3', ['-m', 'pip', 'index', 'versions', 'python-dateutil']).status;
  if (status !== 0 || found !== 0) console.log(`NOT TESTED: ${subject}, because pip installs nothing here`);
  return status === 0 && found === 0;
}

test('classes are generated, and a program sends a message with them', { timeout: 400_000 }, async () => {
  if (!canInstall() || !(await installPackages(['quicktype@26.0.0'], subject))) return;
  const cwd = await mkdtemp(join(tmpdir(), 'python-client-'));
  const gateway = await startGateway();
  try {
    const components = [{ type: 'BODY', text: 'Hi {{1}}' }];
    await addSender(gateway, [
      { name: 'hello', language: 'en_US', category: 'UTILITY', components } as never,
    ]);
    await mkdir(join(cwd, 'data'));
    await writeFile(join(cwd, 'data/demo.json'), JSON.stringify({ baseUrl: gateway.url }));
    const block = shellBlocks.find((one) => elsewhereOf(one)?.runBy === 'python-client.long.test.ts');
    await promisify(execFile)('bash', ['-ec', block?.code ?? 'false'], { cwd });
    const programs = readBlocks().filter(
      ({ path, language }) => path === 'docs/clients.md' && language === 'python',
    );
    await writeFile(join(cwd, 'send.py'), programs.map(({ code }) => code).join('\n'));
    const args = ['send.py', gateway.url, gateway.apiKey];
    const { stdout } = await promisify(execFile)(join(cwd, 'venv/bin/python'), args, { cwd });
    // approved templates, then accepted messages
    expect(stdout).toBe('1\n1\n');
  } finally {
    await gateway.close();
    await rm(cwd, { recursive: true, force: true });
  }
});
