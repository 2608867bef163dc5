// The import law of src as rules over import lines: rows, rooms, doors, and which files may touch SQL, HTTP and the environment.
import type { Import, Source } from './source.ts';

/** Says what is wrong with one import of one file, or nothing. */
type ImportRule = (file: Source, line: Import) => string | undefined;
/** Says what is wrong with one file's code, or nothing. */
type FileRule = (file: Source) => string | undefined;

// a file imports lower rows only; `config` stands in row 0 and sees `base`
const rows: string[][] = [
  ['contract', 'ports', 'db', 'base', 'config.ts'],
  ['work', 'http'],
  ['accounts', 'webhooks'],
  ['messaging', 'appointments', 'adapters'],
  ['server.ts', 'workers.ts', 'encryption-keys.ts'],
  ['parts.ts'],
  ['app.ts'],
  ['commands'],
  ['cli.ts'],
];

/** Which rooms of the same house a sub-room may enter. */
const below: Record<string, string[]> = {
  'messaging/sending': ['media', 'templates', 'senders'],
  'messaging/templates': ['media', 'senders'],
  'messaging/media': ['senders'],
  'messaging/senders': [],
  'appointments/booking': ['slots', 'calendar', 'directory'],
  'appointments/slots': ['calendar', 'directory'],
  'appointments/calendar': ['directory'],
  'appointments/directory': [],
  'webhooks/maintenance': ['replay', 'delivery', 'endpoints'],
  'webhooks/replay': ['history', 'delivery', 'endpoints'],
  'webhooks/history': ['delivery', 'endpoints'],
  'webhooks/delivery': ['endpoints'],
  'webhooks/endpoints': [],
};

const partsOf = (path: string) => path.split('/').slice(1);
const unitOf = (path: string) => partsOf(path)[0] ?? '';
const rowOf = (path: string) => rows.findIndex((row) => row.includes(unitOf(path)));
const roomOf = (path: string) => (partsOf(path).length > 2 ? partsOf(path)[1] : undefined);
const isIn = (path: string, ...places: string[]) =>
  places.some((place) => path === place || path.startsWith(`${place}/`));

const ourFiles: ImportRule = (file, { target }) => {
  if (!target || isIn(target, 'src', 'package.json')) return undefined;
  return isIn(target, 'demo') && isIn(file.path, 'src/commands')
    ? undefined
    : `reaches out of src, to ${target}`;
};

const rowLaw: ImportRule = (file, { target }) => {
  if (!target || !isIn(target, 'src') || unitOf(file.path) === unitOf(target)) return undefined;
  if (rowOf(file.path) < 0 || rowOf(target) < 0) return `${target}: one of the two has no row in the law`;
  if (file.path === 'src/config.ts' && unitOf(target) === 'base') return undefined;
  return rowOf(target) < rowOf(file.path) ? undefined : `imports ${target}, which is not in a lower row`;
};

const adaptersSeeLittle: ImportRule = (file, { target }) =>
  isIn(file.path, 'src/adapters') && target && !isIn(target, 'src/adapters', 'src/ports', 'src/base')
    ? `an adapter sees ports and base only, not ${target}`
    : undefined;

const adaptersAreWired: ImportRule = (file, { target }) =>
  target && isIn(target, 'src/adapters') && !isIn(file.path, 'src/adapters', 'src/parts.ts')
    ? `only parts.ts names an adapter (${target})`
    : undefined;

const oneVendorAFolder: ImportRule = (file, { target }) =>
  target &&
  isIn(target, 'src/adapters') &&
  isIn(file.path, 'src/adapters') &&
  roomOf(target) !== roomOf(file.path)
    ? `one vendor's adapter does not know another's (${target})`
    : undefined;

const subRooms: ImportRule = (file, { target }) => {
  if (!target || !isIn(target, 'src') || unitOf(file.path) !== unitOf(target)) return undefined;
  const unit = unitOf(file.path);
  const from = roomOf(file.path);
  const to = roomOf(target);
  if (unit === 'adapters' || from === to || from === undefined) return undefined;
  if (to === undefined) return `goes up, from ${unit}/${from} to ${target}`;
  const allowed = below[`${unit}/${from}`];
  if (!allowed) return `the sub-room ${unit}/${from} has no place in the law`;
  return allowed.includes(to) ? undefined : `goes sideways or up, from ${unit}/${from} to ${target}`;
};

