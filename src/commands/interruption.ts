// Interruption of a command by a signal: the database server that the command started stops before the command ends.
import { CommandError } from './exit-codes.ts';
import { note } from './output.ts';

/** Ctrl-C, a service manager's stop, and the end of the terminal. */
export const interruptingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

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
    const onSignal = (signal: NodeJS.Signals) => {
      unlisten();
      isInterrupted = true;
      note(`\nStopping (${signal}). Press Ctrl-C again to stop immediately.`);
      const end = () => reject(new CommandError('interrupted', `Interrupted by ${signal}.`));
      void stop().then(end, end);
    };
    unlisten();
    unlisten = () => {
      for (const signal of interruptingSignals) process.removeListener(signal, onSignal);
    };
    for (const signal of interruptingSignals) process.once(signal, onSignal);
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
