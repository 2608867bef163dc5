// What a visitor sees on a date, and why each other time is not open.
import IconChevronLeft from '@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs';
import IconChevronRight from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { StaffMember } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { CalendarUnknown } from '../appointments/calendar-unknown.tsx';
import { bookingsQuery } from '../appointments/queries.ts';
import { scheduleQuery } from '../appointments/schedule-query.ts';
import { IconButton } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Chips } from '../design/chips.tsx';
import { TableFoot } from '../design/table-foot.tsx';
import { usePageKeys } from '../design/use-page-keys.ts';
import { useMay } from '../session/session.tsx';
import { addDays, civilDate, isDate } from '../text/civil.ts';
import { formatDate, zone as viewerZone } from '../text/format.ts';
import { direction } from '../text/language.ts';
import { textsOf } from '../text/texts.ts';
import { isClosed, type StepFilter, shownSteps, stepFilters } from './explained.ts';
import { StepChain } from './step-chain.tsx';
import { StepStrip } from './step-strip.tsx';
import { StepTable } from './step-table.tsx';

export function OpenHours({ member }: { member: StaffMember }) {
  const text = textsOf('users');
  const navigate = useNavigate();
  const mayManage = useMay('manage');
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const zone = search.zone === 'own' ? member.timezone : viewerZone;
  const date = isDate(search.date) ? search.date : civilDate(new Date(), zone);
  const filter = stepFilters.find((one) => one === search.show);
  const go = (change: Record<string, unknown>) =>
    void navigate({
      to: '/users/$id/$tab',
      params: { id: member._id, tab: 'open' },
      search: { ...search, ...change },
      replace: true,
    });
  const { data, error, refetch, isPending } = useQuery({
    queryKey: ['bookings', 'explained', member._id, date, zone],
    meta: { kinds: ['staff', 'calendars'] },
    queryFn: () => api.explainSlots({ appointmentUserId: member._id, date, timezone: zone }),
    // a calendar that does not answer has taken long enough
    retry: false,
  });
  const schedule = useQuery({ ...scheduleQuery(member._id), enabled: mayManage });
  const { data: around } = useQuery(bookingsQuery(addDays(date, -1), addDays(date, 1), member._id));
  const steps = data?.steps ?? [];
  const shown = shownSteps(steps, filter);
  const chosen = steps.find(({ from }) => from === search.at) ?? shown.find(({ open }) => !open) ?? shown[0];
  const choose = (at: string) => go({ at });
  const stepTo = (by: 1 | -1) => {
    const next = chosen && shown[shown.indexOf(chosen) + by];
    if (next) choose(next.from);
  };
  const step = (days: number) => () => go({ date: addDays(date, days) });
  const isMirrored = direction === 'rtl';
  usePageKeys([
    { text: 'days', run: { ArrowLeft: step(isMirrored ? 1 : -1), ArrowRight: step(isMirrored ? -1 : 1) } },
    { text: 'starts', run: { ArrowUp: () => stepTo(-1), ArrowDown: () => stepTo(1) } },
  ]);
  const openCount = steps.filter(({ open }) => open).length;
  return (
    <div className="column loose">
      <div className="row wrap">
        <IconButton label={text('dayBefore')} onClick={step(-1)}>
          <IconChevronLeft size={17} className="mirrored" aria-hidden />
        </IconButton>
        <input
          className="input"
          type="date"
          aria-label={text('visitorDate')}
          value={date}
          onChange={({ target }) => isDate(target.value) && go({ date: target.value })}
        />
        <IconButton label={text('dayAfter')} onClick={step(1)}>
          <IconChevronRight size={17} className="mirrored" aria-hidden />
        </IconButton>
        <h2 className="number">{formatDate(date, true)}</h2>
        {member.timezone !== viewerZone && (
          <select
            className="input end"
            aria-label={text('zone')}
            value={search.zone === 'own' ? 'own' : ''}
            onChange={({ target }) => go({ zone: target.value || undefined })}
          >
            <option value="">{text('yourZone', { zone: viewerZone })}</option>
            <option value="own">{text('ownZone', { zone: member.timezone })}</option>
          </select>
        )}
      </div>
      {isPending && (
        <p className="muted" role="status">
          {text('asking')}
        </p>
      )}
      {error && <CalendarUnknown error={error} memberId={member._id} onRetry={() => void refetch()} />}
      {data && (
        <>
          <Card title={text('openCount', { open: openCount, count: steps.length })} note={text('asOfNow')}>
            <StepStrip steps={steps} chosen={chosen?.from} onChoose={choose} />
          </Card>
          <div className="columns start-columns">
            <Card
              title={text('everyStart')}
              isPadded={false}
              end={
                <Chips
                  label={text('which')}
                  allLabel={text('show_all')}
                  values={stepFilters}
                  chosen={filter}
                  wordOf={(one: StepFilter) => text(`show_${one}`)}
                  onChoose={(one) => go({ show: one })}
                />
              }
            >
              <StepTable
                member={member}
                steps={shown}
                schedule={schedule.data}
                zone={zone}
                chosen={chosen?.from}
                onChoose={choose}
              />
              {!filter && steps.some(isClosed) && (
                <TableFoot>{text('outsideLeftOut', { count: steps.filter(isClosed).length })}</TableFoot>
              )}
            </Card>
            {chosen && (
              <StepChain
                memberId={member._id}
                step={chosen}
                steps={steps}
                bookings={around?.bookings ?? []}
                mayManage={mayManage}
              />
            )}
          </div>
        </>
      )}
    </div>
  );
}
