// Interruption of a command by a signal: the database server that the command started stops before the command ends.
import { CommandError } from './exit-codes.ts';
import { note } from './output.ts';

/** Ctrl-C, a service manager's stop, and the end of the terminal. */
const interruptingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * A terminal sends Ctrl-C, and systemd SIGTERM, to npm and to the program that it runs, and npm passes it on to the program: a millisecond later the program
 * has it twice. What comes within this time is the same signal.
 */
const sameSignalMs = 500;

/**
 * Calls `first` on the first signal, and `again` on one that comes later; without `again`, that one ends the process. Returns what stops listening.
 */
export function onInterruption(
  first: (signal: NodeJS.Signals) => void,
  again?: (signal: NodeJS.Signals) => void,
): () => void {
  let firstAtMs: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    const nowMs = performance.now();
    if (firstAtMs === undefined) {
      firstAtMs = nowMs;
      return first(signal);
    }
    if (nowMs - firstAtMs < sameSignalMs) return;
    if (again) return again(signal);
    unlisten();
    process.kill(process.pid, signal);
  };
  const unlisten = () => {
    for (const signal of interruptingSignals) process.removeListener(signal, onSignal);
  };
  for (const signal of interruptingSignals) process.on(signal, onSignal);
  return unlisten;
}

/** Called with what stops the server of a command, when the command is about to start it, or to use one that another command started. */
export type OnServer = (stop: () => Promise<void>) => void;

/**
 * Runs `work`. If it starts a database server, the first signal stops that server, and this throws CommandError `interrupted`; a second
 * signal ends the process immediately. Without such a server, signals end the process as usual.
 */
export async function interruptible<T>(work: (onServer: OnServer) => Promise<T>): Promise<T> {
  const { promise: interrupted, reject } = Promise.withResolvers<never>();
  interrupted.catch(() => undefined);
  let isInterrupted = false;
  let unlisten = () => {};
  const onServer: OnServer = (stop) => {
    unlisten();
    unlisten = onInterruption((signal) => {
      isInterrupted = true;
      note(`\nStopping (${signal}). Press Ctrl-C again to stop immediately.`);
      const end = () => reject(new CommandError('interrupted', `Interrupted by ${signal}.`));
      void stop().then(end, end);
    });
  };
  try {
    return await Promise.race([work(onServer), interrupted]);
  } catch (error) {
    // statements fail while the server stops
    if (isInterrupted) await interrupted;
    throw error;
  } finally {
    unlisten();
  }
}

/**
 * Opens a database with `open`. If `signal` aborts before it is open, an embedded server that was started for it stops, and this throws the
 * signal's reason.
 */
export async function openUnlessAborted<T>(
  signal: AbortSignal,
  open: (onServer: OnServer) => Promise<T>,
): Promise<T> {
  const opened = new AbortController();
  const onServer: OnServer = (stop) =>
    signal.addEventListener('abort', () => void stop(), { signal: opened.signal });
  try {
    return await open(onServer);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    opened.abort();
  }
}
