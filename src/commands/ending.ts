// The end of a start: everything that runs is stopped in its order, within a time that service managers wait.
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../app.ts';
import { flushLog, type Log } from '../base/log.ts';
import type { OpenDatabase } from '../db/open-database.ts';
import type { RunningSandbox } from './sandbox.ts';

/** What is running, in the order of its start. */
export interface Running {
  /** Settles when nothing more is being started. */
  starting: Promise<unknown>;
  database?: OpenDatabase;
  sandbox?: RunningSandbox;
  app?: App;
}

/** In-flight calls may take this long; the next start reconciles interrupted ones. */
const appMs = 6_000;
/** Container and service managers send SIGKILL after 10 seconds, unless configured otherwise. */
const allMs = 9_500;
/** What requests may take longer where the end was announced to a proxy. */
const announcedMs = 16_000;

/** Prints progress to standard error; standard output is for results. */
export const tell = (line: string) => process.stderr.write(`${line}\n`);

/** Stops the gateway, then the sandbox, then the database. */
export async function stopAll(running: Running, log: Log, closesWithinMs = appMs): Promise<void> {
  const { app, sandbox, database } = running;
  try {
    const closed = await Promise.race([
      app?.close().then(() => true),
      sleep(closesWithinMs, false, { ref: false }),
    ]);
    if (app && !closed)
      log.warn('process.stop_cut: in-flight calls were interrupted; the next start reconciles them');
  } catch (error) {
    log.error({ err: error }, 'process.stop_failed');
  }
  await sandbox?.stop();
  await database?.close();
}

/** Ends this process now; neither the sandbox nor the embedded database outlives it. */
function endAtOnce(running: Running, code: number): never {
  running.database?.stopNow();
  // the sandbox ends with the pipe that it reads
  process.exit(code);
}

/**
 * At the first signal announces the end for `delayMs`, ends everything in order and exits with 0; at the second, or when
 * that takes too long, immediately with 1.
 */
export function endOnSignals(running: Running, cancel: AbortController, log: Log, delayMs: number): void {
  const longerMs = delayMs > 0 ? announcedMs : 0;
  const end = async (signal: NodeJS.Signals) => {
    if (cancel.signal.aborted) {
      tell('Stopping immediately.');
      endAtOnce(running, 1);
    }
    tell(`\nStopping (${signal}). Press Ctrl-C again to stop immediately.`);
    cancel.abort();
    const late = setTimeout(
      () => {
        log.error('process.stop_late');
        endAtOnce(running, 1);
      },
      delayMs + longerMs + allMs,
    );
    await running.starting.catch(() => undefined);
    await running.app?.drain(delayMs);
    await stopAll(running, log, appMs + longerMs).catch((error) =>
      log.error({ err: error }, 'process.stop_failed'),
    );
    clearTimeout(late);
    flushLog(log);
    process.exit(0);
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  process.on('SIGHUP', end);
}
