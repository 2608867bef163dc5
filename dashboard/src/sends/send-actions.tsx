// What can be done with a campaign that has started or waits for its time.
import IconPlayerPause from '@tabler/icons-react/dist/esm/icons/IconPlayerPause.mjs';
import IconPlayerPlay from '@tabler/icons-react/dist/esm/icons/IconPlayerPlay.mjs';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { isGatewayError } from '../../../client/src/errors.ts';
import type { Send } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { ConfirmButton } from '../design/confirm.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { usePageKeys } from '../design/use-page-keys.ts';
import { useMay } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import { partsOf } from './send-state.ts';

type Action = 'start' | 'pause' | 'resume' | 'cancel' | 'check';

export function SendActions({ send }: { send: Send }) {
  const text = textsOf('sends');
  const queries = useQueryClient();
  const maySend = useMay('messages:send');
  const { sendId, state } = send;
  const { mutate, mutateAsync, error, isPending, variables } = useMutation({
    mutationFn: async (action: Action) => {
      const calls = {
        start: () => api.startSend({ sendId }),
        pause: () => api.pauseSend({ sendId }),
        resume: () => api.resumeSend({ sendId }),
        cancel: () => api.cancelSend({ sendId }),
        check: () => api.checkSend({ sendId }),
      };
      await calls[action]();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['sends'] }),
  });
  const toggled =
    state === 'paused' ? 'resume' : state === 'scheduled' || state === 'sending' ? 'pause' : undefined;
  usePageKeys([
    {
      text: 'pause',
      run: { p: toggled && maySend && !isPending ? () => mutate(toggled) : undefined },
    },
  ]);
  if (!maySend) return null;
  const { waiting } = partsOf(send);
  const isOpen = state === 'scheduled' || state === 'sending' || state === 'paused';
  const button = (action: Action, label: string, icon: typeof IconPlayerPause, kind?: 'primary') => {
    const Icon = icon;
    return (
      <Button
        icon={<Icon size={15} aria-hidden />}
        {...(kind ? { kind } : {})}
        isBusy={isPending && variables === action}
        onClick={() => mutate(action)}
      >
        {label}
      </Button>
    );
  };
  return (
    <div className="column">
      <div className="row wrap">
        {state === 'scheduled' && button('start', text('startNow'), IconPlayerPlay)}
        {(state === 'scheduled' || state === 'sending') && button('pause', text('pause'), IconPlayerPause)}
        {state === 'paused' && button('resume', text('resume'), IconPlayerPlay, 'primary')}
        {isOpen && (
          <ConfirmButton
            kind="quiet"
            question={{
              title: text('confirmCancel'),
              effect: text('confirmCancelEffect', { count: waiting }),
              verb: text('cancel', { count: waiting }),
              isDestructive: true,
            }}
            run={() => mutateAsync('cancel')}
          />
        )}
      </div>
      {error && variables !== 'cancel' && <ErrorNote error={error} />}
      {isGatewayError(error, 'template_changed') && (
        <Button onClick={() => mutate('check')}>{text('checkAgain')}</Button>
      )}
    </div>
  );
}
