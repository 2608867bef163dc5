// The import rules of src: layers, submodules, and which files may use SQL, HTTP, the environment and vendor SDKs.
import type { Import, Source } from './source.ts';

/** Returns what is wrong with one import of a file, or undefined. */
type ImportRule = (file: Source, line: Import) => string | undefined;
/** Returns what is wrong with a file's code, or undefined. */
type FileRule = (file: Source) => string | undefined;

// a file imports only lower layers; `config` is in layer 0 and may import `base`
const layers: string[][] = [
  ['contract', 'ports', 'db', 'base', 'config.ts'],
  ['work', 'http', 'backup'],
  ['statistics', 'changes', 'audit'],
  ['accounts', 'webhooks'],
  ['messaging', 'appointments', 'adapters'],
  ['overview', 'erasure', 'retention', 'stream', 'sandbox-access'],
  ['operator'],
  ['server.ts', 'workers.ts', 'encryption-keys.ts', 'open-database.ts'],
  ['parts.ts'],
  ['run-backup'],
  ['app.ts'],
  ['commands'],
  ['command-line'],
  ['cli.ts'],
];

/** Submodules of messaging: each may import those after it. */
const messaging = [
  'sending',
  'dispatch',
  'status-reports',
  'messages',
  'received',
  'opt-outs',
  'contacts',
  'templates',
  'template-content',
  'media',
  'senders',
];
const messagingFrom = (name: string) => messaging.slice(messaging.indexOf(name));

