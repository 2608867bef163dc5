// Turns the language files into modules at build time: one for each language with the texts of every page, and one for each of
// its rooms, so that a page loads only its own texts.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import MessageFormat from '@messageformat/core';
import compileModule from '@messageformat/core/compile-module';
import type { Plugin } from 'vite';

const prefix = 'virtual:messages';
/** What every page shows, also before signing in: loaded with the language. */
const startRooms = ['common', 'shell', 'states', 'signIn'];

/**
 * Provides `virtual:messages`: `{[language]: () => Promise<{default: Rooms}>}`, where `Rooms` is `{[room]: Texts | (() =>
 * Promise<{default: Texts}>)}` and `Texts` is `{[key]: (values) => string}`. Rooms of `startRooms` are there without waiting. A
 * language file holds ICU messages by room and key; the messages are compiled here, so that the page contains no parser.
 */
export function messagesPlugin(folder: string): Plugin {
  const fileOf = (language: string) => join(folder, `${language}.json`);
  const roomsOf = (language: string): Record<string, Record<string, string>> =>
    JSON.parse(readFileSync(fileOf(language), 'utf8'));

  function listing(): string {
    const languages = readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .map((file) => basename(file, '.json'));
    const entries = languages.map(
      (language) => `${JSON.stringify(language)}: () => import('${prefix}/${language}')`,
    );
    return `export default { ${entries.join(', ')} };`;
  }
  function rooms(language: string): string {
    const addressOf = (room: string) => `'${prefix}/${language}/${room}'`;
    const imports = startRooms.map((room) => `import ${room} from ${addressOf(room)};`);
    const others = Object.keys(roomsOf(language)).filter((room) => !startRooms.includes(room));
    const lazy = others.map((room) => `${JSON.stringify(room)}: () => import(${addressOf(room)})`);
    return `${imports.join('\n')}\nexport default { ${[...startRooms, ...lazy].join(', ')} };`;
  }

  return {
    name: 'messages',
    resolveId: (id) => (id === prefix || id.startsWith(`${prefix}/`) ? `\0${id}` : undefined),
    load(id) {
      if (id === `\0${prefix}`) return listing();
      if (!id.startsWith(`\0${prefix}/`)) return undefined;
      const [language = '', room] = id.slice(prefix.length + 2).split('/');
      this.addWatchFile(fileOf(language));
      if (room === undefined) return rooms(language);
      return compileModule(new MessageFormat(language), roomsOf(language)[room] ?? {});
    },
  };
}
