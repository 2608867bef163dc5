// How long the account keeps what has ended. It can be shorter than the gateway's time, never longer.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Retention as RetentionDays } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Confirm } from '../design/confirm.tsx';
import { Form } from '../design/form.tsx';
import { Loading } from '../design/loading.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { formatList } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { bodyOf, type Edited, editedOf, kinds, shortened } from './retention-days.ts';

const queryKey = ['retention'];

export function Retention() {
  const { data, error, refetch } = useQuery({ queryKey, queryFn: () => api.getRetention() });
  if (!data) return error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <Loading />;
  return <RetentionForm saved={data} />;
}

function RetentionForm({ saved }: { saved: RetentionDays }) {
  const text = textsOf('settings');
  const queries = useQueryClient();
  const [edited, edit] = useState<Edited>();
  const days = edited ?? editedOf(saved);
  const [isAsking, setAsking] = useState(false);
  const { mutate, mutateAsync, reset, error, isPending } = useMutation({
    mutationFn: () => api.putRetention({ body: bodyOf(days) }),
    onSuccess: (stored) => {
      queries.setQueryData(queryKey, stored);
      edit(undefined);
    },
  });
  const shorter = shortened(saved, days);
  const save = () => {
    if (shorter.length === 0) mutate();
    else setAsking(true);
  };
  return (
    <Card title={text('retention')} note={text('retentionNote')}>
      <Form onSubmit={save}>
        <div className="fields">
          {kinds.map((kind) => (
            <label key={kind} className="field">
              <span className="strong">{text(`kind_${kind}`)}</span>
              <input
                className="input"
                type="number"
                min={saved[kind].minimumDays}
                max={saved[kind].gatewayDays ?? undefined}
                placeholder={
                  saved[kind].gatewayDays === null ? text('forEver') : String(saved[kind].gatewayDays)
                }
                value={days[kind]}
                onChange={({ target }) => edit({ ...days, [kind]: target.value })}
              />
              <KeptNote kept={saved[kind]} />
            </label>
          ))}
        </div>
        {error && !isAsking && <ErrorNote error={error} />}
        <div className="row">
          <Button type="submit" isBusy={isPending} isDisabled={edited === undefined}>
            {text('saveRetention')}
          </Button>
          {edited && (
            <Button kind="quiet" onClick={() => edit(undefined)}>
              {text('discard')}
            </Button>
          )}
        </div>
      </Form>
      <Confirm
        isOpen={isAsking}
        question={{
          title: text('confirmShorter'),
          effect: text('confirmShorterEffect', {
            names: formatList(shorter.map((kind) => text(`kind_${kind}`))),
          }),
          verb: text('saveAndRemove'),
          isDestructive: true,
        }}
        run={() => mutateAsync()}
        onClose={() => {
          setAsking(false);
          reset();
        }}
      />
    </Card>
  );
}

/** What can be set, what holds now, and whether removal has begun. */
function KeptNote({ kept }: { kept: RetentionDays['messages'] }) {
  const text = textsOf('settings');
  return (
    <span className="note small">
      {kept.days === null ? text('keptForEver') : text('keptDays', { count: kept.days })}{' '}
      {text('atLeast', { count: kept.minimumDays })}
      {kept.removedFrom !== null && (
        <>
          {' '}
          {text('removedFrom')} <Timestamp at={kept.removedFrom} form="clock" />
        </>
      )}
    </span>
  );
}
