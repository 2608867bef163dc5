// Submits a draft for the platform's review.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { textsOf } from '../text/texts.ts';

export function SubmitDraft({ templateId }: { templateId: string }) {
  const text = textsOf('templates');
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.submitTemplate({ templateId }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['templates'] }),
  });
  return (
    <div className="column">
      <Button kind="primary" isBusy={isPending} onClick={() => mutate()}>
        {text('submit')}
      </Button>
      {error && <ErrorNote error={error} />}
    </div>
  );
}
