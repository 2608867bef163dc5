// How a figure of today differs from the same hours a week ago.
import { formatChange, formatPoints, formatSigned } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';

type Counts = Record<'sent' | 'delivered' | 'read' | 'failed', number>;

interface Props {
  stage: keyof Counts;
  now: Counts;
  before: Counts;
}

export function Change({ stage, now, before }: Props) {
  const text = textsOf('home');
  if (stage === 'failed')
    return (
      <span className="small note number">
        {text('changed', { change: formatSigned(now.failed - before.failed) })}
      </span>
    );
  if (stage === 'sent')
    return (
      <span className="small note number">
        {text('changed', { change: formatChange(now.sent, before.sent) })}
      </span>
    );
  if (now.sent === 0) return null;
  const points = (now[stage] / now.sent - before[stage] / before.sent) * 100;
  return <span className="small note number">{text('changedPoints', { change: formatPoints(points) })}</span>;
}
