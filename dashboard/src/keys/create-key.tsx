// A new key for a program. It is shown once.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { CreateKey as KeyBody } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { ShownOnce } from '../design/shown-once.tsx';
import { textsOf } from '../text/texts.ts';
import { ScopedForm, type ScopedName } from './scoped-form.tsx';

export function CreateKey() {
  const text = textsOf('keys');
  const queries = useQueryClient();
  const { mutate, data, error, isPending, reset } = useMutation({
    mutationFn: ({ name, scopes }: ScopedName) =>
      api.createKey({ body: { name, scopes: scopes as KeyBody['scopes'] } }),
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
    />
  );
}
