// What is known about a staff member, what follows changes of the calendar, and the end of it.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Department, StaffMember } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { ConfirmButton } from '../design/confirm.tsx';
import { Form } from '../design/form.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { textsOf } from '../text/texts.ts';
import { bodyOf, StaffFields, type StaffFieldValues } from './staff-fields.tsx';

export function Details({ member, departments }: { member: StaffMember; departments: Department[] }) {
  const text = textsOf('users');
  const queries = useQueryClient();
  const { _id: id, name, title, email, departmentIds, calendar } = member;
  const [values, setValues] = useState<StaffFieldValues>({
    ...{ name, departmentIds, calendar },
    title: title ?? '',
    email: email ?? '',
  });
  const [follows, setFollows] = useState({
    onCalendarMove: member.onCalendarMove,
    onCalendarDelete: member.onCalendarDelete,
    active: member.active,
  });
  const { mutate, isPending, error, isSuccess } = useMutation({
    mutationFn: () => api.updateStaffMember({ id, body: { ...bodyOf(values), ...follows } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['staff'] }),
  });
  return (
    <>
      <Form onSubmit={mutate}>
        <Card title={text('tab_details')}>
          <StaffFields {...{ values, departments }} onChange={setValues} />
        </Card>
        <Card title={text('calendarFollows')}>
          <div className="column">
            <label className="row">
              <input
                type="checkbox"
                checked={follows.onCalendarMove === 'follow'}
                onChange={({ target }) =>
                  setFollows({ ...follows, onCalendarMove: target.checked ? 'follow' : 'keep' })
                }
              />
              {text('followMove')}
            </label>
            <label className="row">
              <input
                type="checkbox"
                checked={follows.onCalendarDelete === 'cancel'}
                onChange={({ target }) =>
                  setFollows({ ...follows, onCalendarDelete: target.checked ? 'cancel' : 'keep' })
                }
              />
              {text('followDelete')}
            </label>
            <label className="row">
              <input
                type="checkbox"
                checked={follows.active}
                onChange={({ target }) => setFollows({ ...follows, active: target.checked })}
              />
              {text('isActive')}
            </label>
          </div>
        </Card>
        {error && <ErrorNote error={error} />}
        <div className="row">
          <Button type="submit" kind="primary" isBusy={isPending}>
            {text('saveDetails')}
          </Button>
          <span role="status" className="muted">
            {isSuccess ? text('saved') : ''}
          </span>
        </div>
      </Form>
      <Delete member={member} />
    </>
  );
}

function Delete({ member: { _id: id, name } }: { member: StaffMember }) {
  const text = textsOf('users');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { mutateAsync } = useMutation({
    mutationFn: () => api.deleteStaffMember({ id }),
    onSuccess: async () => {
      await navigate({ to: '/users' });
      await queries.invalidateQueries({ queryKey: ['staff'] });
    },
  });
  return (
    <div>
      <ConfirmButton
        question={{
          title: text('confirmDelete', { name }),
          effect: text('confirmDeleteEffect'),
          verb: text('deleteMember'),
          isDestructive: true,
        }}
        run={() => mutateAsync()}
      />
    </div>
  );
}
