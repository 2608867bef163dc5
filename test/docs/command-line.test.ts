// The page of the command line is what --help prints, and the completion scripts complete every command.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandLinePage } from '../../scripts/command-line-page.ts';
import { completionScript } from '../../src/command-line/completion.ts';
import { openProgram } from '../../src/command-line/program.ts';
import { exitCodes, exitCodeTexts } from '../../src/commands/exit-codes.ts';
import { readProjectFile } from '../harness/documents.ts';

const page = readProjectFile('docs/command-line.md');

test('the page has the help of every command: run "npm run docs:commands" after a change', () => {
  expect(page).toBe(commandLinePage(page));
});

test('the page lists the exit codes with their meanings', () => {
  const listed = [...page.matchAll(/^\| (\d+) \| (.+) \|$/gm)].map(([, code, text]) => [Number(code), text]);
  expect(listed).toEqual(
    Object.entries(exitCodes).map(([name, code]) => [code, exitCodeTexts[name as keyof typeof exitCodes]]),
  );
});

test('the page says what every command needs', () => {
  const table = page.slice(page.indexOf('## Commands and what'), page.indexOf('The commands that need'));
  const missing = openProgram().commands.filter((command) => !table.includes(`\`${command.name()}\``));
  expect(missing.map((command) => command.name())).toEqual([]);
});

/** What bash completes after these words. */
function completed(...words: string[]): string[] {
  const script = `${completionScript(openProgram(), 'bash')}
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
    _gateway; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n');
}

test('bash completes commands, their options, and choices', () => {
  expect(completed('gateway', 're')).toEqual(['restore', 'release', 'retention']);
  expect(completed('gateway', 'sender', 'a')).toEqual(['add']);
  expect(completed('gateway', 'sender', 'add', '--acc')).toEqual(['--access-token-file', '--account']);
  expect(completed('gateway', 'release', '--queued', '')).toEqual(['fail', 'send']);
  expect(completed('gateway', 'completion', 'f')).toEqual(['fish']);
});

/** Writes the script of a shell to a file and runs the shell with these arguments; undefined if it is not installed. */
function inShell(shell: 'zsh' | 'fish', argsOf: (file: string) => string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'completion-'));
  const file = join(folder, 'script');
  writeFileSync(file, completionScript(openProgram(), shell));
  const { error, status, stdout, stderr } = spawnSync(shell, argsOf(file), {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: folder },
  });
  rmSync(folder, { recursive: true });
  if (error) return console.log(`NOT TESTED: ${shell} is not installed`);
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

test('fish completes commands, their options, and choices, where it is installed', () => {
  const lines = ['gateway re', 'gateway sender add --acc', 'gateway release --queued '];
  const out = inShell('fish', (file) => [
    '-c',
    `source ${file}; ${lines.map((line) => `complete -C '${line}'`).join('; ')}`,
  ]);
  if (out === undefined) return;
  const words = out.split('\n').map((line) => line.split('\t')[0]);
  expect(words).toEqual(
    expect.arrayContaining(['release', 'restore', '--access-token-file', '--account', 'fail', 'send']),
  );
});

test('the script for zsh parses and registers itself, where it is installed', () => {
  const out = inShell('zsh', (file) => [
    '-f',
    '-c',
    `autoload -Uz compinit && compinit -D -u; source ${file}; print $_comps[gateway]`,
  ]);
  if (out !== undefined) expect(out.trim()).toBe('_gateway');
});
