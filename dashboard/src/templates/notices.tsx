// Why a template cannot be sent.
import type { TemplateDetail } from '../../../client/src/generated.ts';
import { textsOf } from '../text/texts.ts';

/** Why the template cannot be sent, in the platform's words or ours. */
export function Notices({ template: { rejectedReason, unsendableReason } }: { template: TemplateDetail }) {
  const text = textsOf('templates');
  const notices = [
    rejectedReason && rejectedReason !== 'NONE' && `${text('rejectedFor')} ${rejectedReason}`,
    unsendableReason && `${text('cannotSend')} ${unsendableReason}`,
  ].filter((notice): notice is string => Boolean(notice));
  return notices.map((notice) => (
    <div key={notice} className="note-box warn" role="status">
      {notice}
    </div>
  ));
}
