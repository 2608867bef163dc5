// The age of the time zone data used for opening hours, slots and calendar events.
import { open } from 'node:fs/promises';
import { type Found, failed, note, ok } from './finding.ts';

/** Files with the version of the machine's tzdata, as `# version 2025b` or alone. The gateway does not use its zones. */
const machineFiles = ['/usr/share/zoneinfo/tzdata.zi', '/usr/share/zoneinfo/+VERSION'];

export interface TimeZoneVersions {
  /** The IANA release in use, such as `2026c`; empty if the data cannot be loaded. */
  tz: string | undefined;
  icu: string | undefined;
  /** The IANA release of the operating system; undefined if unknown. */
  machine: string | undefined;
}

/** Reads the versions in this process and on this machine. */
export async function timeZoneVersions(): Promise<TimeZoneVersions> {
  const { tz, icu } = process.versions;
  return { tz, icu, machine: await machineVersion() };
}

async function machineVersion(): Promise<string | undefined> {
  for (const path of machineFiles) {
    const version = releaseIn(await beginningOf(path));
    if (version !== undefined) return version;
  }
  return undefined;
}

async function beginningOf(path: string): Promise<string> {
  try {
    await using file = await open(path);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(64), 0, 64, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } catch {
    return '';
  }
}

const releaseIn = (text: string) => /^(?:# version )?(\d{4}[a-z]+)\s*$/m.exec(text)?.[1];

/**
 * Returns the finding of `doctor`: a note if the operating system has a newer release, or if the release is from the year before
 * last (there are several a year). `now`: milliseconds since the epoch.
 */
export function timeZoneFinding({ tz, icu, machine }: TimeZoneVersions, now: number): Found {
  const fix = 'See "Time zone data" in docs/operations.md.';
  const release = tz === undefined ? undefined : releaseIn(tz);
  if (release === undefined)
    return failed('no time zone data could be loaded', `Check ICU_TIMEZONE_FILES_DIR. ${fix}`);
  const found = `IANA ${release} (ICU ${icu ?? 'unknown'})`;
  // releases of one year are ordered by their letters
  if (machine !== undefined && machine > release)
    return note(`${found}; this machine has IANA ${machine}, which is newer`, fix);
  if (Number(release.slice(0, 4)) < new Date(now).getUTCFullYear() - 1) return note(`${found} is old`, fix);
  return ok(found);
}
