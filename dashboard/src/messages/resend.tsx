// Sending a failed message again, and the way to the message that did, or that this one repeats.
import IconArrowBackUp from '@tabler/icons-react/dist/esm/icons/IconArrowBackUp.mjs';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { MessageDetail } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Confirm } from '../design/confirm.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { usePageKeys } from '../design/use-page-keys.ts';
import { useMay } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import { stateOf } from './message-state.ts';

/** "Not delivered to maintain healthy ecosystem engagement": the platform advises against a repeat within 24 hours. */
const heldBackCode = 131049;

/** Sends a failed message again. Asks first if it may have arrived, or if the platform would hold it back again. */
export function Resend({ message }: { message: MessageDetail }) {
  const text = textsOf('messages');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const maySend = useMay('messages:send');
  const isUnknown = stateOf(message) === 'outcome_unknown';
  const isHeldBack = message.error?.code === heldBackCode;
  const [isAsking, setAsking] = useState(false);
  const { mutate, mutateAsync, reset, isPending, error } = useMutation({
    mutationFn: () =>
      api.resendMessage({ id: message.id, ...(isUnknown ? { body: { evenIfUnknown: true } } : {}) }),
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: ['messages', 'one', message.id] });
      void navigate({ to: '/messages/$id', params: { id } });
    },
  });
  const canSend = message.status === 'failed' && !message.resentAs && maySend;
  // a key is pressed by mistake more easily than a button
  usePageKeys([{ text: 'sendAgain', run: { r: canSend ? () => setAsking(true) : undefined } }]);
  if (!canSend) return null;
  return (
    <div className="column">
      <Button
        icon={<IconArrowBackUp size={15} aria-hidden />}
        isBusy={isPending && !isAsking}
        onClick={() => (isUnknown || isHeldBack ? setAsking(true) : mutate())}
      >
        {text('sendAgain')}
      </Button>
      {error && !isAsking && <ErrorNote error={error} />}
      <Confirm
        isOpen={isAsking}
        question={{
          title: text('confirmSendAgain'),
          effect: text(isUnknown ? 'maybeSent' : isHeldBack ? 'heldBack' : 'failedSoFar'),
          verb: text('sendAgain'),
        }}
        run={() => mutateAsync()}
        onClose={() => {
          setAsking(false);
          reset();
        }}
      />
    </div>
  );
}

export function ResentNote({ message: { resentAs, resendOf } }: { message: MessageDetail }) {
  const text = textsOf('messages');
  if (!resentAs && !resendOf) return null;
  return (
    <div className="note-box row wrap loose" role="status">
      {resentAs && (
        <span>
          {text('resentAs')}{' '}
          <Link to="/messages/$id" params={{ id: resentAs }}>
            {text('openNew')}
          </Link>
        </span>
      )}
      {resendOf && (
        <span>
          {text('resendOf')}{' '}
          <Link to="/messages/$id" params={{ id: resendOf }}>
            {text('openOld')}
          </Link>
        </span>
      )}
    </div>
  );
}
