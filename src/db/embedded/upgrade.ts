// What an upgrade of the embedded PostgreSQL leaves when it is killed, fails or succeeds: continued, undone or removed at the next start.
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { EmbeddedLog } from './acquire.ts';
import type { ServerFolders } from './folders.ts';
import { readPostmaster, stopServer } from './postmaster.ts';

interface Settling {
  folders: ServerFolders;
  log: EmbeddedLog;
}

/**
 * In the copy, from before it takes the place of the old directory until its server has run there: nothing but the copy was
 * written to it, and the old directory is whole.
 */
export const unprovenName = 'gateway.unproven';

/** The copy while it is made, and the old directory afterwards. */
export const pathsOf = ({ cluster }: ServerFolders) => ({
  cluster,
  copy: `${cluster}.upgrade`,
  old: `${cluster}.before-upgrade`,
});

/** Renames and deletions in a folder survive a power failure after this. Windows does this itself. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Stops the server of a directory if one was left running. */
async function stopLeftover(cluster: string): Promise<void> {
  const server = await readPostmaster(cluster);
  if (server) await stopServer(server.pid, cluster);
}

/** Removes a data directory if it exists, after stopping the server that runs on it. */
export async function removeCluster(cluster: string): Promise<void> {
  if (!existsSync(cluster)) return;
  await stopLeftover(cluster);
  await rm(cluster, { recursive: true, force: true });
}

/**
 * Continues or undoes what a killed upgrade left: a copy that was verified takes its place; without one the old directory comes
 * back. Call it before anything looks for the database.
 */
export async function settleUpgrade({ folders, log }: Settling): Promise<void> {
  const { cluster, copy, old } = pathsOf(folders);
  if (existsSync(cluster) || !existsSync(old)) return;
  await stopLeftover(old);
  const isVerified = existsSync(join(copy, unprovenName));
  await rename(isVerified ? copy : old, cluster);
  await syncFolder(dirname(cluster));
  log.warn({ folder: cluster, from: isVerified ? copy : old }, 'database.upgrade_continued');
}

/**
 * Removes the old directory once the server runs on the copy at its place. `cluster` was not used by any gateway until then, so if its server
 * failed, `undoUpgrade` brings the old directory back.
 */
export async function finishUpgrade({ folders, log }: Settling): Promise<void> {
  const { cluster, copy, old } = pathsOf(folders);
  if (existsSync(join(cluster, unprovenName))) {
    await rm(join(cluster, unprovenName));
    await syncFolder(cluster);
  }
  for (const left of [old, copy]) {
    if (!existsSync(left)) continue;
    await removeCluster(left);
    log.info({ folder: left }, 'database.old_removed');
  }
}

/** After the server failed on a copy that nobody has used: brings the old directory back. False if there is no such copy. */
export async function undoUpgrade({ folders, log }: Settling): Promise<boolean> {
  const { cluster, copy, old } = pathsOf(folders);
  if (!existsSync(join(cluster, unprovenName)) || !existsSync(old)) return false;
  await stopLeftover(cluster);
  // without its mark, a crash in between brings the old directory back too
  await rm(join(cluster, unprovenName));
  await rm(copy, { recursive: true, force: true });
  await rename(cluster, copy);
  await rename(old, cluster);
  await syncFolder(dirname(cluster));
  log.error({ folder: cluster }, 'database.upgrade_undone');
  return true;
}
