// The embedded server's log: the server itself appends to it for as long as it runs, so it is rotated by copy and truncation.
import { copyFile, rm, stat, truncate } from 'node:fs/promises';

const maxBytes = 8 * 2 ** 20;
const lookEveryMs = 30_000;

/**
 * Copies a log that has grown over its limit to `path.1` and empties it; what the server says between the two is lost.
 * The server goes on writing at the end, since it opened the file to append. True if the log was rotated.
 */
export async function rotateServerLog(path: string, limitBytes = maxBytes): Promise<boolean> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size <= limitBytes) return false;
  // on a full disk room is worth more than an old log
  await copyFile(path, `${path}.1`).catch(() => rm(`${path}.1`, { force: true }));
  await truncate(path);
  return true;
}

/** Looks at the log every half a minute; answers how to stop that. */
export function keepServerLogSmall(path: string): () => void {
  const timer = setInterval(() => void rotateServerLog(path).catch(() => undefined), lookEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}
