// `npm run docs:commands`: writes the help of every command into docs/command-line.md; a test compares the two.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { openProgram } from '../src/command-line/program.ts';

const file = join(import.meta.dirname, '..', 'docs/command-line.md');
const marker = '## Reference\n';

/** The help of a command and of those below it, as sections. */
function sections(command: Command, names: string[] = []): string[] {
  const title = names.length === 0 ? 'All commands' : names.join(' ');
  const own = `### ${title}\n\n\`\`\`text\n${helpOf(command).trim()}\n\`\`\`\n`;
  return [own, ...command.commands.flatMap((sub) => sections(sub, [...names, sub.name()]))];
}

/** What `--help` prints. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

/** The page: what was written by people, and the help of this program. */
export function commandLinePage(text: string): string {
  const before = text.slice(0, text.indexOf(marker));
  return `${before}${marker}\n${sections(openProgram()).join('\n')}`;
}

if (import.meta.main) writeFileSync(file, commandLinePage(readFileSync(file, 'utf8')));
