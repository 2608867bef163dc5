// With whom: a department, and one of its staff.
import { useQuery } from '@tanstack/react-query';
import type { StaffMember } from '../../../client/src/generated.ts';
import { Card } from '../design/card.tsx';
import { FilterSelect } from '../design/filter-select.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { textsOf } from '../text/texts.ts';
import { StaffCut } from './cut-notes.tsx';
import { departmentsQuery } from './queries.ts';

interface Props {
  staff: StaffMember[];
  /** How many there are; more than `staff` has, if it is cut. */
  total: number;
  chosen: string | undefined;
  department: string | undefined;
  onDepartment: (id: string | undefined) => void;
  onChoose: (id: string) => void;
}

export function StaffChoice({ staff, total, chosen, department, onDepartment, onChoose }: Props) {
  const text = textsOf('appointments');
  const { data: departments = [] } = useQuery(departmentsQuery);
  const members =
    department === undefined
      ? staff
      : staff.filter(({ departmentIds }) => departmentIds.includes(department));
  const departmentsOf = ({ departmentIds }: StaffMember) =>
    departments.filter(({ _id }) => departmentIds.includes(_id)).map(({ name }) => name);
  return (
    <Card
      title={text('staffMember')}
      end={
        departments.length > 0 && (
          <FilterSelect
            className="input"
            label={text('department')}
            anyLabel={text('anyDepartment')}
            options={departments.map(({ _id, name }) => [_id, name])}
            chosen={department}
            onChoose={onDepartment}
          />
        )
      }
      isPadded={false}
    >
      <StaffCut
        staff={{ items: staff, total }}
        hasDepartments={departments.length > 0 && department === undefined}
      />
      <fieldset className="pick-list" aria-label={text('staffMember')}>
        {members.map((member) => (
          <label key={member._id} className="pick">
            <input
              type="radio"
              name="staff"
              checked={member._id === chosen}
              onChange={() => onChoose(member._id)}
            />
            <span className="strong" dir="auto">
              {member.name}
            </span>
            <span className="muted" dir="auto">
              {[member.title, ...departmentsOf(member)].filter((part) => part !== null).join(', ')}
            </span>
            {member.calendar === 'required' && !member.calendarConnected && (
              <StateBadge state="disconnected" quiet />
            )}
            <span className="note end number">{text('minutes', { count: member.slotMinutes })}</span>
          </label>
        ))}
      </fieldset>
    </Card>
  );
}
