// Why a template cannot be sent, and what is about to change.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { TemplateDetail } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { shapes } from '../design/icons.tsx';
import { useMay } from '../session/session.tsx';
import { formatMoment } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { categoryWord } from './category-word.ts';
import { reasonText } from './reason-text.ts';
import { TemplateAction } from './template-action.tsx';
import { stateOf } from './template-state.ts';

/** Why the template cannot be sent, in the platform's words or ours, and the category that it will get. */
export function Notices({ template }: { template: TemplateDetail }) {
  const text = textsOf('templates');
  const { unsendableReason, nextCategory } = template;
  return (
    <>
      <StateNotice template={template} />
      {unsendableReason && (
        <Notice title={text('cannotSend')}>
          <bdi>{unsendableReason}</bdi>
        </Notice>
      )}
      {nextCategory && (
        <Notice
          title={text('categoryChanges', {
            category: categoryWord(nextCategory.category),
            time: nextCategory.at ? formatMoment(new Date(nextCategory.at)) : '',
          })}
        >
          {text('categoryEffect')}
        </Notice>
      )}
    </>
  );
}

/** A template that the platform rejected, paused or disabled, with its reason. */
function StateNotice({ template }: { template: TemplateDetail }) {
  const text = textsOf('templates');
  const mayManage = useMay('manage');
  const state = stateOf(template);
  const isStopped = state === 'paused' || state === 'disabled';
  // a pause has no reason of its own in the template
  const { data } = useQuery({
    queryKey: ['templates', 'changes', template._id, 'newest'],
    queryFn: async () =>
      (await api.listTemplateChanges({ templateId: template._id, limit: 1 })).items[0] ?? null,
    enabled: isStopped,
  });
  if (state !== 'rejected' && !isStopped) return null;
  const given = template.rejectedReason ?? (isStopped ? data?.reason : null);
  const reason = given && given !== 'NONE' ? given : undefined;
  return (
    <Notice
      title={text(`${state}Notice`)}
      isBad={state !== 'paused'}
      action={
        state === 'paused' &&
        mayManage && (
          <TemplateAction
            word={text('endPause')}
            act={() => api.unpauseTemplate({ templateId: template._id })}
          />
        )
      }
    >
      {(reason && reasonText(reason)) ?? text(`${state}Effect`)}{' '}
      {reason && <bdi className="mono note">{reason}</bdi>}
    </Notice>
  );
}

interface NoticeProps {
  title: string;
  isBad?: boolean;
  action?: ReactNode;
  children: ReactNode;
}

const Notice = ({ title, isBad = false, action, children }: NoticeProps) => (
  <div className={`note-box ${isBad ? 'bad' : 'warn'}`} role="status">
    {isBad ? shapes.crossDisc : shapes.triangle}
    <div className="grow">
      <div className="strong">{title}</div>
      <div className="muted">{children}</div>
    </div>
    {action}
  </div>
);
