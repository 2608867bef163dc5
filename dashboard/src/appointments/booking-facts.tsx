// How to reach the guest, where the booking came from, its calendar event, and the answers.
import { Link } from '@tanstack/react-router';
import type { Booking } from '../../../client/src/generated.ts';
import { IdChip } from '../design/id-chip.tsx';
import { useMay } from '../session/session.tsx';
import { formatList, formatTimes } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { sourceWord } from './source-word.ts';

export function BookingFacts({ booking }: { booking: Booking }) {
  const text = textsOf('appointments');
  const maySeeMessages = useMay('messages:read');
  const { phoneNumber, email, guestInvited, source, calendarEventLink, _id, staticQuestionAnswers } = booking;
  return (
    <>
      <dl className="facts">
        <dt>{text('phone')}</dt>
        <dd className="row wrap">
          <IdChip value={phoneNumber} label={text('phone')} keep={20} />
          {maySeeMessages && (
            <Link to="/messages" search={{ phone: phoneNumber }}>
              {text('messages')}
            </Link>
          )}
        </dd>
        <dt>{text('email')}</dt>
        <dd className="cut" dir="ltr">
          <a href={`mailto:${email}`}>{email}</a>
        </dd>
        {guestInvited === false && <dd className="warn-text">{text('notInvited')}</dd>}
        <dt>{text('source')}</dt>
        <dd>
          <bdi>{sourceWord(source)}</bdi>
        </dd>
        <dt>{text('calendar')}</dt>
        <dd>
          <CalendarFact booking={booking} />{' '}
          {calendarEventLink && (
            <a href={calendarEventLink} target="_blank" rel="noreferrer">
              {text('openEvent')}
            </a>
          )}
        </dd>
        <dt>{text('bookingId')}</dt>
        <dd>
          <IdChip value={_id} label={text('bookingId')} keep={18} />
        </dd>
      </dl>
      {staticQuestionAnswers.length > 0 && (
        <div>
          <h3>{text('answers')}</h3>
          <dl className="answers">
            {staticQuestionAnswers.map((answer) => (
              <div key={answer._id}>
                <dt dir="auto">{answer.question}</dt>
                <dd dir="auto">{answerText(answer)}</dd>
              </div>
            ))}
          </dl>
        </div>
      )}
    </>
  );
}

/** Whether the event still is where the booking is. */
function CalendarFact({ booking: { calendarState, calendarEventId } }: { booking: Booking }) {
  const text = textsOf('appointments');
  const { state, from, to, conflict } = calendarState;
  if (state === 'moved' && from !== undefined && to !== undefined) {
    const time = formatTimes(new Date(from), new Date(to));
    return <span className={conflict ? 'bad-text' : 'warn-text'}>{text('eventMoved', { time })}</span>;
  }
  if (state === 'deleted') return <span className="warn-text">{text('eventDeleted')}</span>;
  return <span>{text(calendarEventId === null ? 'noEvent' : 'inStep')}</span>;
}

/** An answer in words: choices as a list, a tick as yes. */
function answerText({ questionType, answer }: Booking['staticQuestionAnswers'][number]): string {
  const text = textsOf('appointments');
  if (questionType === 'checkbox') return text(answer === 'true' ? 'yes' : 'no');
  if (questionType !== 'multiselect') return answer;
  try {
    return formatList(JSON.parse(answer) as string[]);
  } catch {
    return answer;
  }
}
