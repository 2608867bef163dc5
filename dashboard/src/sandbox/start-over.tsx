// The way back to an empty sandbox, after a confirmation that says what goes and what stays.
import IconRestore from '@tabler/icons-react/dist/esm/icons/IconRestore.mjs';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ConfirmButton } from '../design/confirm.tsx';
import { textsOf } from '../text/texts.ts';
import { delaysKey } from './delays.tsx';
import { sandbox } from './sandbox-api.ts';

export function StartOver({ onDone }: { onDone: () => void }) {
  const text = textsOf('sandbox');
  const queries = useQueryClient();
  const { mutateAsync, isSuccess } = useMutation({
    mutationFn: () => sandbox.startOver(),
    async onSuccess(delays) {
      queries.setQueryData(delaysKey, delays);
      onDone();
      await queries.invalidateQueries();
    },
  });
  return (
    <>
      <span role="status" className="muted">
        {isSuccess && text('startedOver')}
      </span>
      <ConfirmButton
        icon={<IconRestore size={15} aria-hidden />}
        question={{
          title: text('confirmStartOver'),
          effect: text('confirmStartOverEffect'),
          verb: text('startOver'),
          isDestructive: true,
        }}
        run={() => mutateAsync()}
      />
    </>
  );
}
