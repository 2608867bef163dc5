// What narrows the calendar: a department, and in the list of a day one of the staff.
import { useQuery } from '@tanstack/react-query';
import type { StaffMember } from '../../../client/src/generated.ts';
import { FilterSelect } from '../design/filter-select.tsx';
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
        <FilterSelect
          className="chip"
          label={text('department')}
          anyLabel={text('anyDepartment')}
          options={departments.map(({ _id, name }) => [_id, name])}
          chosen={department}
          onChoose={(id) => onChange({ department: id, staff: undefined })}
        />
      )}
      {view === 'list' && staff.length > 1 && (
        <FilterSelect
          className="chip"
          label={text('staffMember')}
          anyLabel={text('everybody')}
          options={staff.map(({ _id, name }) => [_id, name])}
          chosen={chosen?.length === 1 ? chosen[0] : undefined}
          onChoose={(id) => onChange({ staff: id === undefined ? undefined : [id] })}
        />
      )}
    </>
  );
}
