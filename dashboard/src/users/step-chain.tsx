// One start and every rule that it has to pass, each passed or not, and what would open without the rule that stops it.
import { Link } from '@tanstack/react-router';
import type { Booking, ExplainedStep } from '../../../client/src/generated.ts';
import { occupies } from '../appointments/blocks.ts';
import { Card } from '../design/card.tsx';
import { shapes } from '../design/icons.tsx';
import { formatList } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { alikeOf, rules } from './explained.ts';

interface Props {
  memberId: string;
  step: ExplainedStep;
  /** All of the date. */
  steps: ExplainedStep[];
  /** Of the staff member around the date. */
  bookings: readonly Booking[];
  mayManage: boolean;
}

export function StepChain({ memberId, step, steps, bookings, mayManage }: Props) {
  const text = textsOf('users');
  const { from, open, reasons } = step;
  const alike = alikeOf(step, steps, bookings.filter(occupies));
  return (
    <Card title={text(open ? 'stepOpen' : 'stepClosed', { time: from })}>
      <div className="column loose">
        <ul className="column">
          {rules.map((rule) => {
            const fails = reasons.includes(rule);
            return (
              <li key={rule} className="row">
                <span className={`state ${fails ? 'bad' : 'ok'}`}>
                  {fails ? shapes.crossDisc : shapes.tick}
                </span>
                <span className={fails ? 'strong' : 'muted'}>
                  {text(fails ? `reason_${rule}` : `passes_${rule}`)}
                </span>
              </li>
            );
          })}
        </ul>
        {alike && (
          <div className="note-box accent">
            <div className="column">
              <span>
                {text(`without_${alike.rule}`, {
                  times: formatList(alike.steps.map((one) => one.from)),
                  count: alike.steps.length,
                })}
              </span>
              {mayManage && (
                <Link to="/users/$id/$tab" params={{ id: memberId, tab: 'hours' }}>
                  {text('changeRule')}
                </Link>
              )}
            </div>
          </div>
        )}
      </div>
    </Card>
  );
}
