// The holds of templates that the platform rejects at sending: one that is paused or disabled, until its next approval; those of a category
// that has reached its limit, for a time.
import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../db/db.ts';
import type { MessagingPlatform } from '../../ports/platform.ts';
import { type PublishDeps, publish } from '../../webhooks/publish.ts';
import { requestReading } from '../senders/template-readings-store.ts';
import { limitCategory } from './limits-store.ts';
import { templateStatus } from './status.ts';
import { statusEvents } from './status-events.ts';
import { changeTemplate, isApproved, lockByName } from './store.ts';

export interface HoldTemplateDeps extends PublishDeps {
  db: Db;
  clock: Clock;
  platform: Pick<MessagingPlatform, 'templateStatusOf'>;
}

/** The message of a template, as far as it names it. */
interface OfTemplate {
  sender_id: string;
  template_name: string;
  language: string;
}

/** What rejections of messages do to their templates. A message whose sender was removed holds none. */
export function templateHolds(
  deps: HoldTemplateDeps,
  accessOf: (senderId: string) => Promise<{ accountId: string; businessAccountId: string } | undefined>,
): {
  templateRejected(message: OfTemplate, error: { code: number; title: string }): Promise<void>;
  categoryLimited(message: OfTemplate, seconds: number): Promise<void>;
} {
  const templateOf = async ({ sender_id, template_name: name, language }: OfTemplate) => {
    const sender = await accessOf(sender_id);
    return sender && { ...sender, name, language };
  };
  return {
    async templateRejected(message, error) {
      const template = await templateOf(message);
      if (template) await holdRejectedTemplate(deps, template, error);
    },
    async categoryLimited(message, seconds) {
      const template = await templateOf(message);
      if (template) await limitCategory(deps.db, template, seconds);
    },
  };
}

/**
 * Holds a template that the platform rejected with `error`: it is no longer approved, so its queued messages wait. The
 * change is published, and the platform's list is read again. Only the first of many rejections writes.
 */
async function holdRejectedTemplate(
  deps: HoldTemplateDeps,
  template: { accountId: string; businessAccountId: string; name: string; language: string },
  error: { code: number; title: string },
): Promise<void> {
  if (!(await isApproved(deps.db, template))) return;
  const leasedDeliveries = await deps.db.transaction().execute(async (tx) => {
    const row = await lockByName(tx, template);
    if (row?.status !== templateStatus.approved) return [];
    const providerStatus = deps.platform.templateStatusOf(error);
    const reason = `${error.code} ${error.title}`;
    const changed = await changeTemplate(tx, row.id, {
      status: templateStatus.submitted,
      ...(providerStatus === undefined ? {} : { providerStatus }),
      rejectedReason: reason,
    });
    return publish(deps, tx, await statusEvents(deps, tx, [{ before: row, after: changed, reason }]));
  });
  deps.deliveries.offer(leasedDeliveries);
  await requestReading(deps.db, template);
}
