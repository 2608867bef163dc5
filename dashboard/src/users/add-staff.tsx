// A new staff member. Hours come next: without them there are no slots.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Department } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Form } from '../design/form.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { textsOf } from '../text/texts.ts';
import { bodyOf, StaffFields, type StaffFieldValues } from './staff-fields.tsx';

const empty: StaffFieldValues = { name: '', title: '', email: '', departmentIds: [], calendar: 'required' };

export function AddStaff({ departments, onDone }: { departments: Department[]; onDone: () => void }) {
  const text = textsOf('users');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [values, setValues] = useState(empty);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.createStaffMember({ body: bodyOf(values) }),
    onSuccess: async ({ _id }) => {
      await queries.invalidateQueries({ queryKey: ['staff'] });
      void navigate({ to: '/users/$id', params: { id: _id } });
    },
  });
  return (
    <Card title={text('add')} note={text('addNote')}>
      <Form onSubmit={mutate}>
        <StaffFields {...{ values, departments }} onChange={setValues} />
        {error && <ErrorNote error={error} />}
        <div className="row wrap">
          <Button type="submit" kind="primary" isBusy={isPending} isDisabled={values.name.trim() === ''}>
            {text('addAndHours')}
          </Button>
          <Button kind="quiet" onClick={onDone}>
            {text('discard')}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
