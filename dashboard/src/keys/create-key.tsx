// A new key for a program. It is shown once.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreateKey as KeyBody } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { SelectField } from '../design/select-field.tsx';
import { ShownOnce } from '../design/shown-once.tsx';
import { textsOf } from '../text/texts.ts';
import { ScopedForm, type ScopedName } from './scoped-form.tsx';

const dayMs = 86_400_000;
/** Days after which a key may expire. */
const lifetimes = [30, 90, 365];

const expiryOf = (days: string) =>
  days === '' ? {} : { expiresAt: new Date(Date.now() + Number(days) * dayMs).toISOString() };

export function CreateKey() {
  const text = textsOf('keys');
  const queries = useQueryClient();
  const [days, setDays] = useState('');
  const { mutate, data, error, isPending, reset } = useMutation({
    mutationFn: ({ name, scopes }: ScopedName) =>
      api.createKey({ body: { name, scopes: scopes as KeyBody['scopes'], ...expiryOf(days) } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] }),
  });
  if (data)
    return <ShownOnce value={data.apiKey} label={text('key')} text={text('keyOnce')} onStored={reset} />;
  return (
    <ScopedForm
      title={text('newKey')}
      note={text('newKeyNote')}
      nameLabel={text('name')}
      buttonLabel={text('create')}
      isBusy={isPending}
      error={error}
      onSubmit={mutate}
    >
      <SelectField label={text('expires')} value={days} onChange={setDays}>
        <option value="">{text('never')}</option>
        {lifetimes.map((one) => (
          <option key={one} value={one}>
            {text('inDays', { count: one })}
          </option>
        ))}
      </SelectField>
    </ScopedForm>
  );
}
