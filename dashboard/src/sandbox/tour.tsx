// The steps that show the whole product, ticked off by what has happened.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../api/client.ts';
import { shapes } from '../design/icons.tsx';
import { useMay } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import { sandbox } from './sandbox-api.ts';

const steps = ['send', 'read', 'answer', 'reply', 'book', 'break'] as const;
type Step = (typeof steps)[number];

export function Tour({ phone }: { phone: string }) {
  const text = textsOf('sandbox');
  const { data: messages = [] } = useQuery({
    queryKey: ['messages', 'phone', phone],
    queryFn: () => sandbox.messages(phone),
  });
  const { data: faults = [] } = useQuery({
    queryKey: ['sandboxFaults'],
    queryFn: () => sandbox.faults(),
    retry: false,
  });
  const { data: events = [] } = useQuery({
    queryKey: ['deliveries', 'receiver'],
    queryFn: () => sandbox.events(),
    retry: false,
  });
  const { data: contact } = useQuery({
    queryKey: ['contacts', 'ofPhone', phone],
    queryFn: async () => (await api.listContacts({ phone })).items[0] ?? null,
    meta: { kinds: ['received'] },
  });
  const done: Record<Step, boolean> = {
    send: messages.some(({ direction }) => direction === 'arrived'),
    read: messages.some(({ isRead }) => isRead),
    answer: messages.some(({ direction }) => direction === 'wrote'),
    reply: messages.some(({ reply }) => reply !== null),
    book: events.some(({ body }) => body.includes('"appointments.booked"')),
    break: faults.some(({ isOn }) => isOn),
  };
  const current = steps.find((step) => !done[step]);
  return (
    <div className="column">
      <ol className="tour" aria-label={text('tour')}>
        {steps.map((step, index) => (
          <li key={step} {...(step === current ? { 'aria-current': 'step' as const } : {})}>
            <span className={`state ${done[step] ? 'ok' : 'wait'}`}>
              {done[step] ? shapes.tickDisc : <span className="number">{index + 1}</span>}
            </span>
            <StepName step={step} contactId={contact?._id} />
          </li>
        ))}
      </ol>
      <p className="muted" role="status">
        {text(current ? `hint_${current}` : 'hint_done')}
      </p>
    </div>
  );
}

/** The name of a step, as a link where it is another page. */
function StepName({ step, contactId }: { step: Step; contactId: string | undefined }) {
  const text = textsOf('sandbox');
  const mayBook = useMay('appointments:book');
  const name = text(`tour_${step}`);
  if (step === 'reply' && contactId)
    return (
      <Link to="/conversations/$id" params={{ id: contactId }}>
        {name}
      </Link>
    );
  return step === 'book' && mayBook ? <Link to="/appointments/new">{name}</Link> : name;
}
