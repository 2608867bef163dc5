// Rotation of the embedded server's log by copy and truncate: the server keeps the file open.
import { copyFile, rm, stat, truncate } from 'node:fs/promises';

const maxBytes = 8 * 2 ** 20;
const checkIntervalMs = 30_000;

/**
 * Copies a log over its limit to `path.1` and truncates it. Lines that the server writes between the two are lost. The server
 * opened the file to append, so it continues at the start of the empty file. True if the log was rotated.
 */
export async function rotateServerLog(path: string, limitBytes = maxBytes): Promise<boolean> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size <= limitBytes) return false;
  // on a full disk, free space is more important than the old log
  await copyFile(path, `${path}.1`).catch(() => rm(`${path}.1`, { force: true }));
  await truncate(path);
  return true;
}

/** Checks the log every 30 seconds. Returns the function that stops this. */
export function startLogRotation(path: string): () => void {
  const timer = setInterval(() => void rotateServerLog(path).catch(() => undefined), checkIntervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
