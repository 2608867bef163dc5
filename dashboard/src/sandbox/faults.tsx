// Simulated faults as switches: of the platform, the receiver and the calendar.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Card } from '../design/card.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { textIfAny, textsOf } from '../text/texts.ts';
import { type SandboxFault, sandbox } from './sandbox-api.ts';

const pollMs = 2_000;
const groups = ['platform', 'receiver', 'calendar'] as const;
/** Faults after which something needs a person end after one call, so that a newcomer sees the way out. */
const once: Record<string, number> = { token_rejected: 1 };

const groupOf = ({ name }: SandboxFault) => groups.find((group) => name.startsWith(group)) ?? 'platform';

export function Faults() {
  const text = textsOf('sandbox');
  const queries = useQueryClient();
  const { data = [], error } = useQuery({
    queryKey: ['sandboxFaults'],
    queryFn: () => sandbox.faults(),
    refetchInterval: pollMs,
  });
  const set = useMutation({
    mutationFn: ({ name, isOn }: SandboxFault) =>
      sandbox.setFault(name, !isOn, isOn ? undefined : once[name]),
    onSettled: () => queries.invalidateQueries({ queryKey: ['sandboxFaults'] }),
  });
  return (
    <Card title={text('break')}>
      <div className="column loose">
        {(set.error ?? error) && <ErrorNote error={set.error ?? error} />}
        {groups.map((group) => (
          <fieldset key={group} className="faults" aria-label={text(group)}>
            <legend className="note">{text(group)}</legend>
            {data
              .filter((fault) => groupOf(fault) === group)
              .map((fault) => (
                <label key={fault.name} className="row fault">
                  <input
                    type="checkbox"
                    role="switch"
                    className="switch"
                    checked={fault.isOn}
                    aria-checked={fault.isOn}
                    onChange={() => set.mutate(fault)}
                  />
                  <span className="grow">{textIfAny('sandbox', `fault_${fault.name}`) ?? fault.name}</span>
                  {fault.timesLeft !== null && fault.isOn && (
                    <span className="small note number">{text('times', { count: fault.timesLeft })}</span>
                  )}
                </label>
              ))}
          </fieldset>
        ))}
        <p className="small note">{text('breakNote')}</p>
      </div>
    </Card>
  );
}
