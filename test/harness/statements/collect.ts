// Calls every exported function with SQL, without a database, and prints its statements and their declared types.
// Run by Node without a transform: statements are identified by line and column.
import { sql } from 'kysely';
import type { ts } from 'ts-morph';
import { coldKysely } from '../cold-kysely.ts';
import { readSources } from '../source.ts';
import { type DeclaredColumn, madeValue, openTypes, type Site, sitesIn } from './typed-calls.ts';

export interface Statement {
  location: string;
  text: string;
  /** The JavaScript type of each parameter's value. */
  parameters: string[];
  row: Record<string, DeclaredColumn> | null;
}

export interface Collected {
  statements: Statement[];
  /** Locations of raw SQL that no call reached. */
  unreached: string[];
}

/** Maximum statements of one call: a loop over pages would never end. */
const mostPerCall = 30;

// statements on the catalog, which run at every start; calling these here would open sockets and read files
const notCalled = /^src\/db\/(?:db|migrate|migration-digests|process-session|ready)\.ts$/;
const paths = readSources(['src'])
  .filter(
    ({ path, text }) => /\.execute\(/.test(text) && /\bfrom 'kysely'/.test(text) && !notCalled.test(path),
  )
  .map(({ path }) => path);
const types = openTypes(paths);
const { checker } = types;
const sites = new Map<string, Site>(
  paths.flatMap((path) => sitesIn(types, path)).map((site) => [site.location, site]),
);
const found = new Map<string, Statement>();

const paper = coldKysely();

const making = { paper, condition: sql`true`, turn: 0 };
let calls = 0;

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Date) return 'Date';
  if (value instanceof Uint8Array) return 'bytes';
  return typeof value;
}

function locationOf(stack: string): string | undefined {
  const line = stack.split('\n').find((frame) => /\/src\/[^:]+\.ts:\d+:\d+/.test(frame));
  return /\/(src\/[^:]+\.ts:\d+:\d+)/.exec(line ?? '')?.[1];
}

const raw = Object.getPrototypeOf(sql`select 1`) as { execute(db: unknown): Promise<unknown> };
raw.execute = async function execute(this: ReturnType<typeof sql>) {
  const location = locationOf(new Error().stack ?? '');
  const site = location === undefined ? undefined : sites.get(location);
  if (!location || !site) return { rows: [] };
  const { sql: text, parameters } = this.compile(paper);
  found.set(`${location} ${text}`, { location, text, parameters: parameters.map(typeOf), row: site.row });
  calls += 1;
  if (calls > mostPerCall) throw new Error('too many statements');
  // one run for each branch: a row or no row from the first statement and from the later ones
  const hasRow = making.turn & (calls === 1 ? 2 : 4);
  const rows = hasRow ? [site.rowType ? madeValue(checker, site.rowType, making) : {}] : [];
  return { rows, numAffectedRows: BigInt(rows.length) };
};

async function callOnPaper(
  perform: (...given: unknown[]) => unknown,
  signature: ts.Signature,
): Promise<void> {
  for (making.turn = 0; making.turn < 8; making.turn += 1) {
    calls = 0;
    const given = signature
      .getParameters()
      .map((parameter) => madeValue(checker, checker.getTypeOfSymbol(parameter), making));
    try {
      await perform(...given);
    } catch {
      // errors from the stand-in rows are ignored
    }
  }
}

/** Calls an exported function, or the functions in an exported list. */
async function callExport(type: ts.Type, value: unknown): Promise<void> {
  const [signature] = type.getCallSignatures();
  if (signature && typeof value === 'function') return callOnPaper(value as () => unknown, signature);
  if (!Array.isArray(value)) return;
  const element = checker.getTypeArguments(type as ts.TypeReference)[0];
  for (const property of element?.getProperties() ?? []) {
    const [method] = checker.getTypeOfSymbol(property).getCallSignatures();
    for (const one of method ? value : [])
      await callOnPaper(one[property.name].bind(one), method as ts.Signature);
  }
}

for (const path of paths) {
  const file = types.sourceOf(path);
  const module = file && checker.getSymbolAtLocation(file);
  if (!module) continue;
  const values = (await import(new URL(`../../../${path}`, import.meta.url).href)) as Record<string, unknown>;
  for (const symbol of checker.getExportsOfModule(module)) {
    if (symbol.name in values) await callExport(checker.getTypeOfSymbol(symbol), values[symbol.name]);
  }
}

const reached = new Set([...found.values()].map(({ location }) => location));
const collected: Collected = {
  statements: [...found.values()],
  unreached: [...sites.keys()].filter((location) => !reached.has(location)),
};
process.stdout.write(JSON.stringify(collected), () => process.exit(0));
