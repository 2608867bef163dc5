// The output of a command: text for people, or JSON for programs. Progress and problems are on standard error in both.

let isJson = false;

/** From now on, standard output has JSON only. */
export function useJson(): void {
  isJson = true;
}

export const usesJson = () => isJson;

/** A line of the result for people; nothing with --json. */
export function say(line: string): void {
  if (!isJson) process.stdout.write(`${line}\n`);
}

/** What the command is doing, on standard error. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** The result of a command: one document with --json, nothing for people, who have read its lines. */
export function printDocument(document: object): void {
  if (isJson) process.stdout.write(`${JSON.stringify(document)}\n`);
}

/** One of many results as they come: a line of JSON, or a line for people. */
export function sayEach(document: object, line: string): void {
  process.stdout.write(`${isJson ? JSON.stringify(document) : line}\n`);
}
