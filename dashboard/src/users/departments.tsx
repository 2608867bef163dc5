// The departments: added, hidden from visitors, deleted.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Department, StaffMember } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { ConfirmButton } from '../design/confirm.tsx';
import { Form } from '../design/form.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { useMay } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';

const nameMax = 200;

export function Departments({ departments, staff }: { departments: Department[]; staff: StaffMember[] }) {
  const text = textsOf('users');
  const mayManage = useMay('manage');
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.createDepartment({ body: { name: name.trim() } }),
    onSuccess: () => {
      setName('');
      return queries.invalidateQueries({ queryKey: ['staff'] });
    },
  });
  return (
    <Card title={text('departments')} isPadded={false}>
      <ul>
        {departments.map((department) => (
          <DepartmentRow
            key={department._id}
            department={department}
            count={staff.filter(({ departmentIds }) => departmentIds.includes(department._id)).length}
          />
        ))}
      </ul>
      {mayManage && (
        <Form className="list-row" onSubmit={mutate}>
          <input
            className="input"
            dir="auto"
            aria-label={text('newDepartment')}
            placeholder={text('newDepartment')}
            maxLength={nameMax}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <Button type="submit" isBusy={isPending} isDisabled={name.trim() === ''}>
            {text('addDepartment')}
          </Button>
          {error && <ErrorNote error={error} />}
        </Form>
      )}
    </Card>
  );
}

function DepartmentRow({ department, count }: { department: Department; count: number }) {
  const text = textsOf('users');
  const mayManage = useMay('manage');
  const queries = useQueryClient();
  const { _id: id, name, active } = department;
  const onSuccess = () => queries.invalidateQueries({ queryKey: ['staff'] });
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.updateDepartment({ id, body: { active: !active } }),
    onSuccess,
  });
  const deletion = useMutation({ mutationFn: () => api.deleteDepartment({ id }), onSuccess });
  return (
    <li className="list-row">
      <span className="strong" dir="auto">
        {name}
      </span>
      <span className="note">{text('people', { count })}</span>
      {!active && <span className="note">{text('hidden')}</span>}
      {mayManage && (
        <span className="row end">
          <Button kind="quiet" isBusy={isPending} onClick={() => mutate()}>
            {text(active ? 'hide' : 'show')}
          </Button>
          {count === 0 && (
            <ConfirmButton
              kind="quiet"
              question={{
                title: text('confirmDeleteDepartment', { name }),
                effect: text('confirmDeleteDepartmentEffect'),
                verb: text('delete'),
                isDestructive: true,
              }}
              run={() => deletion.mutateAsync()}
            />
          )}
        </span>
      )}
      {error && <ErrorNote error={error} />}
    </li>
  );
}
