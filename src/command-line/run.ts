// How every command runs: its options, its result, its errors and its exit code.
import { type Command, CommanderError, InvalidArgumentError } from 'commander';
import { isBlank } from '../base/visible.ts';
import { errorText, exitCodes, exitReasonOf } from '../commands/exit-codes.ts';
import { note, printDocument } from '../commands/output.ts';

/** A failed command exits after this time, even if sockets or timers are still open. */
const endWithinMs = 2_000;

/**
 * An action that prints the document of `work` and sets the exit code: 1 if the document says `ok: false`. Without a document, the
 * command has printed its result itself.
 */
export function action<Args extends unknown[]>(work: (...args: Args) => Promise<object | undefined>) {
  return async (...args: Args): Promise<void> => {
    const document = await work(...args);
    if (document === undefined) return;
    printDocument(document);
    if ('ok' in document && document.ok === false) process.exitCode = exitCodes.failed;
  };
}

/** Lets a rotation, a release or the gateway finish its work although nobody can read what it prints: `gateway doctor | head`, or a full disk. */
function keepWorking(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || process.exitCode !== undefined) return;
    process.exitCode = exitCodes.failed;
    note(`Standard output cannot be written: ${error.message}.`);
  });
  process.stderr.on('error', () => undefined);
}

/** Runs the command of `argv`. Prints the problem without a stack: the operator needs to know what to do. */
export async function runCommand(program: Command, argv: readonly string[]): Promise<void> {
  keepWorking();
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) {
      // help and version that were asked for; commander has printed its message
      const isAsked = error.exitCode === 0;
      process.exitCode = isAsked ? exitCodes.done : exitCodes.usage;
      if (!isAsked) printDocument({ error: { reason: 'usage', message: error.message } });
      return;
    }
    const reason = exitReasonOf(error);
    note(errorText(error));
    printDocument({ error: { reason, message: errorText(error) } });
    process.exitCode = exitCodes[reason];
    // its work may still be going on
    if (reason === 'interrupted') process.exit();
    setTimeout(() => process.exit(), endWithinMs).unref();
  }
}

/** A whole number from `min` to `max`. */
export const wholeNumber =
  (min: number, max = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= min && number <= max) return number;
    const range = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;
    throw new InvalidArgumentError(`Use a whole number ${range}.`);
  };

/** A text of which something is visible, such as a name. */
export function filledText(text: string): string {
  if (isBlank(text)) throw new InvalidArgumentError('Use a text that is not blank.');
  return text;
}

/** Collects `key=value` options into one record. */
export function pairs(text: string, earlier: Record<string, string>): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Use the form key=value.');
  return { ...earlier, [text.slice(0, at)]: text.slice(at + 1) };
}
