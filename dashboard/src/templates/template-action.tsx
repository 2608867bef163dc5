// A button that asks the platform to do something with a template; what became of it is read again.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from '../design/button.tsx';
import { ErrorNote } from '../design/messages.tsx';

interface Props {
  /** What happens. */
  word: string;
  act: () => Promise<unknown>;
  kind?: 'primary' | 'default';
}

export function TemplateAction({ word, act, kind = 'default' }: Props) {
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: act,
    onSettled: () => queries.invalidateQueries({ queryKey: ['templates'] }),
  });
  return (
    <div className="column">
      <Button kind={kind} isBusy={isPending} onClick={() => mutate()}>
        {word}
      </Button>
      {error && <ErrorNote error={error} />}
    </div>
  );
}
