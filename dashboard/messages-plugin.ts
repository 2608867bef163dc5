// Turns the language files into modules at build time: one for each language and room, so that a page loads only its own texts.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import MessageFormat from '@messageformat/core';
import compileModule from '@messageformat/core/compile-module';
import type { Plugin } from 'vite';

const prefix = 'virtual:messages';

/**
 * Provides `virtual:messages`: `{[language]: {[room]: () => Promise<{default: {[key]: (values) => string}}>}}`. A language file
 * holds ICU messages by room and key; the messages are compiled here, so that the page contains no parser.
 */
export function messagesPlugin(folder: string): Plugin {
  const fileOf = (language: string) => join(folder, `${language}.json`);
  const roomsOf = (language: string): Record<string, Record<string, string>> =>
    JSON.parse(readFileSync(fileOf(language), 'utf8'));

  function listing(): string {
    const languages = readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .map((file) => basename(file, '.json'));
    const entries = languages.map((language) => {
      const rooms = Object.keys(roomsOf(language)).map(
        (room) => `${JSON.stringify(room)}: () => import('${prefix}/${language}/${room}')`,
      );
      return `${JSON.stringify(language)}: { ${rooms.join(', ')} }`;
    });
    return `export default { ${entries.join(', ')} };`;
  }

  return {
    name: 'messages',
    resolveId: (id) => (id === prefix || id.startsWith(`${prefix}/`) ? `\0${id}` : undefined),
    load(id) {
      if (id === `\0${prefix}`) return listing();
      if (!id.startsWith(`\0${prefix}/`)) return undefined;
      const [language = '', room = ''] = id.slice(prefix.length + 2).split('/');
      this.addWatchFile(fileOf(language));
      return compileModule(new MessageFormat(language), roomsOf(language)[room] ?? {});
    },
  };
}
