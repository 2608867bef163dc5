// How long the simulated platform takes, as sliders. Each moves from one usual duration to the next.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Card } from '../design/card.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { formatDuration } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { type SandboxDelays, sandbox } from './sandbox-api.ts';

export const delaysKey = ['sandboxDelays'];
const names = ['sentMs', 'deliveredMs', 'readMs', 'approvalMs'] as const;
/** The positions of a slider, in milliseconds. */
const stops = [
  0, 50, 150, 400, 1_000, 2_000, 3_000, 5_000, 10_000, 20_000, 30_000, 60_000, 300_000, 900_000, 3_600_000,
];
const positionOf = (ms: number) => stops.findLastIndex((stop) => stop <= ms);

export function Delays() {
  const text = textsOf('sandbox');
  const queries = useQueryClient();
  const { data, error } = useQuery({ queryKey: delaysKey, queryFn: () => sandbox.delays() });
  const change = useMutation({
    mutationFn: (delay: Partial<SandboxDelays>) => sandbox.changeDelays(delay),
    // one after the other, so that the last position of a slider wins
    scope: { id: 'sandboxDelays' },
    onMutate: (delay) =>
      queries.setQueryData<SandboxDelays>(delaysKey, (old) => (old ? { ...old, ...delay } : old)),
    onError: () => queries.invalidateQueries({ queryKey: delaysKey }),
  });
  const failure = change.error ?? error;
  return (
    <Card title={text('delays')}>
      <div className="column loose">
        {failure && <ErrorNote error={failure} />}
        {data &&
          names.map((name) => (
            <label key={name} className="delay">
              <span>{text(`delay_${name}`)}</span>
              <span className="number muted">{formatDuration(data[name])}</span>
              <input
                type="range"
                aria-label={text(`delay_${name}`)}
                min={0}
                max={stops.length - 1}
                aria-valuetext={formatDuration(data[name])}
                value={positionOf(data[name])}
                onChange={({ target }) => change.mutate({ [name]: stops[Number(target.value)] ?? 0 })}
              />
            </label>
          ))}
        <p className="small note">{text('delaysNote')}</p>
      </div>
    </Card>
  );
}
