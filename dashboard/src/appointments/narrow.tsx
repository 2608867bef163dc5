// What narrows the calendar: a department, and in the list of a day one of the staff.
import { useQuery } from '@tanstack/react-query';
import type { StaffMember } from '../../../client/src/generated.ts';
import { textsOf } from '../text/texts.ts';
import type { CalendarAddress } from './address.ts';
import { departmentsQuery } from './queries.ts';

interface Props {
  address: CalendarAddress;
  staff: StaffMember[];
  onChange: (change: Partial<CalendarAddress>) => void;
}

export function Narrow({ address: { view, department, staff: chosen }, staff, onChange }: Props) {
  const text = textsOf('appointments');
  const { data: departments = [] } = useQuery(departmentsQuery);
  return (
    <>
      {departments.length > 1 && (
        <select
          className="chip"
          aria-label={text('department')}
          value={department ?? ''}
          onChange={({ target: { value } }) =>
            onChange({ department: value === '' ? undefined : value, staff: undefined })
          }
        >
          <option value="">{text('anyDepartment')}</option>
          {departments.map(({ _id, name }) => (
            <option key={_id} value={_id}>
              {name}
            </option>
          ))}
        </select>
      )}
      {view === 'list' && staff.length > 1 && (
        <select
          className="chip"
          aria-label={text('staffMember')}
          value={chosen?.length === 1 ? chosen[0] : ''}
          onChange={({ target: { value } }) => onChange({ staff: value === '' ? undefined : [value] })}
        >
          <option value="">{text('everybody')}</option>
          {staff.map(({ _id, name }) => (
            <option key={_id} value={_id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </>
  );
}
