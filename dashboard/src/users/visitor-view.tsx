// What visitors see on a date, by the hours that are saved.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { StaffMember } from '../../../client/src/generated.ts';
import { CalendarUnknown } from '../appointments/calendar-unknown.tsx';
import { slotsQuery } from '../appointments/queries.ts';
import { Card } from '../design/card.tsx';
import { civilDate, isDate } from '../text/civil.ts';
import { formatDate, zone } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import '../design/slots.css';

export function VisitorView({ member, isChanged }: { member: StaffMember; isChanged: boolean }) {
  return member.active ? (
    <VisitorSlots memberId={member._id} isChanged={isChanged} />
  ) : (
    <Card title={textsOf('users')('visitorView')}>
      <HiddenNote memberId={member._id} />
    </Card>
  );
}

/** That nobody can book this person, and where that is set. */
export function HiddenNote({ memberId }: { memberId: string }) {
  const text = textsOf('users');
  return (
    <p className="muted">
      {text('hiddenFromVisitors')}{' '}
      <Link to="/users/$id/$tab" params={{ id: memberId, tab: 'details' }}>
        {text('tab_details')}
      </Link>
    </p>
  );
}

function VisitorSlots({ memberId, isChanged }: { memberId: string; isChanged: boolean }) {
  const text = textsOf('users');
  const [date, setDate] = useState(() => civilDate(new Date(), zone));
  const { data, error, isPending, refetch } = useQuery(slotsQuery(memberId, date));
  return (
    <Card
      title={text('visitorView')}
      end={
        <input
          className="input"
          type="date"
          aria-label={text('visitorDate')}
          value={date}
          onChange={({ target }) => isDate(target.value) && setDate(target.value)}
        />
      }
    >
      <div className="column">
        {isPending && <p className="muted">{text('asking')}</p>}
        {error && <CalendarUnknown error={error} memberId={memberId} onRetry={() => void refetch()} />}
        {data && data.slots.length === 0 && (
          <p className="muted">{text('noSlots', { date: formatDate(date) })}</p>
        )}
        {data && data.slots.length > 0 && (
          <ul className="slots number">
            {data.slots.map(({ startsAt, from }) => (
              <li key={startsAt} className="slot static">
                {from}
              </li>
            ))}
          </ul>
        )}
        <Link to="/users/$id/$tab" params={{ id: memberId, tab: 'open' }} search={{ date }}>
          {text('why')}
        </Link>
        <div className="note small">
          {data && data.slots.length > 0 && text('slotCount', { count: data.slots.length, zone })}{' '}
          {isChanged && text('asSaved')}
        </div>
      </div>
    </Card>
  );
}
