// The rules of new migrations: each declares its kind, and an `expand` one does nothing that an older process would fail on.
import { type Node, parse } from 'libpg-query';
import { declaredKind } from '../src/db/migration-files.ts';

/** Kinds of statements that change nothing of what older processes use. */
const harmless = new Set([
  'CreateStmt',
  'CreateExtensionStmt',
  'CreateSeqStmt',
  'CreateFunctionStmt',
  'ViewStmt',
  'CommentStmt',
  'InsertStmt',
  'SelectStmt',
  'CreateStatsStmt',
]);

/** What an older process needs each of these for. */
const needed: Record<string, string> = {
  AT_DropColumn: 'older processes read the column',
  AT_SetNotNull: 'older processes may write null',
  AT_AlterColumnType: 'older processes have prepared statements with the present type',
  AT_DropConstraint:
    'older processes may use its index for "on conflict"; a check whose name ends in _check may be dropped',
};

/** Changes of a table that older processes do not notice. */
const harmlessChanges = new Set(['AT_DropNotNull', 'AT_SetRelOptions', 'AT_SetStatistics', 'AT_SetStorage']);

interface Name {
  relname?: string;
}

interface Constraint {
  contype?: string;
  raw_expr?: unknown;
  generated_when?: string;
}

/** Problems of an added column: older processes insert rows without it. */
function problemOfColumn({
  colname,
  constraints = [],
}: {
  colname?: string;
  constraints?: { Constraint?: Constraint }[];
}) {
  const types = constraints.map(({ Constraint: found }) => found?.contype);
  const has = (type: string) => types.includes(type);
  const isFilled = has('CONSTR_DEFAULT') || has('CONSTR_IDENTITY') || has('CONSTR_GENERATED');
  if (has('CONSTR_NOTNULL') && !isFilled)
    return `the column ${colname} is not null without a default: older processes insert rows without it`;
  if (has('CONSTR_UNIQUE') || has('CONSTR_PRIMARY'))
    return `the column ${colname} is unique: build the index in a migration of its own kind`;
  return undefined;
}

interface Command {
  subtype?: string;
  name?: string;
  def?: {
    ColumnDef?: Parameters<typeof problemOfColumn>[0];
    Constraint?: Constraint & { conname?: string };
  } & Record<string, unknown>;
}

function problemOfChange(command: Command, widened: ReadonlySet<string>): string | undefined {
  const { subtype = '', name = '', def } = command;
  if (subtype === 'AT_AddColumn') return problemOfColumn(def?.ColumnDef ?? {});
  if (subtype === 'AT_DropConstraint' && name.endsWith('_check')) return undefined;
  if (subtype === 'AT_AddConstraint' && widened.has(def?.Constraint?.conname ?? '')) return undefined;
  if (subtype === 'AT_ColumnDefault')
    return def === undefined ? 'a dropped default: older processes insert rows without it' : undefined;
  if (harmlessChanges.has(subtype)) return undefined;
  return needed[subtype] === undefined
    ? `alter table … ${subtype.slice('AT_'.length)}`
    : `${subtype.slice('AT_'.length)}: ${needed[subtype]}`;
}

/** The constraints that the text says it widens: `-- widens: messages_state_check`. */
const widenedBy = (text: string): Set<string> =>
  new Set([...text.matchAll(/^-- widens: *(\w+)$/gm)].map(([, name = '']) => name));

/** Returns the problems of one statement. `made`: tables that the same file creates, which no older process knows. */
function problemsOf(node: Node, made: ReadonlySet<string>, widened: ReadonlySet<string>): string[] {
  const [kind = '', statement] = Object.entries(node)[0] as [string, Record<string, unknown>];
  const table = (statement.relation as Name | undefined)?.relname ?? '';
  if (made.has(table) && kind !== 'RenameStmt') return [];
  if (kind === 'AlterTableStmt') {
    const commands = (statement.cmds as { AlterTableCmd: Command }[]).map(
      ({ AlterTableCmd }) => AlterTableCmd,
    );
    // a sequence is one page; whether changes of it are logged is unknown to its users
    const isSequence = statement.objtype === 'OBJECT_SEQUENCE';
    if (isSequence && commands.every(({ subtype }) => subtype === 'AT_SetLogged')) return [];
    return commands
      .flatMap((command) => problemOfChange(command, widened) ?? [])
      .map((problem) => `${table}: ${problem}`);
  }
  if (kind === 'IndexStmt')
    return statement.unique === true
      ? [`a unique index of ${table} rejects rows that older processes write`]
      : [];
  if (kind === 'CreateFunctionStmt' && statement.replace === true)
    return ['"create or replace function" changes what older processes call: give it another name'];
  if (kind === 'CreateTrigStmt') return [`a trigger of ${table} changes what older processes write`];
  // their rows are written again, but older processes read them as before
  if (kind === 'UpdateStmt') return [];
  return harmless.has(kind) ? [] : [`${kind.replace(/Stmt$/, '')} may break older processes`];
}

/**
 * Returns the problems of a migration's text: without a kind, or an `expand` one with statements on which an older process
 * would fail. A statement that is not known to be harmless is a problem.
 */
export async function problemsOfMigration(text: string): Promise<string[]> {
  const kind = declaredKind(text);
  if (kind === undefined)
    return [
      'it declares no kind: add the line "-- kind: expand" or "-- kind: contract" to its first comments',
    ];
  if (/^-- breaks older processes\b/m.test(text))
    return ['"breaks older processes" is the kind contract now'];
  if (kind === 'contract') return [];
  const { stmts = [] } = await parse(text);
  const nodes = stmts.flatMap(({ stmt }) => (stmt ? [stmt] : []));
  const made = new Set(
    nodes.flatMap((node) => ('CreateStmt' in node ? [node.CreateStmt.relation?.relname ?? ''] : [])),
  );
  const widened = widenedBy(text);
  return nodes.flatMap((node) => problemsOf(node, made, widened));
}

/** The last migration that was frozen without a kind. */
const lastWithoutKind = 45;

/** True for a migration that has to declare its kind. */
export const needsKind = (name: string): boolean => Number(name.slice(0, 4)) > lastWithoutKind;
