// The calendar of a staff member: its state as it is now, connecting it, and disconnecting it.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { CalendarStatus, StaffMember } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { ConfirmButton } from '../design/confirm.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useMay } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import { ConnectCaldav } from './connect-caldav.tsx';
import { ConnectLink } from './connect-link.tsx';
import { calendarQuery } from './queries.ts';

/** The names of what the API says in a word. */
const providerNames: Record<string, string> = { google: 'Google', caldav: 'CalDAV' };

export function CalendarTab({ member }: { member: StaffMember }) {
  const text = textsOf('users');
  const mayManage = useMay('manage');
  const queries = useQueryClient();
  const { data, error, refetch, isFetching } = useQuery(calendarQuery(member._id));
  // the list of staff says so too
  const isOutdated = data !== undefined && data.connected !== member.calendarConnected;
  useEffect(() => {
    if (isOutdated) void queries.invalidateQueries({ queryKey: ['staff'] });
  }, [isOutdated, queries]);
  return (
    <div className="column loose">
      {member.calendar === 'none' && <p className="muted">{text('calendarNoneText')}</p>}
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && (
        <p className="muted" role="status">
          {text('askingState')}
        </p>
      )}
      {data && (
        <Card
          title={text('connection')}
          end={
            <Button kind="quiet" isBusy={isFetching} onClick={() => void refetch()}>
              {text('checkNow')}
            </Button>
          }
        >
          <Status status={data} />
          {mayManage && data.provider !== null && <Disconnect member={member} />}
        </Card>
      )}
      {data?.eventProblems && data.eventProblems.count > 0 && <EventProblems problems={data.eventProblems} />}
      {data && mayManage && (
        <>
          <ConnectLink member={member} isConnected={data.connected} />
          <ConnectCaldav member={member} />
        </>
      )}
    </div>
  );
}

function Status({ status }: { status: CalendarStatus }) {
  const text = textsOf('users');
  const { connected, provider, accountEmail, calendarId, busyCalendarIds, lastSyncedAt, error } = status;
  const others = busyCalendarIds.filter((id) => id !== calendarId);
  return (
    <div className="column loose">
      <div>
        <StateBadge state={connected ? 'connected' : provider === null ? 'no_calendar' : 'disconnected'} />
      </div>
      {error !== null && (
        <div className="note-box bad" role="status" dir="auto">
          {error}
        </div>
      )}
      {provider !== null && (
        <dl className="facts">
          <dt>{text('provider')}</dt>
          <dd>{providerNames[provider] ?? provider}</dd>
          {accountEmail !== null && (
            <>
              <dt>{text('accountEmail')}</dt>
              <dd dir="ltr" className="cut">
                {accountEmail}
              </dd>
            </>
          )}
          <dt>{text('writesTo')}</dt>
          <dd className="mono">
            <bdi>{calendarId}</bdi>
          </dd>
          {others.length > 0 && (
            <>
              <dt>{text('alsoBlocks')}</dt>
              <dd className="mono">
                {others.map((id) => (
                  <div key={id}>
                    <bdi>{id}</bdi>
                  </div>
                ))}
              </dd>
            </>
          )}
          {lastSyncedAt !== null && (
            <>
              <dt>{text('lastRead')}</dt>
              <dd>
                <Timestamp at={lastSyncedAt} form="both" />
              </dd>
            </>
          )}
        </dl>
      )}
    </div>
  );
}

/** Events whose times the gateway cannot read for certain. */
function EventProblems({ problems }: { problems: NonNullable<CalendarStatus['eventProblems']> }) {
  const text = textsOf('users');
  return (
    <Card title={text('eventProblems', { count: problems.count })} note={text('eventProblemsNote')}>
      <ul className="column">
        {problems.items.map(({ event, message }) => (
          <li key={event}>
            <span className="mono" dir="auto">
              {event}
            </span>
            <div className="muted" dir="auto">
              {message}
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Disconnect({ member: { _id: id, name } }: { member: StaffMember }) {
  const text = textsOf('users');
  const queries = useQueryClient();
  const { mutateAsync } = useMutation({
    mutationFn: () => api.disconnectCalendar({ id }),
    onSuccess: async (status) => {
      queries.setQueryData(calendarQuery(id).queryKey, status);
      await queries.invalidateQueries({ queryKey: ['staff'] });
    },
  });
  return (
    <div className="disconnect">
      <ConfirmButton
        question={{
          title: text('confirmDisconnect', { name }),
          effect: text('confirmDisconnectEffect'),
          verb: text('disconnect'),
          isDestructive: true,
        }}
        run={() => mutateAsync()}
      />
    </div>
  );
}
