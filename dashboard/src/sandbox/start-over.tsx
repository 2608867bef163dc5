// The way back to an empty sandbox, after a confirmation that says what goes and what stays.
import IconRestore from '@tabler/icons-react/dist/esm/icons/IconRestore.mjs';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from '../design/button.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { textsOf } from '../text/texts.ts';
import { delaysKey } from './delays.tsx';
import { sandbox } from './sandbox-api.ts';

export function StartOver({ onDone }: { onDone: () => void }) {
  const text = textsOf('sandbox');
  const queries = useQueryClient();
  const { mutate, error, isPending, isSuccess } = useMutation({
    mutationFn: () => sandbox.startOver(),
    async onSuccess(delays) {
      queries.setQueryData(delaysKey, delays);
      onDone();
      await queries.invalidateQueries();
    },
  });
  return (
    <>
      {error && <ErrorNote error={error} />}
      <span role="status" className="muted">
        {isSuccess && text('startedOver')}
      </span>
      <Button
        icon={<IconRestore size={15} aria-hidden />}
        isBusy={isPending}
        onClick={() => window.confirm(text('confirmStartOver')) && mutate()}
      >
        {text('startOver')}
      </Button>
    </>
  );
}
