// Tables templates and template_versions: the components of a template at the time of a message.
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import { jsonLines } from '../../db/json-lines.ts';
import type { TemplateComponent } from '../../ports/platform.ts';
import { templateStatus } from './status.ts';

/** The components of a template from `since` until `until`; null: they are the present ones. */
export interface TemplateVersion {
  template_id: string;
  since: Date;
  until: Date | null;
  category: string;
  parameter_format: 'positional' | 'named';
  components: TemplateComponent[];
}

type ReplacedTemplate = Pick<TemplateVersion, 'category' | 'parameter_format' | 'components'> & {
  account_id: string;
  id: string;
  status: string;
  components_since: Date;
};

/**
 * Keeps the components of templates that are replaced or removed in `tx`; `rows` are the locked rows as they were before.
 * No message has the components of a draft.
 */
export async function keepVersions(tx: Db | Tx, rows: readonly ReplacedTemplate[]): Promise<void> {
  const sent = rows.filter((row) => row.status !== templateStatus.draft);
  if (sent.length === 0) return;
  await sql`
    insert into template_versions (account_id, template_id, replaced_at, since, category, parameter_format, components)
    select x.account_id, x.id, now(), x.since, x.category, x.format, x.components
    from unnest(${sent.map((row) => row.account_id)}::uuid[], ${sent.map((row) => row.id)}::uuid[],
      ${sent.map((row) => row.components_since.toISOString())}::timestamptz[], ${sent.map((row) => row.category)}::text[],
      ${sent.map((row) => row.parameter_format)}::text[], ${jsonLines(sent.map((row) => JSON.stringify(row.components)))}::jsonb[])
      x(account_id, id, since, category, format, components)
    on conflict (template_id, replaced_at) do nothing`.execute(tx);
}

/** A template at an instant; null: now. */
export interface TemplateAt {
  templateId: string;
  at: Date | null;
}

/** Returns the version of a template at an instant, or the earliest later one; undefined if none is stored. */
export type FindVersion = (of: TemplateAt) => TemplateVersion | undefined;

/** Reads the versions of a page of messages: the present components of each template once, and earlier ones only if needed. */
export async function readVersions(
  db: Db,
  accountId: string,
  wanted: readonly TemplateAt[],
): Promise<FindVersion> {
  const present = await presentVersions(db, accountId, [
    ...new Set(wanted.map(({ templateId }) => templateId)),
  ]);
  const isEarlier = ({ templateId, at }: TemplateAt) => {
    const since = present.get(templateId)?.since;
    return at !== null && (since === undefined || at < since);
  };
  const earlier = await earlierVersions(db, accountId, wanted.filter(isEarlier));
  return ({ templateId, at }) => {
    const known = present.get(templateId);
    if (at === null || (known && at >= known.since)) return known;
    return earlier.get(templateId)?.find(({ until }) => until !== null && until > at) ?? known;
  };
}

async function presentVersions(
  db: Db,
  accountId: string,
  templateIds: readonly string[],
): Promise<Map<string, TemplateVersion>> {
  if (templateIds.length === 0) return new Map();
  const { rows } = await sql<TemplateVersion>`
    select id as template_id, components_since as since, null::timestamptz as until, category, parameter_format, components
    from templates where account_id = ${accountId} and id = any(${templateIds}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.template_id, row]));
}

/** The earlier versions of each template at these instants, oldest first, each once. */
export async function earlierVersions(
  db: Db,
  accountId: string,
  wanted: readonly TemplateAt[],
): Promise<Map<string, TemplateVersion[]>> {
  if (wanted.length === 0) return new Map();
  const { rows } = await sql<TemplateVersion>`
    select template_id, since, replaced_at as until, category, parameter_format, components
    from template_versions where account_id = ${accountId} and (template_id, replaced_at) in (
      select x.t, (select min(v.replaced_at) from template_versions v where v.template_id = x.t and v.replaced_at > x.at)
      from unnest(${wanted.map(({ templateId }) => templateId)}::uuid[],
        ${wanted.map(({ at }) => at?.toISOString() ?? null)}::timestamptz[]) x(t, at))
    order by replaced_at`.execute(db);
  return Map.groupBy(rows, (row) => row.template_id);
}
