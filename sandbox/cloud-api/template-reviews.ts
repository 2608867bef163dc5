// The review of a template: its end is scheduled, and the name decides the result.
import type { Platform } from './call.ts';
import { magicTemplateNames } from './magic.ts';
import type { Template } from './model.ts';
import { changeTemplate } from './template-changes.ts';

/** Schedules the end of a template's review, also after a restart. */
export function scheduleReview(platform: Platform, { id, reviewAt }: Template): void {
  if (reviewAt === null) return;
  const review = () => {
    const template = platform.state.templates.get(id);
    // Deleted, or changed by the control API in the meantime.
    if (template?.reviewAt !== reviewAt || template.status !== 'PENDING') return;
    const rejected = template.name.startsWith(magicTemplateNames[0].beginsWith);
    if (rejected) changeTemplate(platform, id, { status: 'REJECTED', reason: 'INVALID_FORMAT' });
    else changeTemplate(platform, id, { status: 'APPROVED' });
  };
  setTimeout(review, Math.max(0, reviewAt - platform.state.clock.now())).unref();
}
