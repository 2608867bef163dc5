// The row types that raw SQL calls declare, read with the TypeScript API, and sample values of declared types.
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Project, ts } from 'ts-morph';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A column that a row type declares. */
export interface DeclaredColumn {
  /** JavaScript types: `string`, `number`, `boolean`, `Date`, `array`, `bytes`, `json`. */
  types: string[];
  nullable: boolean;
  /** The statement may omit it, because the caller adds it later. */
  optional: boolean;
}

export interface Site {
  /** `src/a/store.ts:12:5`, the location of the word `execute`. */
  location: string;
  /** Null if the statement declares no row type. */
  row: Record<string, DeclaredColumn> | null;
  rowType: ts.Type | null;
}

/** The type checker for these files (paths from the root of the checkout). */
export function openTypes(paths: string[]) {
  const project = new Project({
    tsConfigFilePath: `${root}tsconfig.json`,
    skipAddingFilesFromTsConfig: true,
  });
  for (const path of paths) project.addSourceFileAtPath(root + path);
  const program = project.getProgram().compilerObject;
  const sourceOf = (path: string) => program.getSourceFile(root + path);
  return { checker: program.getTypeChecker(), sourceOf };
}

type Types = ReturnType<typeof openTypes>;

/** Every call `builder.execute(…)` of raw SQL in a file. */
export function sitesIn({ checker, sourceOf }: Types, path: string): Site[] {
  const file = sourceOf(path);
  const sites: Site[] = [];
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
    const { name, expression } = node.expression;
    if (name.text !== 'execute') return;
    const builder = checker.getTypeAtLocation(expression);
    if (builder.symbol?.name !== 'RawBuilder') return;
    const rowType = checker.getTypeArguments(builder as ts.TypeReference)[0] ?? null;
    const { line, character } = ts.getLineAndCharacterOfPosition(node.getSourceFile(), name.getStart());
    const hasRow = rowType && !(rowType.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any));
    sites.push({
      location: `${relative(root, node.getSourceFile().fileName)}:${line + 1}:${character + 1}`,
      row: hasRow ? columnsOf(checker, rowType) : null,
      rowType: hasRow ? rowType : null,
    });
  };
  if (file) visit(file);
  return sites;
}

function columnsOf(checker: ts.TypeChecker, row: ts.Type): Record<string, DeclaredColumn> {
  return Object.fromEntries(
    row.getProperties().map((property) => {
      const type = checker.getTypeOfSymbol(property);
      const parts = type.isUnion() ? type.types : [type];
      const isNull = (part: ts.Type) => Boolean(part.flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined));
      const types = new Set(parts.filter((part) => !isNull(part)).map((part) => kindOf(checker, part)));
      const optional = Boolean(property.flags & ts.SymbolFlags.Optional);
      return [
        property.name,
        { types: [...types], nullable: parts.some(isNull) || types.has('json'), optional },
      ];
    }),
  );
}

function kindOf(checker: ts.TypeChecker, type: ts.Type): string {
  if (type.flags & ts.TypeFlags.StringLike) return 'string';
  if (type.flags & ts.TypeFlags.NumberLike) return 'number';
  if (type.flags & ts.TypeFlags.BooleanLike) return 'boolean';
  if (checker.isArrayType(type) || checker.isTupleType(type)) return 'array';
  if (type.symbol?.name === 'Date') return 'Date';
  if (['Buffer', 'Uint8Array'].includes(type.symbol?.name ?? '')) return 'bytes';
  return 'json';
}

/** Settings for sample values: a stand-in for the database, and which of several possible values to use. */
export interface Making {
  paper: unknown;
  condition: unknown;
  /** Even: omit optional properties and use the first member of unions; odd: the opposite. */
  turn: number;
}

/** A sample value of a declared type, for functions that only put it into statements. */
export function madeValue(checker: ts.TypeChecker, type: ts.Type, making: Making, depth = 0): unknown {
  const other = making.turn % 2;
  const next = (one: ts.Type) => madeValue(checker, one, making, depth + 1);
  if (depth > 8) return undefined;
  if (type.flags & (ts.TypeFlags.Null | ts.TypeFlags.Void)) return null;
  if (type.flags & ts.TypeFlags.Undefined) return undefined;
  if (type.flags & ts.TypeFlags.BooleanLike && !type.isUnion()) return checker.typeToString(type) === 'true';
  if (type.isUnion()) {
    const parts = type.types.filter((part) => !(part.flags & ts.TypeFlags.Undefined));
    const real = parts.filter((part) => !(part.flags & ts.TypeFlags.Null));
    const choice = other ? parts[0] : real.at(-1);
    return next(choice ?? (type.types[0] as ts.Type));
  }
  if (type.isStringLiteral() || type.isNumberLiteral()) return type.value;
  if (type.flags & ts.TypeFlags.StringLike) return '01890000-0000-7000-8000-000000000000';
  if (type.flags & ts.TypeFlags.NumberLike) return 1;
  if (type.isIntersection() && type.types.some((part) => part.flags & ts.TypeFlags.StringLike)) return 'x';
  const name = type.symbol?.name;
  if (name === 'Kysely' || name === 'Transaction') return making.paper;
  if (name === 'RawBuilder' || name === 'Expression') return making.condition;
  if (name === 'Date') return new Date(0);
  if (name === 'Buffer' || name === 'Uint8Array') return Buffer.alloc(16);
  const of = type.flags & ts.TypeFlags.Object ? checker.getTypeArguments(type as ts.TypeReference) : [];
  if (name === 'Map' || name === 'ReadonlyMap')
    return new Map([[next(of[0] as ts.Type), next(of[1] as ts.Type)]]);
  if (name === 'Set' || name === 'ReadonlySet') return new Set([next(of[0] as ts.Type)]);
  if (name === 'AbortSignal') return new AbortController().signal;
  if (checker.isTupleType(type)) return of.map(next);
  if (checker.isArrayType(type)) return [next(of[0] as ts.Type)];
  const [signature] = type.getCallSignatures();
  if (signature) return () => next(checker.getReturnTypeOfSignature(signature));
  if (name === 'Promise') return Promise.resolve(next(of[0] as ts.Type));
  const index = checker.getIndexTypeOfType(type, ts.IndexKind.String);
  const members = type.getProperties().flatMap((property) => {
    const isOptional = Boolean(property.flags & ts.SymbolFlags.Optional);
    return isOptional && !other ? [] : [[property.name, next(checker.getTypeOfSymbol(property))] as const];
  });
  return Object.fromEntries(index ? [...members, ['key', next(index)]] : members);
}
