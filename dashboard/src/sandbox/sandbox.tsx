// The sandbox as one page: the recipient's phone, a send, what the receiver gets, and faults to switch on.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Page } from '../design/page.tsx';
import { useMay } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import { Delays } from './delays.tsx';
import { Faults } from './faults.tsx';
import { Phone } from './phone.tsx';
import { ReceiverEvents } from './receiver-events.tsx';
import { sandbox } from './sandbox-api.ts';
import { SendForm } from './send-form.tsx';
import { StartOver } from './start-over.tsx';
import { Tour } from './tour.tsx';
import './sandbox.css';

/** A number of the demo's own, for the first send. */
export const firstPhone = '15550100001';
const pollMs = 1_000;

export function Sandbox() {
  const text = textsOf('sandbox');
  const mayManage = useMay('manage');
  const mayRead = useMay('templates:read');
  const maySend = useMay('messages:send') && mayRead;
  const [chosen, choose] = useState<string>();
  const { data: phones = [] } = useQuery({
    queryKey: ['messages', 'phones'],
    queryFn: () => sandbox.phones(),
    meta: { kinds: ['received'] },
    refetchInterval: pollMs,
  });
  const phone = chosen ?? phones[0]?.phone ?? firstPhone;
  // what a person types is for the phone that they see: it no longer follows the newest message
  const keep = () => choose(phone);
  return (
    <Page
      title={text('title')}
      text={text('about')}
      actions={mayManage && <StartOver onDone={() => choose(undefined)} />}
    >
      <Tour phone={phone} />
      <div className="sandbox">
        <Phone phone={phone} phones={phones} onChoose={choose} onFocus={keep} />
        <div className="column loose">
          {maySend && (
            // biome-ignore lint/a11y/noStaticElementInteractions: what has the focus is a field in it
            <div onFocus={keep}>
              <SendForm phone={phone} onPhone={choose} />
            </div>
          )}
          {mayManage && <ReceiverEvents />}
        </div>
        {mayManage && (
          <div className="column loose">
            <Faults />
            <Delays />
          </div>
        )}
      </div>
    </Page>
  );
}