/** The submodules of the same module that a submodule may import. */
const submoduleImports: Record<string, string[]> = {
  'messaging/conversations': messagingFrom('messages'),
  'messaging/campaigns': ['replies', ...messaging],
  'messaging/replies': messaging,
  'messaging/template-editing': messagingFrom('dispatch'),
  ...Object.fromEntries(messaging.map((name) => [`messaging/${name}`, messagingFrom(name).slice(1)])),
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

/** Submodules that may import their module's files; an import back would be a cycle of folders. */
const onTheirModule = new Set(['base/outgoing', 'db/embedded']);

const partsOf = (path: string) => path.split('/').slice(1);
const unitOf = (path: string) => partsOf(path)[0] ?? '';
const layerOf = (path: string) => layers.findIndex((row) => row.includes(unitOf(path)));
const submoduleOf = (path: string) => (partsOf(path).length > 2 ? partsOf(path)[1] : undefined);
const isIn = (path: string, ...places: string[]) =>
  places.some((place) => path === place || path.startsWith(`${place}/`));

const insideSrc: ImportRule = (file, { target }) => {
  if (!target || isIn(target, 'src', 'package.json')) return undefined;
  return isIn(target, 'demo', 'client') && isIn(file.path, 'src/commands')
    ? undefined
    : `imports ${target}, which is outside src`;
};

const lowerLayersOnly: ImportRule = (file, { target }) => {
  if (!target || !isIn(target, 'src') || unitOf(file.path) === unitOf(target)) return undefined;
  if (layerOf(file.path) < 0 || layerOf(target) < 0) return `${target}: one of the two has no layer`;
  if (file.path === 'src/config.ts' && unitOf(target) === 'base') return undefined;
  return layerOf(target) < layerOf(file.path)
    ? undefined
    : `imports ${target}, which is not in a lower layer`;
};

const adapterImports: ImportRule = (file, { target }) =>
  isIn(file.path, 'src/adapters') && target && !isIn(target, 'src/adapters', 'src/ports', 'src/base')
    ? `an adapter may import only ports and base, not ${target}`
    : undefined;

const adaptersOnlyInParts: ImportRule = (file, { target }) =>
  target && isIn(target, 'src/adapters') && !isIn(file.path, 'src/adapters', 'src/parts.ts')
    ? `only parts.ts may import an adapter (${target})`
    : undefined;

const adaptersAreSeparate: ImportRule = (file, { target }) =>
  target &&
  isIn(target, 'src/adapters') &&
  isIn(file.path, 'src/adapters') &&
  submoduleOf(target) !== submoduleOf(file.path)
    ? `an adapter must not import another vendor's (${target})`
    : undefined;

const submodules: ImportRule = (file, { target }) => {
  if (!target || !isIn(target, 'src') || unitOf(file.path) !== unitOf(target)) return undefined;
  const unit = unitOf(file.path);
  const from = submoduleOf(file.path);
  const to = submoduleOf(target);
  if (unit === 'adapters' || from === to || from === undefined) return undefined;
  if (to === undefined)
    return onTheirModule.has(`${unit}/${from}`)
      ? undefined
      : `imports upwards, from ${unit}/${from} to ${target}`;
  const allowed = submoduleImports[`${unit}/${from}`];
  if (!allowed) return `the submodule ${unit}/${from} is not listed`;
  return allowed.includes(to) ? undefined : `imports sideways or upwards, from ${unit}/${from} to ${target}`;
};

const webhooksThroughPublish: ImportRule = (file, { target }) =>
  target &&
  isIn(target, 'src/webhooks') &&
  isIn(file.path, 'src/messaging', 'src/appointments', 'src/accounts') &&
  target !== 'src/webhooks/publish.ts'
    ? `other modules may import only webhooks/publish.ts, not ${target}`
    : undefined;

const isStore = (path: string) => /(?:\/|-)store\.ts$/.test(path) || isIn(path, 'src/db');
const isRoute = (path: string) =>
  /\/(?:routes|callback|[\w-]+-routes)\.ts$/.test(path) && !isIn(path, 'src/adapters');
const mayUseFastify = (path: string) =>
  isRoute(path) || isIn(path, 'src/server.ts', 'src/http', 'src/accounts/admit.ts');

const sqlInStores: ImportRule = (file, { from }) =>
  /^(?:kysely|pg)(?:\/|$|-)/.test(from) && !isStore(file.path)
    ? `SQL (${from}) belongs in a store`
    : undefined;

const fastifyInRoutes: ImportRule = (file, { from }) =>
  /^(?:@?fastify|@scalar)(?:\/|$|-)/.test(from) && !mayUseFastify(file.path)
    ? `Fastify (${from}) belongs in server.ts, http/, admit.ts and route files`
    : undefined;

const serverSide = new Set(['createServer', 'Server', 'IncomingMessage', 'ServerResponse', 'STATUS_CODES']);
const outgoingHttp: ImportRule = (file, { from, typeOnly, names }) => {
  if (typeOnly || isIn(file.path, 'src/base/outgoing')) return undefined;
  if (/^undici(?:\/|$)/.test(from)) return 'outgoing HTTP (undici) must use base/outgoing/';
  if (!/^(?:node:)?https?2?$/.test(from)) return undefined;
  return names.length > 0 && names.every((name) => serverSide.has(name))
    ? undefined
    : `outgoing HTTP (${from}) must use base/outgoing/`;
};

const vendorSdks: ImportRule = (file, { from }) =>
  /^(?:@googleapis|googleapis|google-auth-library|@aws-sdk|tsdav|ical\.js)(?:\/|$)/.test(from) &&
  !isIn(file.path, 'src/adapters')
    ? `a vendor's SDK (${from}) belongs in an adapter`
    : undefined;

const environmentInConfig: FileRule = (file) =>
  file.path !== 'src/config.ts' &&
  (/\bprocess\s*\??\.\s*env\b|\bprocess\s*\[/.test(file.code) ||
    file.imports.some(
      (line) => /^(?:node:)?process$/.test(line.from) && line.names.some((name) => name !== 'stdout'),
    ))
    ? 'only config.ts may read the environment'
    : undefined;

const noFetch: FileRule = (file) =>
  !isIn(file.path, 'src/base/outgoing') && /(?<![.\w$])fetch\s*\(|\bglobalThis\s*\.\s*fetch\b/.test(file.code)
    ? 'outgoing HTTP (fetch) must use base/outgoing/'
    : undefined;

const noQueries: FileRule = (file) =>
  !isStore(file.path) &&
  /\bsql(?:<[^`]*>)?``|\.\s*(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\s*\(/.test(file.code)
    ? 'SQL belongs in a store'
    : undefined;

const portsHaveNoCode: FileRule = (file) =>
  isIn(file.path, 'src/ports') && /^export\s+(?:async\s+)?(?:function|class|const|let|var)\b/m.test(file.code)
    ? 'a port contains only types, no code'
    : undefined;

const noBarrels: FileRule = (file) => {
  if (/\/index\.[a-z]+$/.test(file.path)) return 'index files are not allowed in src';
  return /^\s*export\s*\*/m.test(file.code) ? 'export * is not allowed' : undefined;
};

const importRules = [
  insideSrc,
  lowerLayersOnly,
  adapterImports,
  adaptersOnlyInParts,
  adaptersAreSeparate,
  submodules,
  webhooksThroughPublish,
  sqlInStores,
  fastifyInRoutes,
  outgoingHttp,
  vendorSdks,
];
const fileRules = [environmentInConfig, noFetch, noQueries, portsHaveNoCode, noBarrels];

/** Returns all violations of the import rules in these files, one line each. */
export function importViolations(files: Source[]): string[] {
  return files.flatMap((file) => {
    const found = [
      ...file.imports.flatMap((line) => importRules.map((rule) => rule(file, line))),
      ...fileRules.map((rule) => rule(file)),
    ];
    return found.filter((text) => text !== undefined).map((text) => `${file.path}: ${text}`);
  });
}
