// `npm run release` on a clone: version, changelog, tag, tarball, SBOM and digests.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const version = '97.0.1';
let folder: string;
let clone: string;

const inClone = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: clone, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
const release = (...args: string[]) =>
  spawnSync(process.execPath, ['scripts/release.ts', ...args], { cwd: clone, encoding: 'utf8' });
const read = (path: string) => readFileSync(join(clone, path), 'utf8');

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'release-test-'));
  clone = join(folder, 'clone');
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, clone]);
  // the script of the working tree, committed or not
  cpSync(join(root, 'scripts'), join(clone, 'scripts'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  // so that it is not built again
  cpSync(join(root, 'dashboard/dist'), join(clone, 'dashboard/dist'), { recursive: true });
  writeFileSync(join(clone, '.git/info/exclude'), 'node_modules\n');
  inClone('git', 'config', 'user.email', 'release@example.com');
  inClone('git', 'config', 'user.name', 'Release');
  inClone('git', 'add', '-A');
  inClone('git', 'commit', '--quiet', '--allow-empty', '-m', 'Scripts');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('rejects a version that is malformed or older, and a working tree with changes', () => {
  expect(release('1.2').stderr).toContain('is not a version');
  expect(release('0.0.1').stderr).toContain('older than the current version');
  writeFileSync(join(clone, 'extra.txt'), '');
  expect(release(version).stderr).toContain('Commit them first');
  rmSync(join(clone, 'extra.txt'));
  expect(inClone('git', 'tag').trim()).toBe('');
});

test('creates the commit, the tag, the tarball, the SBOM, the notes and their digests', () => {
  const pending = read('CHANGELOG.md').split('## Pending\n')[1]?.trim() ?? '';
  const done = release(version);
  expect([done.stderr.replace(/^npm warn.*\n/gm, ''), done.status]).toEqual(['', 0]);
  expect(JSON.parse(read('package.json')).version).toBe(version);
  expect(JSON.parse(read('package-lock.json')).packages[''].version).toBe(version);
  expect(read('package-lock.json')).not.toContain('"engines"');
  expect(inClone('git', 'describe', '--exact-match').trim()).toBe(`v${version}`);
  expect(inClone('git', 'status', '--porcelain', '--', ':!dist').trim()).toBe('');
  const changelog = read('CHANGELOG.md');
  expect(changelog).toMatch(/## Pending\n\n## 97\.0\.1 \(\d{4}-\d\d-\d\d\)\n/);
  expect(changelog).toContain(pending);
  expect(read(`dist/chatbot-gateway-${version}.notes.md`)).toContain(pending.slice(0, 200));
  const files = inClone('tar', 'tzf', `dist/chatbot-gateway-${version}.tar.gz`).split('\n');
  expect(files).toContain(`chatbot-gateway-${version}/src/cli.ts`);
  const packed = inClone('tar', 'tzf', `dist/chatbot-gateway-${version}.tgz`).split('\n');
  expect(packed).toEqual(
    expect.arrayContaining(['package/lib/src/cli.js', 'package/bin/gateway', 'package/npm-shrinkwrap.json']),
  );
  expect(inClone('git', 'status', '--porcelain', '--', ':!dist').trim()).toBe('');
  const sbom = JSON.parse(read(`dist/chatbot-gateway-${version}.sbom.json`));
  expect(sbom.bomFormat).toBe('CycloneDX');
  const parts = sbom.components.map(({ name }: { name: string }) => name);
  expect(parts).toEqual(expect.arrayContaining(Object.keys(JSON.parse(read('package.json')).dependencies)));
  expect(parts).not.toContain('vitest');
  for (const line of read('dist/SHA256SUMS').trim().split('\n')) {
    const [digest, file = ''] = line.split('  ');
    const bytes = readFileSync(join(clone, 'dist', file));
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(digest);
  }
});

test('rejects a version that exists, and a release without pending changes', () => {
  expect(release(version).stderr).toContain('already exists');
  const next = release('97.0.2');
  expect(next.stderr).toContain('nothing under Pending');
  expect(inClone('git', 'tag').trim()).toBe(`v${version}`);
});
