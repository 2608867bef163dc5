// The output of a command: text for people, or JSON for programs. Progress and problems are on standard error in both.

import { visible } from '../base/visible.ts';

let isJson = false;

/** From now on, standard output has JSON only. */
export function useJson(): void {
  isJson = true;
}

export const usesJson = () => isJson;

/** Everything that a terminal would not print: control characters except line breaks and tabs. */
const controls = /(?![\n\t])\p{Cc}/gu;

/** A text as a terminal may get it: names and errors of other systems may contain its control sequences. */
const printable = (text: string): string => text.replace(controls, visible);

/** A line of the result for people; nothing with --json. */
export function say(line: string): void {
  if (!isJson) process.stdout.write(`${printable(line)}\n`);
}

/** What the command is doing, on standard error. */
export function note(line: string): void {
  process.stderr.write(`${printable(line)}\n`);
}

/** The result of a command: one document with --json, nothing for people, who have read its lines. */
export function printDocument(document: object): void {
  if (isJson) process.stdout.write(`${JSON.stringify(document)}\n`);
}

/** One of many results as they come: a line of JSON, or a line for people. */
export function sayEach(document: object, line: string): void {
  process.stdout.write(`${isJson ? JSON.stringify(document) : printable(line)}\n`);
}
