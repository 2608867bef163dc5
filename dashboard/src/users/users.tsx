// The staff: who can be booked, in which departments, and whose calendar works.
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconUsers from '@tabler/icons-react/dist/esm/icons/IconUsers.mjs';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Department, StaffMember } from '../../../client/src/generated.ts';
import { Button } from '../design/button.tsx';
import { Loading } from '../design/loading.tsx';
import { EmptyState, ErrorNote } from '../design/messages.tsx';
import { Page } from '../design/page.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Table } from '../design/table.tsx';
import { useMay } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import { AddStaff } from './add-staff.tsx';
import { Departments } from './departments.tsx';
import { directoryQuery } from './queries.ts';
import { calendarStateOf } from './staff-state.ts';
import './users.css';

export function Users() {
  const text = textsOf('users');
  const mayManage = useMay('manage');
  const [isAdding, setAdding] = useState(false);
  const { data, error, refetch } = useQuery(directoryQuery);
  const add = mayManage && (
    <Button kind="primary" icon={<IconPlus size={15} aria-hidden />} onClick={() => setAdding(true)}>
      {text('add')}
    </Button>
  );
  return (
    <Page title={text('title')} text={text('about')} actions={add}>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {isAdding && data && <AddStaff departments={data.departments} onDone={() => setAdding(false)} />}
      {data && data.staff.length > 0 && <StaffTable staff={data.staff} departments={data.departments} />}
      {data && data.staff.length === 0 && !isAdding && (
        <EmptyState
          isCard
          icon={<IconUsers size={20} aria-hidden />}
          title={text('none')}
          text={text('noneText')}
          actions={add}
        />
      )}
      {data && (mayManage || data.departments.length > 0) && (
        <Departments departments={data.departments} staff={data.staff} />
      )}
    </Page>
  );
}

function StaffTable({ staff, departments }: { staff: StaffMember[]; departments: Department[] }) {
  const text = textsOf('users');
  const namesOf = (ids: string[]) =>
    departments
      .filter(({ _id }) => ids.includes(_id))
      .map(({ name }) => name)
      .join(', ');
  return (
    <section className="card" aria-label={text('title')}>
      <Table
        columns={[
          { label: text('name') },
          { label: text('departments') },
          { label: text('zone'), widthPx: 170 },
          { label: text('length'), widthPx: 130 },
          { label: text('calendar'), widthPx: 170 },
        ]}
        isTall
      >
        {staff.map((member) => (
          <tr key={member._id} className={member.active ? '' : 'inactive'}>
            <td>
              <Link to="/users/$id" params={{ id: member._id }} className="strong">
                <bdi>{member.name}</bdi>
              </Link>
              <div className="small note cut" dir="auto">
                {member.title}
              </div>
            </td>
            <td className="muted full" dir="auto">
              {namesOf(member.departmentIds)}
            </td>
            <td className="muted wide-only" dir="ltr">
              {member.timezone}
            </td>
            <td className="number wide-only">{text('minutes', { count: member.slotMinutes })}</td>
            <td>
              {member.active ? (
                <StateBadge state={calendarStateOf(member)} />
              ) : (
                <StateBadge state="unknown" label={text('inactive')} />
              )}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
