// All of a booking in one place, before it is made.
import type { FormQuestion } from '../../../client/src/generated.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { formatDate, formatList, zone } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import type { Guest } from './guest-fields.tsx';
import type { DatedSlot } from './move.ts';
import type { Answer } from './question-field.tsx';

interface Props {
  member: { name: string };
  slot: DatedSlot;
  guest: Guest;
  questions: FormQuestion[];
  isPending: boolean;
  onBack: () => void;
  onBook: () => void;
}

export function BookingCheck({ member, slot, guest, questions, isPending, onBack, onBook }: Props) {
  const text = textsOf('appointments');
  const words = (answer: Answer | undefined): string => {
    if (answer === undefined || answer === '') return '–';
    if (typeof answer === 'boolean') return text(answer ? 'yes' : 'no');
    return Array.isArray(answer) ? formatList(answer) : answer;
  };
  return (
    <Card title={text('checkTitle')} note={text('checkNote')}>
      <div className="column loose">
        <dl className="facts">
          <dt>{text('time')}</dt>
          <dd className="number strong">
            {formatDate(slot.date, true)}, {slot.from} – {slot.to} <span className="note">{zone}</span>
          </dd>
          <dt>{text('staffMember')}</dt>
          <dd dir="auto">{member.name}</dd>
          <dt>{text('guest')}</dt>
          <dd>
            <bdi>{guest.name}</bdi> <span dir="ltr">{guest.email}</span>
          </dd>
          <dt>{text('phone')}</dt>
          <dd className="mono">
            <bdi dir="ltr">{guest.phone}</bdi>
          </dd>
        </dl>
        {questions.length > 0 && (
          <dl className="answers">
            {questions.map(({ _id, question }) => (
              <div key={_id}>
                <dt dir="auto">{question}</dt>
                <dd dir="auto">{words(guest.answers[_id])}</dd>
              </div>
            ))}
          </dl>
        )}
        <div className="row wrap">
          <Button kind="primary" isBusy={isPending} onClick={onBook}>
            {text('bookNow', { date: formatDate(slot.date), time: slot.from })}
          </Button>
          <Button kind="quiet" onClick={onBack}>
            {text('change')}
          </Button>
        </div>
      </div>
    </Card>
  );
}
