// A new key in the place of another, which works for another day. It is shown once.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { ConfirmButton } from '../design/confirm.tsx';
import { textsOf } from '../text/texts.ts';

export interface RotatedKey {
  name: string;
  apiKey: string;
}

const overlapSeconds = 86_400;

interface Props {
  id: string;
  name: string;
  onRotated: (rotated: RotatedKey) => void;
}

export function RotateKey({ id, name, onRotated }: Props) {
  const text = textsOf('keys');
  const queries = useQueryClient();
  const { mutateAsync } = useMutation({
    mutationFn: () => api.rotateKey({ id, body: { overlapSeconds } }),
    onSuccess: async (rotated) => {
      onRotated(rotated);
      await queries.invalidateQueries({ queryKey: ['keys'] });
    },
  });
  return (
    <ConfirmButton
      kind="quiet"
      question={{
        title: text('confirmRotate', { name }),
        effect: text('confirmRotateEffect'),
        verb: text('rotate'),
      }}
      run={() => mutateAsync()}
    />
  );
}
