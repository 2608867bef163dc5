// The hours of a staff member: each week, single dates and rules, edited together and saved at once.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schedule, StaffMember } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { scheduleQuery } from '../appointments/schedule-query.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Form } from '../design/form.tsx';
import { shapes } from '../design/icons.tsx';
import { KeepTyped } from '../design/keep-typed.tsx';
import { Loading } from '../design/loading.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { useNow } from '../design/use-now.ts';
import { formatClock } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { zones } from '../text/zone.ts';
import { OutsideNote } from './outside-note.tsx';
import { Overrides } from './overrides.tsx';
import { RulesForm } from './rules-form.tsx';
import {
  changeCount,
  type Draft,
  draftOf,
  nextWindow,
  scheduleOf,
  type Weekday,
  weekdays,
} from './schedule-draft.ts';
import { VisitorView } from './visitor-view.tsx';
import { WeekAxis, WeekDay } from './week-day.tsx';

export function Hours({ member }: { member: StaffMember }) {
  const { data, error, refetch } = useQuery(scheduleQuery(member._id));
  if (!data) return error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <Loading />;
  return <HoursForm member={member} schedule={data} />;
}

/** Edits a copy; what somebody else saves in the meantime is shown once the copy is discarded or saved. */
function HoursForm({ member, schedule }: { member: StaffMember; schedule: Schedule }) {
  const text = textsOf('users');
  const queries = useQueryClient();
  const saved = draftOf(schedule);
  const [edited, edit] = useState<Draft>();
  const draft = edited ?? saved;
  const changes = changeCount(draft, saved);
  const isClosed = [...Object.values(draft.days), ...draft.overrides.map(({ windows }) => windows)].every(
    (windows) => windows.length === 0,
  );
  const set = (change: Partial<Draft>) => edit({ ...draft, ...change });
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.setSchedule({ id: member._id, body: scheduleOf(draft) }),
    onSuccess: (stored) => {
      queries.setQueryData(scheduleQuery(member._id).queryKey, stored);
      edit(undefined);
      return queries.invalidateQueries({ queryKey: ['bookings', 'slots'] });
    },
  });
  return (
    <Form onSubmit={mutate}>
      <KeepTyped isChanged={changes > 0} />
      {error && <ErrorNote error={error} />}
      {isClosed && (
        <div className="note-box warn" role="status">
          {shapes.triangle}
          <span>{text('noHoursYet')}</span>
        </div>
      )}
      <OutsideNote memberId={member._id} draft={draft} isChanged={changes > 0} />
      <div className="columns">
        <div className="column loose">
          <Week draft={draft} saved={saved} onChange={set} />
          <Overrides overrides={draft.overrides} onChange={(overrides) => set({ overrides })} />
        </div>
        <div className="column loose">
          <RulesForm rules={draft.rules} saved={saved.rules} onChange={(rules) => set({ rules })} />
          <VisitorView member={member} isChanged={changes > 0} />
        </div>
      </div>
      {changes > 0 && (
        <div className="foot-bar">
          <span className="muted">{text('changes', { count: changes })}</span>
          <span className="row end">
            <Button kind="quiet" onClick={() => edit(undefined)}>
              {text('discard')}
            </Button>
            <Button type="submit" kind="primary" isBusy={isPending}>
              {text('saveHours')}
            </Button>
          </span>
        </div>
      )}
    </Form>
  );
}

interface WeekProps {
  draft: Draft;
  saved: Draft;
  onChange: (change: Partial<Draft>) => void;
}

function Week({ draft: { days, timezone }, saved, onChange }: WeekProps) {
  const text = textsOf('users');
  const now = new Date(useNow());
  const setDay = (weekday: Weekday, windows: Draft['days'][Weekday]) =>
    onChange({ days: { ...days, [weekday]: windows } });
  const copy = (weekday: Weekday) => {
    const workdays = weekdays.slice(0, 5).map((day) => [day, days[weekday]]);
    onChange({ days: { ...days, ...Object.fromEntries(workdays) } });
  };
  return (
    <Card
      title={text('everyWeek')}
      isPadded={false}
      end={
        <select
          className="input zone-input"
          aria-label={text('zone')}
          value={timezone}
          onChange={({ target }) => onChange({ timezone: target.value })}
        >
          {[...new Set([timezone, ...zones()])].map((zone) => (
            <option key={zone} value={zone}>
              {zone === timezone ? text('zoneNow', { zone, time: formatClock(now, zone) }) : zone}
            </option>
          ))}
        </select>
      }
    >
      <ul className="week">
        <WeekAxis />
        {weekdays.map((weekday, index) => (
          <WeekDay
            key={weekday}
            weekday={weekday}
            windows={days[weekday]}
            before={days[weekdays.at(index - 1) ?? weekday]}
            isChanged={JSON.stringify(days[weekday]) !== JSON.stringify(saved.days[weekday])}
            onChange={(windows) => setDay(weekday, windows)}
            onAdd={() => setDay(weekday, [...days[weekday], nextWindow(days[weekday])])}
            onCopy={() => copy(weekday)}
          />
        ))}
      </ul>
    </Card>
  );
}
