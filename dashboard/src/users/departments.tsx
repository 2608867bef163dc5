// The departments: added, hidden from visitors, deleted.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Department, StaffMember } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
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
        <form
          className="list-row"
          onSubmit={(event) => {
            event.preventDefault();
            mutate();
          }}
        >
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
        </form>
      )}
    </Card>
  );
}

function DepartmentRow({ department, count }: { department: Department; count: number }) {
  const text = textsOf('users');
  const mayManage = useMay('manage');
  const queries = useQueryClient();
  const { _id: id, name, active } = department;
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (action: 'toggle' | 'delete') => {
      if (action === 'delete') await api.deleteDepartment({ id });
      else await api.updateDepartment({ id, body: { active: !active } });
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['staff'] }),
  });
  return (
    <li className="list-row">
      <span className="strong" dir="auto">
        {name}
      </span>
      <span className="note">{text('people', { count })}</span>
      {!active && <span className="note">{text('hidden')}</span>}
      {mayManage && (
        <span className="row end">
          <Button kind="quiet" isBusy={isPending} onClick={() => mutate('toggle')}>
            {text(active ? 'hide' : 'show')}
          </Button>
          {count === 0 && (
            <Button
              kind="quiet"
              onClick={() => window.confirm(text('confirmDeleteDepartment', { name })) && mutate('delete')}
            >
              {text('delete')}
            </Button>
          )}
        </span>
      )}
      {error && <ErrorNote error={error} />}
    </li>
  );
}
