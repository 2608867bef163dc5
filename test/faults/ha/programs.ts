// The programs of a PostgreSQL cluster that fails over by itself, and which of them this machine lacks.
import { execFileSync } from 'node:child_process';
import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const distributionFolder = '/usr/lib/postgresql';

/** The folder of PostgreSQL's programs: PG_BIN, or the newest version that Debian installed; undefined if there is none. */
export function postgresFolder(): string | undefined {
  if (process.env.PG_BIN) return process.env.PG_BIN;
  try {
    const versions = readdirSync(distributionFolder).map(Number).filter(Boolean);
    const newest = versions.sort((a, b) => b - a)[0];
    return newest === undefined ? undefined : join(distributionFolder, String(newest), 'bin');
  } catch {
    return undefined;
  }
}

/** The path of a program; also looks where Debian keeps servers. */
export function pathOf(program: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders
    .map((folder) => join(folder, program))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** How Patroni is started: PATRONI names the `patroni.py` of a checkout; otherwise the installed one. */
export function patroniCommand(): [program: string, args: string[]] | undefined {
  if (process.env.PATRONI) return ['/usr/bin/python3', [process.env.PATRONI]];
  const installed = pathOf('patroni');
  return installed === undefined ? undefined : [installed, []];
}

/** What is missing, as one line for the reader; undefined if everything is there. */
export function missingPrograms(): string | undefined {
  const missing = [
    ...(postgresFolder() === undefined ? ['postgresql'] : []),
    ...(patroniCommand() === undefined ? ['patroni'] : []),
    ...(pathOf('etcd') === undefined ? ['etcd-server'] : []),
    ...(pathOf('haproxy') === undefined ? ['haproxy'] : []),
  ];
  if (missing.length === 0) return undefined;
  return (
    `this machine lacks ${missing.join(', ')} ` +
    '(Debian: apt-get install --no-install-recommends patroni etcd-server haproxy postgresql)'
  );
}

const firstLineOf = (program: string, args: string[]) =>
  execFileSync(program, args, { encoding: 'utf8' }).split('\n')[0]?.trim() ?? '';

/** The versions, for the report of a campaign. */
export function versionsOfPrograms(): Record<string, string> {
  const [patroni, args] = patroniCommand() as [string, string[]];
  return {
    postgresql: firstLineOf(join(postgresFolder() as string, 'postgres'), ['--version']),
    patroni: firstLineOf(patroni, [...args, '--version']),
    etcd: firstLineOf(pathOf('etcd') as string, ['--version']),
    haproxy: firstLineOf(pathOf('haproxy') as string, ['-v']),
  };
}

/**
 * True for Patroni 3.1 and later. Before, on etcd's version 3 interface, a primary that was frozen takes its lock back when it
 * resumes, although another one leads (patroni #2689, #2787).
 */
export function givesUpLostLock(version: string): boolean {
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(version)?.map(Number) ?? [];
  return major > 3 || (major === 3 && minor >= 1);
}
