// The link to the bundled Node that npm scripts use.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../harness/program.ts';

describe('the bundled Node', () => {
  const name = readlinkSync(join(root, 'node_modules/.bin/node')).split('/')[1] as string;
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'runtime-test-'));
    for (const name of ['scripts', 'src']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'src/cli.ts'), '');
    cpSync(join(root, 'scripts/link-runtime.cjs'), join(folder, 'scripts/link-runtime.cjs'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs the script that precedes a start, as a Node of this version. */
  const link = (version: string) => {
    const program = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } });
      require(${JSON.stringify(join(folder, 'scripts/link-runtime.cjs'))})`;
    return spawnSync(process.execPath, ['-e', program], { encoding: 'utf8', env: {} });
  };

  test('is reported missing if the install omitted it and the current one is too old', () => {
    const old = link('20.20.2');
    expect(old.status).toBe(1);
    expect(old.stderr).toMatch(/npm ci.*Node 26 or later\. This is Node 20\.20\.2/);
    expect(link('26.0.0').status).toBe(0);
  });

  test('is linked before each start if the install ran no scripts', () => {
    mkdirSync(join(folder, 'node_modules', name, 'bin'), { recursive: true });
    writeFileSync(join(folder, 'node_modules', name, 'bin/node'), '#!/bin/sh\necho pinned\n', {
      mode: 0o755,
    });
    expect(link('20.20.2')).toMatchObject({ status: 0, stderr: '' });
    expect(execFileSync(join(folder, 'node_modules/.bin/node'), { encoding: 'utf8' })).toBe('pinned\n');
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    for (const script of ['start', 'gateway', 'test'])
      expect(scripts[`pre${script}`].split(' && ')[0]).toBe('node scripts/link-runtime.cjs');
    for (const script of ['start', 'test'])
      expect(scripts[`pre${script}`]).toContain('node scripts/build-dashboard.cjs');
  });

  test('is reported if it cannot run here, with the package that slim systems lack', () => {
    const node = join(folder, 'node_modules', name, 'bin/node');
    writeFileSync(node, '#!/bin/sh\necho libatomic.so.1: cannot open shared object file >&2; exit 127\n');
    const { stderr } = link('20.20.2');
    expect(stderr).toMatch(/cannot run here: libatomic\.so\.1.*apt-get install libatomic1/);
  });
});
