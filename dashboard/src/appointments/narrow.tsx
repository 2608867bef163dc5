// What narrows the calendar: a department, and in the list of a day one of the staff.
import { useQuery } from '@tanstack/react-query';
import type { StaffMember } from '../../../client/src/generated.ts';
import { textsOf } from '../text/texts.ts';
import type { CalendarAddress } from './address.ts';
import { OneOrAny } from './one-or-any.tsx';
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
        <OneOrAny
          className="chip"
          label={text('department')}
          any={text('anyDepartment')}
          items={departments}
          value={department ?? ''}
          onChoose={(id) => onChange({ department: id === '' ? undefined : id, staff: undefined })}
        />
      )}
      {view === 'list' && staff.length > 1 && (
        <OneOrAny
          className="chip"
          label={text('staffMember')}
          any={text('everybody')}
          items={staff}
          value={chosen?.length === 1 ? (chosen[0] ?? '') : ''}
          onChoose={(id) => onChange({ staff: id === '' ? undefined : [id] })}
        />
      )}
    </>
  );
}
