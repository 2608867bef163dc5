// Comparison of a statement's declared types with PostgreSQL's description of it.
import type { Statement } from './collect.ts';
import type { Described } from './describe.ts';

/** The schema from PostgreSQL's catalog. */
export interface Catalog {
  /** `oid of the table:number of the column` of columns that may be null. */
  nullable: Set<string>;
  /** Type category by OID, as `pg_type.typcategory`, and its name. */
  types: Map<number, { category: string; name: string }>;
  /** Columns of a table that an insert must name: not null, without a default. */
  required: Map<string, string[]>;
}

const jsTypesOf: Record<string, string[]> = {
  bool: ['boolean'],
  bytea: ['bytes'],
  int2: ['number'],
  int4: ['number'],
  int8: ['number'],
  float4: ['number'],
  float8: ['number'],
  timestamptz: ['Date'],
  json: ['json', 'array', 'string', 'number', 'boolean'],
  jsonb: ['json', 'array', 'string', 'number', 'boolean'],
};

function resultTypes({ category, name }: { category: string; name: string }): string[] {
  // text, uuid, numeric, date, interval and ranges are returned as strings
  return category === 'A' ? ['array'] : (jsTypesOf[name] ?? ['string']);
}

/** The problems of a result's columns, one line each. */
export function wrongInRow({ row }: Statement, { columns }: Described, catalog: Catalog): string[] {
  if (!row) return [];
  const wrong: string[] = [];
  const returned = new Set(columns.map(({ name }) => name));
  for (const [name, { optional }] of Object.entries(row))
    if (!optional && !returned.has(name)) wrong.push(`${name} is declared, not returned`);
  for (const { name, oid, tableOid, columnNumber } of columns) {
    const declared = row[name];
    if (!declared) {
      wrong.push(`${name} is returned, not declared`);
      continue;
    }
    const type = catalog.types.get(oid) ?? { category: '', name: String(oid) };
    const possible = resultTypes(type);
    const strange = declared.types.filter((one) => !possible.includes(one) && one !== 'never');
    if (strange.length > 0) wrong.push(`${name} is ${type.name}, not ${strange.join(' or ')}`);
    if (!declared.nullable && catalog.nullable.has(`${tableOid}:${columnNumber}`))
      wrong.push(`${name} may be null`);
  }
  return wrong;
}

const categoriesFor: Record<string, string> = {
  // a string may be cast to any type without its own JavaScript type
  string: 'SUDTVEGAR',
  number: 'NT',
  boolean: 'B',
  Date: 'D',
  bytes: 'U',
  array: 'AU',
  object: 'U',
  bigint: 'N',
};

/** The problems of a statement's parameters, one line each. */
export function wrongInParameters(
  { parameters }: Statement,
  { parameterOids }: Described,
  catalog: Catalog,
): string[] {
  return parameters.flatMap((given, index) => {
    const type = catalog.types.get(parameterOids[index] ?? 0);
    const categories = categoriesFor[given];
    if (!type || categories === undefined || categories.includes(type.category)) return [];
    // a string represents a bigint exactly, a number does not
    if (type.name === 'int8' && given === 'string') return [];
    return [`parameter $${index + 1} is ${type.name}, given a ${given}`];
  });
}

/** Required columns that an insert omits, one line each. */
export function leftOutOfInserts({ text }: Statement, catalog: Catalog): string[] {
  return [...text.matchAll(/\binsert\s+into\s+"?(\w+)"?\s*(?:as\s+\w+\s*)?\(([^)]*)\)/gi)].flatMap(
    ([, table = '', list = '']) => {
      const named = new Set(list.split(',').map((name) => name.trim().replaceAll('"', '')));
      const required = catalog.required.get(table);
      if (!required) return [`inserts into ${table}, which does not exist`];
      return required
        .filter((name) => !named.has(name))
        .map((name) => `the insert into ${table} leaves out ${name}`);
    },
  );
}
