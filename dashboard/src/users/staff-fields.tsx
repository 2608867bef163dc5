// What is known about a staff member: name, title, e-mail address, departments, and whether bookings need a calendar.
import type { CreateStaffMember, Department } from '../../../client/src/generated.ts';
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
  const input = { className: 'input', dir: 'auto', maxLength: nameMax };
  return (
    <div className="fields">
      <label className="field">
        <span className="strong">{text('name')}</span>
        <input {...input} required value={name} onChange={({ target }) => set({ name: target.value })} />
      </label>
      <label className="field">
        <span className="strong">{text('jobTitle')}</span>
        <input {...input} value={title} onChange={({ target }) => set({ title: target.value })} />
      </label>
      <label className="field">
        <span className="strong">{text('email')}</span>
        <input
          className="input"
          type="email"
          dir="ltr"
          maxLength={emailMax}
          value={email}
          onChange={({ target }) => set({ email: target.value })}
        />
      </label>
      <label className="field">
        <span className="strong">{text('calendar')}</span>
        <select
          className="input"
          value={calendar}
          onChange={({ target }) => set({ calendar: target.value as 'required' | 'none' })}
        >
          <option value="required">{text('calendarRequired')}</option>
          <option value="none">{text('calendarNone')}</option>
        </select>
      </label>
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
