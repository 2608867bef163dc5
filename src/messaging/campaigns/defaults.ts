// What a draft gives recipients without their own: it must exist and fit the template.
import { invalidRequest } from '../../base/errors.ts';
import type { Tx } from '../../db/db.ts';
import { lockMediaShared } from '../media/store.ts';
import { fillTemplate } from '../template-content/fill.ts';
import { findFiles } from '../template-content/media-files.ts';
import type { TemplatePlan } from '../template-content/placeholders.ts';
import { contentOf, mediaIdsOf, sharedMembers } from '../template-content/recipient-content.ts';
import type { Defaults } from './drafts-store.ts';

const defaultMembers = [...sharedMembers, 'metadata'] as const;

/** The members of a request that are for recipients without their own. */
export function defaultsOf(request: Defaults): Defaults {
  const given = defaultMembers.filter((member) => request[member] !== undefined);
  return Object.fromEntries(given.map((member) => [member, request[member]]));
}

/** The defaults with the change's members; null removes one. Undefined if the change has none. */
export function changedDefaults(
  before: Defaults | null,
  change: { [Member in keyof Defaults]?: Defaults[Member] | null },
): Defaults | undefined {
  if (defaultMembers.every((member) => change[member] === undefined)) return undefined;
  const after: Record<string, unknown> = { ...before };
  for (const member of defaultMembers) {
    if (change[member] === null) delete after[member];
    else if (change[member] !== undefined) after[member] = change[member];
  }
  return after;
}

/**
 * Throws 400 for files that do not exist, and for what the template does not take: every recipient without their own would be rejected
 * later. What is missing is for the recipients. Locks the files against deletion.
 */
export async function requireFitting(
  tx: Tx,
  accountId: string,
  { plan, defaults, nowMs }: { plan: TemplatePlan; defaults: Defaults; nowMs: number },
): Promise<void> {
  const ids = [...new Set(mediaIdsOf(defaults))];
  if (ids.length > 0 && (await lockMediaShared(tx, accountId, ids)).length < ids.length)
    throw invalidRequest([{ path: 'mediaId', message: 'does not exist in this account; upload it first' }]);
  const media = await findFiles(tx, accountId, ids);
  const { problems } = fillTemplate(plan, { ...contentOf({}, defaults, media), nowMs }, '');
  const given = new Set<string>(sharedMembers.filter((member) => defaults[member] !== undefined));
  const ofGiven = problems.filter(({ path }) => given.has(/^\w*/.exec(path)?.[0] ?? ''));
  if (ofGiven.length > 0) throw invalidRequest(ofGiven);
}
