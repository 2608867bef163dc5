// Who a person is, and what they do not want to receive.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Contact } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { ConfirmButton } from '../design/confirm.tsx';
import { shapes } from '../design/icons.tsx';
import { IdChip } from '../design/id-chip.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { useMay } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import { Appointments } from './appointments.tsx';
import { nameOf } from './person-name.ts';

export function Person({ contact }: { contact: Contact }) {
  const text = textsOf('conversations');
  const { _id, phone, userId, lastReceivedAt } = contact;
  return (
    <aside className="person-pane" aria-label={text('person')}>
      <h2>{text('person')}</h2>
      <dl className="facts">
        {phone !== null && (
          <>
            <dt>{text('phone')}</dt>
            <dd>
              <IdChip value={phone} label={text('phone')} keep={16} />
            </dd>
          </>
        )}
        {userId !== null && (
          <>
            <dt>{text('userId')}</dt>
            <dd>
              <IdChip value={userId} label={text('userId')} />
            </dd>
          </>
        )}
        <dt>{text('contactId')}</dt>
        <dd>
          <IdChip value={_id} label={text('contactId')} />
        </dd>
        <dt>{text('lastWrote')}</dt>
        <dd>{lastReceivedAt === null ? text('never') : <Timestamp at={lastReceivedAt} form="both" />}</dd>
      </dl>
      {phone !== null && (
        <Link to="/messages" search={{ phone }}>
          {text('allMessages')}
        </Link>
      )}
      <OptOut contact={contact} />
      <Appointments contact={contact} />
    </aside>
  );
}

function OptOut({ contact }: { contact: Contact }) {
  const text = textsOf('conversations');
  const queries = useQueryClient();
  const maySend = useMay('messages:send');
  const { optOut, phone, userId } = contact;
  const { mutate, mutateAsync, isPending, error, variables } = useMutation({
    mutationFn: async (scope: 'marketing' | 'all' | null) => {
      if (scope === null)
        await (phone === null
          ? api.deleteOptOutOfUser({ userId: userId ?? '' })
          : api.deleteOptOut({ phone }));
      else if (phone === null) await api.putOptOutOfUser({ userId: userId ?? '', body: { scope } });
      else await api.putOptOut({ phone, body: { scope } });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['contacts'] }),
  });
  return (
    <>
      <h2>{text('wants')}</h2>
      <div className={`state ${optOut === null ? 'ok' : 'wait'}`} role="status">
        {optOut === null ? shapes.tickDisc : shapes.mutedHorn}
        {text(`wants_${optOut ?? 'everything'}`)}
      </div>
      {maySend && (
        <div className="row wrap">
          {optOut === null ? (
            <>
              <Button isBusy={isPending} onClick={() => mutate('marketing')}>
                {text('optOut')}
              </Button>
              <ConfirmButton
                kind="quiet"
                isDisabled={isPending}
                question={{
                  title: text('confirmAll', { name: nameOf(contact) }),
                  effect: text('confirmAllEffect'),
                  verb: text('optOutAll'),
                }}
                run={() => mutateAsync('all')}
              />
            </>
          ) : (
            <Button isBusy={isPending} onClick={() => mutate(null)}>
              {text('optIn')}
            </Button>
          )}
        </div>
      )}
      {error && variables !== 'all' && <ErrorNote error={error} />}
    </>
  );
}
