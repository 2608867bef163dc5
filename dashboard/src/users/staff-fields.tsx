// What is known about a staff member: name, title, e-mail address, departments, and whether bookings need a calendar.
import type { CreateStaffMember, Department } from '../../../client/src/generated.ts';
import { SelectField } from '../design/select-field.tsx';
import { TextField } from '../design/text-field.tsx';
import { textsOf } from '../text/texts.ts';

export type StaffFieldValues = Required<Pick<CreateStaffMember, 'name' | 'departmentIds' | 'calendar'>> & {
  title: string;
  email: string;
};

const nameMax = 200;
const emailMax = 254;

interface Props {
  values: StaffFieldValues;
  departments: Department[];
  onChange: (values: StaffFieldValues) => void;
}

/** The form of the API: what is empty is null. */
export const bodyOf = ({ name, title, email, departmentIds, calendar }: StaffFieldValues) => ({
  ...{ name: name.trim(), departmentIds, calendar },
  title: title.trim() || null,
  email: email.trim() || null,
});

export function StaffFields({ values, departments, onChange }: Props) {
  const text = textsOf('users');
  const set = (change: Partial<StaffFieldValues>) => onChange({ ...values, ...change });
  const { name, title, email, departmentIds, calendar } = values;
  const toggle = (id: string) =>
    set({
      departmentIds: departmentIds.includes(id)
        ? departmentIds.filter((one) => one !== id)
        : [...departmentIds, id],
    });
  return (
    <div className="fields">
      <TextField
        label={text('name')}
        required
        maxLength={nameMax}
        value={name}
        onChange={(typed) => set({ name: typed })}
      />
      <TextField
        label={text('jobTitle')}
        maxLength={nameMax}
        value={title}
        onChange={(typed) => set({ title: typed })}
      />
      <TextField
        label={text('email')}
        type="email"
        dir="ltr"
        maxLength={emailMax}
        value={email}
        onChange={(typed) => set({ email: typed })}
      />
      <SelectField
        label={text('calendar')}
        value={calendar}
        onChange={(chosen) => set({ calendar: chosen as 'required' | 'none' })}
      >
        <option value="required">{text('calendarRequired')}</option>
        <option value="none">{text('calendarNone')}</option>
      </SelectField>
      {departments.length > 0 && (
        <fieldset className="field several">
          <legend className="strong">{text('departments')}</legend>
          <div className="row wrap">
            {departments.map((department) => (
              <label key={department._id} className="row">
                <input
                  type="checkbox"
                  checked={departmentIds.includes(department._id)}
                  onChange={() => toggle(department._id)}
                />
                <span dir="auto">{department.name}</span>
              </label>
            ))}
          </div>
        </fieldset>
      )}
    </div>
  );
}