const oneDoorToWebhooks: ImportRule = (file, { target }) =>
  target &&
  isIn(target, 'src/webhooks') &&
  isIn(file.path, 'src/messaging', 'src/appointments', 'src/accounts') &&
  target !== 'src/webhooks/publish.ts'
    ? `other rooms reach webhooks through publish.ts alone, not ${target}`
    : undefined;

const isStore = (path: string) => /(?:\/|-)store\.ts$/.test(path) || isIn(path, 'src/db');
const isRoute = (path: string) =>
  /\/(?:routes|callback|[\w-]+-routes)\.ts$/.test(path) && !isIn(path, 'src/adapters');
const meetsFastify = (path: string) =>
  isRoute(path) || isIn(path, 'src/server.ts', 'src/http', 'src/accounts/admit.ts');

const sqlInStores: ImportRule = (file, { from }) =>
  /^(?:kysely|pg)(?:\/|$|-)/.test(from) && !isStore(file.path)
    ? `SQL (${from}) belongs in a store`
    : undefined;

const fastifyAtTheDoor: ImportRule = (file, { from }) =>
  /^(?:@?fastify|@scalar)(?:\/|$|-)/.test(from) && !meetsFastify(file.path)
    ? `Fastify (${from}) belongs in server.ts, http/, admit.ts and route files`
    : undefined;

const serverSide = new Set(['createServer', 'Server', 'IncomingMessage', 'ServerResponse', 'STATUS_CODES']);
const isOutgoing = (path: string) => /^src\/base\/outgoing[\w-]*\.ts$/.test(path);
const httpOut: ImportRule = (file, { from, typeOnly, names }) => {
  if (typeOnly || isOutgoing(file.path)) return undefined;
  if (/^undici(?:\/|$)/.test(from)) return 'HTTP out (undici) goes through base/outgoing.ts';
  if (!/^(?:node:)?https?2?$/.test(from)) return undefined;
  return names.length > 0 && names.every((name) => serverSide.has(name))
    ? undefined
    : `HTTP out (${from}) goes through base/outgoing.ts`;
};

const vendorKits: ImportRule = (file, { from }) =>
  /^(?:@googleapis|googleapis|google-auth-library|@aws-sdk|tsdav|ical\.js)(?:\/|$)/.test(from) &&
  !isIn(file.path, 'src/adapters')
    ? `a vendor's kit (${from}) belongs in an adapter`
    : undefined;

const environmentOnce: FileRule = (file) =>
  file.path !== 'src/config.ts' &&
  (/\bprocess\s*\??\.\s*env\b|\bprocess\s*\[/.test(file.code) ||
    file.imports.some(
      (line) => /^(?:node:)?process$/.test(line.from) && line.names.some((name) => name !== 'stdout'),
    ))
    ? 'only config.ts reads the environment'
    : undefined;

const noFetch: FileRule = (file) =>
  !isOutgoing(file.path) && /(?<![.\w$])fetch\s*\(|\bglobalThis\s*\.\s*fetch\b/.test(file.code)
    ? 'HTTP out (fetch) goes through base/outgoing.ts'
    : undefined;

const noQueries: FileRule = (file) =>
  !isStore(file.path) &&
  /\bsql(?:<[^`]*>)?``|\.\s*(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\s*\(/.test(file.code)
    ? 'SQL belongs in a store'
    : undefined;

const portsHaveNoCode: FileRule = (file) =>
  isIn(file.path, 'src/ports') && /^export\s+(?:async\s+)?(?:function|class|const|let|var)\b/m.test(file.code)
    ? 'a port is interfaces and their data types, no code'
    : undefined;

const noBarrels: FileRule = (file) => {
  if (/\/index\.[a-z]+$/.test(file.path)) return 'no index file inside src';
  return /^\s*export\s*\*/m.test(file.code) ? 'no export *' : undefined;
};

const importRules = [
  ourFiles,
  rowLaw,
  adaptersSeeLittle,
  adaptersAreWired,
  oneVendorAFolder,
  subRooms,
  oneDoorToWebhooks,
  sqlInStores,
  fastifyAtTheDoor,
  httpOut,
  vendorKits,
];
const fileRules = [environmentOnce, noFetch, noQueries, portsHaveNoCode, noBarrels];

/** Everything that the files of src do against the law, one line each; empty when they keep it. */
export function breachesOfImportLaw(files: Source[]): string[] {
  return files.flatMap((file) => {
    const found = [
      ...file.imports.flatMap((line) => importRules.map((rule) => rule(file, line))),
      ...fileRules.map((rule) => rule(file)),
    ];
    return found.filter((text) => text !== undefined).map((text) => `${file.path}: ${text}`);
  });
}
