// What became of the rows, as four figures.
import { shapes } from '../design/icons.tsx';
import { formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import type { Outcome } from './upload.ts';

const figures = [
  { key: 'added', tone: 'ok', shape: 'tickDisc' },
  { key: 'duplicates', tone: 'wait', shape: 'twoTicks' },
  { key: 'optedOut', tone: 'wait', shape: 'mutedHorn' },
  { key: 'rejected', tone: 'bad', shape: 'crossDisc' },
] as const;

export function OutcomeSum({ outcome }: { outcome: Outcome }) {
  const text = textsOf('sends');
  const values = { ...outcome, added: outcome.added - outcome.optedOut };
  return (
    <dl className="sum">
      {figures.map(({ key, tone, shape }) => (
        <div key={key}>
          <dd className="row tight">
            <span className={`state ${tone}`}>{shapes[shape]}</span>
            <span className="sum-value number">{formatNumber(values[key])}</span>
          </dd>
          <dt className="small muted">{text(`sum_${key}`)}</dt>
        </div>
      ))}
    </dl>
  );
}
