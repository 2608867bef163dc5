// The end of a template's pause, at the request of its account.
import { audit } from '../../audit/store.ts';
import { AppError } from '../../base/errors.ts';
import { callWithFailover } from '../senders/failover.ts';
import { requireTemplate } from '../templates/find.ts';
import { makeTemplatesDue } from '../templates/readings-store.ts';
import { templateStatus } from '../templates/status.ts';
import type { TemplateRow } from '../templates/store.ts';
import { callersFor, platformError, type SubmitDeps } from './platform-calls.ts';

/**
 * Ends the pause of a template at the platform, which reports its status then; it is also read. Returns the template as it was. Throws
 * 404, 409 `template_not_paused`, and 502 or 503 if the platform does not end the pause.
 */
export async function unpauseTemplate(
  deps: SubmitDeps,
  { accountId, templateId }: { accountId: string; templateId: string },
): Promise<TemplateRow> {
  const row = await requireTemplate(deps.db, accountId, templateId);
  const { provider_template_id: providerTemplateId, provider_status: word } = row;
  const isPaused =
    row.status !== templateStatus.draft && deps.platform.unapprovedTemplate(word ?? '').isPaused;
  if (!isPaused || providerTemplateId === null)
    throw new AppError(
      'template_not_paused',
      `The template is ${word ?? row.status}, not paused by the platform.`,
    );
  await callWithFailover(
    deps,
    await callersFor(deps, row),
    (access) => deps.platform.unpauseTemplate(access, providerTemplateId),
    { isRepeatable: true },
  ).catch(platformError);
  await deps.db.transaction().execute(async (tx) => {
    await makeTemplatesDue(tx, [row.id]);
    await audit(tx, accountId, 'template.unpaused', row.id, {});
  });
  return row;
}
