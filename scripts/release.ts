// `npm run release -- 1.2.0`: creates the version, changelog section, commit, tag, tarball and SBOM; publishes nothing.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const usage = `Usage: npm run release -- <version> [--out <folder>]
Moves *Pending* of CHANGELOG.md to a section of the version, commits and tags it, and writes to the folder (default: dist):
  chatbot-gateway-<version>.tar.gz        the files of the tag
  chatbot-gateway-<version>.tgz           the npm package
  chatbot-gateway-<version>.sbom.json     CycloneDX list of the runtime dependencies
  chatbot-gateway-<version>.notes.md      the section of the changelog
  SHA256SUMS                              digests of these files
Publish with: git push --follow-tags`;

const root = fileURLToPath(new URL('../', import.meta.url));
const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });

function release(version: string, out: string): void {
  checkVersion(version);
  if (run('git', 'status', '--porcelain').trim() !== '')
    fail('The working tree has changes. Commit them first.');
  if (run('git', 'tag', '--list', `v${version}`).trim() !== '') fail(`The tag v${version} already exists.`);

  const notes = moveToSection(version);
  run('npm', 'version', version, '--no-git-tag-version', '--ignore-scripts', '--allow-same-version');
  // npm writes `engines` back into the lock file
  run(process.execPath, 'scripts/lock.mjs');
  run('git', 'add', 'CHANGELOG.md', 'package.json', 'package-lock.json');
  run('git', 'commit', '--quiet', '-m', `Release ${version}`);
  run('git', 'tag', '--annotate', `v${version}`, '-m', `Chatbot Gateway ${version}`);

  mkdirSync(out, { recursive: true });
  const name = `chatbot-gateway-${version}`;
  const archive = join(out, `${name}.tar.gz`);
  run('git', 'archive', '--format=tar.gz', `--prefix=${name}/`, '-o', archive, `v${version}`);
  writeFileSync(join(out, `${name}.sbom.json`), run(process.execPath, 'scripts/sbom.ts'));
  writeFileSync(join(out, `${name}.notes.md`), notes);
  // the build of the dashboard reports sizes on standard error
  execFileSync('npm', ['pack', '--silent', '--pack-destination', out], { cwd: root, stdio: 'pipe' });
  const files = [`${name}.tar.gz`, `${name}.tgz`, `${name}.sbom.json`, `${name}.notes.md`];
  const digest = (file: string) =>
    createHash('sha256')
      .update(readFileSync(join(out, file)))
      .digest('hex');
  writeFileSync(join(out, 'SHA256SUMS'), files.map((file) => `${digest(file)}  ${file}\n`).join(''));
  console.log(`Released ${version} into ${out}. Publish with: git push --follow-tags`);
}

function checkVersion(version: string): void {
  const parts = /^(\d+)\.(\d+)\.(\d+)$/.exec(version)?.slice(1).map(Number);
  if (!parts) fail(`"${version}" is not a version. Use the form 1.2.3.`);
  const { version: present } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const before = String(present).split('.').map(Number);
  const difference = parts.map((part, index) => part - (before[index] ?? 0)).find((change) => change !== 0);
  if ((difference ?? 0) < 0) fail(`${version} is older than the current version, ${present}.`);
}

/** Moves the pending changes to a section with the version and today's date; returns the section. */
function moveToSection(version: string): string {
  const file = join(root, 'CHANGELOG.md');
  const text = readFileSync(file, 'utf8');
  const [, before = '', pending = '', after = ''] =
    /^([\s\S]*?## Pending\n)([\s\S]*?)((?:\n## [\s\S]*)?)$/.exec(text) ?? [];
  const notes = pending.trim();
  if (notes === '') fail('CHANGELOG.md lists nothing under Pending.');
  const date = new Date().toISOString().slice(0, 10);
  const section = `## ${version} (${date})\n\n${notes}\n`;
  writeFileSync(file, `${before}\n${section}${after === '' ? '' : `${after}`}`);
  return `${section}`;
}

function fail(problem: string): never {
  console.error(problem);
  process.exit(1);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: 'dist' }, help: { type: 'boolean', default: false } },
});

if (values.help || positionals.length !== 1) {
  console.log(usage);
  process.exitCode = values.help ? 0 : 1;
} else release(String(positionals[0]), join(root, values.out));
