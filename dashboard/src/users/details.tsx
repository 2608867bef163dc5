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
import { KeepTyped } from '../design/keep-typed.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { textsOf } from '../text/texts.ts';
import { bodyOf, StaffFields, type StaffFieldValues } from './staff-fields.tsx';

type Follows = Pick<StaffMember, 'onCalendarMove' | 'onCalendarDelete' | 'active'>;

const savedOf = (member: StaffMember): { values: StaffFieldValues; follows: Follows } => {
  const { name, title, email, departmentIds, calendar, onCalendarMove, onCalendarDelete, active } = member;
  return {
    values: { name, departmentIds, calendar, title: title ?? '', email: email ?? '' },
    follows: { onCalendarMove, onCalendarDelete, active },
  };
};

/** Edits a copy; what somebody else saves in the meantime is shown once the copy is saved. */
export function Details({ member, departments }: { member: StaffMember; departments: Department[] }) {
  const text = textsOf('users');
  const queries = useQueryClient();
  const id = member._id;
  const saved = savedOf(member);
  const [edited, edit] = useState<typeof saved>();
  const { values, follows } = edited ?? saved;
  const setValues = (next: StaffFieldValues) => edit({ values: next, follows });
  const setFollows = (next: Follows) => edit({ values, follows: next });
  const isChanged = edited !== undefined && JSON.stringify(edited) !== JSON.stringify(saved);
  const { mutate, isPending, error, isSuccess } = useMutation({
    mutationFn: () => api.updateStaffMember({ id, body: { ...bodyOf(values), ...follows } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['staff'] });
      edit(undefined);
    },
  });
  return (
    <>
      <Form onSubmit={mutate}>
        <KeepTyped isChanged={isChanged} />
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
            {isSuccess && !isChanged ? text('saved') : ''}
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
      await navigate({ to: '/users', ignoreBlocker: true });
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
