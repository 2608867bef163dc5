// Shutdown: stops everything in order, within the time limits of service managers.
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../app.ts';
import { flushLog, type Log } from '../base/log.ts';
import type { OpenDatabase } from '../open-database.ts';
import { onInterruption } from './interruption.ts';
import { note } from './output.ts';
import type { RunningSandbox } from './sandbox.ts';

/** The running parts, in the order of their start. */
export interface Running {
  /** Settles when no part is still being started. */
  starting: Promise<unknown>;
  database?: OpenDatabase;
  sandbox?: RunningSandbox;
  app?: App;
}

/** Time for in-flight calls; the next start reconciles interrupted ones. */
const appMs = 6_000;
/** Container and service managers send SIGKILL after 10 seconds, unless configured otherwise. */
const allMs = 9_500;
/** Additional time for requests after an announced shutdown. */
const announcedMs = 16_000;

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

/** Exits immediately. The sandbox and the embedded database stop too. */
function exitNow(running: Running, code: number): never {
  running.database?.stopNow();
  // the sandbox exits when its input pipe closes
  process.exit(code);
}

/**
 * On the first signal, announces shutdown for `delayMs`, stops everything in order and exits with 0. On the second signal, or
 * if that takes too long, exits immediately with 1.
 */
export function stopOnSignals(running: Running, cancel: AbortController, log: Log, delayMs: number): void {
  const announcedExtraMs = delayMs > 0 ? announcedMs : 0;
  const stop = async (signal: NodeJS.Signals) => {
    note(`\nStopping (${signal}). Press Ctrl-C again to stop immediately.`);
    cancel.abort();
    const timeout = setTimeout(
      () => {
        log.error('process.stop_late');
        exitNow(running, 1);
      },
      delayMs + announcedExtraMs + allMs,
    );
    await running.starting.catch(() => undefined);
    await running.app?.drain(delayMs);
    await stopAll(running, log, appMs + announcedExtraMs).catch((error) =>
      log.error({ err: error }, 'process.stop_failed'),
    );
    clearTimeout(timeout);
    flushLog(log);
    process.exit(0);
  };
  const stopNow = () => {
    note('Stopping immediately.');
    exitNow(running, 1);
  };
  onInterruption((signal) => void stop(signal), stopNow);
}
