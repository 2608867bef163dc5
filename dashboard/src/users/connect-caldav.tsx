// Connecting a CalDAV account: the gateway checks it before anything is stored.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { StaffMember } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Form } from '../design/form.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { TextField } from '../design/text-field.tsx';
import { textsOf } from '../text/texts.ts';
import { calendarQuery } from './queries.ts';

const fields = ['url', 'username', 'password', 'calendarUrl'] as const;
type Field = (typeof fields)[number];
const empty: Record<Field, string> = { url: '', username: '', password: '', calendarUrl: '' };

export function ConnectCaldav({ member: { _id: id } }: { member: StaffMember }) {
  const text = textsOf('users');
  const queries = useQueryClient();
  const [values, setValues] = useState(empty);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => {
      const { calendarUrl, ...rest } = values;
      const body = { provider: 'caldav', ...rest, ...(calendarUrl.trim() === '' ? {} : { calendarUrl }) };
      return api.connectCalendar({ id, body });
    },
    onSuccess: async (status) => {
      setValues(empty);
      queries.setQueryData(calendarQuery(id).queryKey, status);
      await queries.invalidateQueries({ queryKey: ['staff'] });
    },
  });
  const typeOf: Partial<Record<Field, string>> = { url: 'url', calendarUrl: 'url', password: 'password' };
  return (
    <Card title={text('caldav')} note={text('caldavNote')}>
      <Form onSubmit={mutate}>
        <div className="fields">
          {fields.map((field) => (
            <TextField
              key={field}
              label={text(`caldav_${field}`)}
              dir="ltr"
              type={typeOf[field] ?? 'text'}
              autoComplete="off"
              required={field !== 'calendarUrl'}
              value={values[field]}
              onChange={(typed) => setValues({ ...values, [field]: typed })}
            />
          ))}
        </div>
        {error && <ErrorNote error={error} />}
        <div>
          <Button type="submit" isBusy={isPending}>
            {text('connect')}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
