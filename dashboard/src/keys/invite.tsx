// A link with which a colleague signs in, with no more than they need.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { CreateDashboardLink } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { ShownOnce } from '../design/shown-once.tsx';
import { textsOf } from '../text/texts.ts';
import { linksKey } from './link-rows.tsx';
import { ScopedForm, type ScopedName } from './scoped-form.tsx';

const daySeconds = 86_400;

export function Invite() {
  const text = textsOf('keys');
  const queries = useQueryClient();
  const { mutate, data, error, isPending, reset } = useMutation({
    mutationFn: ({ name, scopes }: ScopedName) =>
      api.createDashboardLink({
        body: {
          name,
          scopes: scopes as NonNullable<CreateDashboardLink['scopes']>,
          expiresInSeconds: daySeconds,
        },
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: linksKey }),
  });
  if (data)
    return <ShownOnce value={data.url} label={text('link')} text={text('linkOnce')} onStored={reset} />;
  return (
    <ScopedForm
      title={text('invite')}
      note={text('inviteNote')}
      nameLabel={text('who')}
      buttonLabel={text('makeLink')}
      isBusy={isPending}
      error={error}
      onSubmit={mutate}
    />
  );
}
