// The numbers of the account: state, quality, limit and rate; the checks of one of them; what resumes a halted one.

import IconDeviceMobile from '@tabler/icons-react/dist/esm/icons/IconDeviceMobile.mjs';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { sendersQuery } from '../api/senders.ts';
import { LinkButton } from '../design/link-button.tsx';
import { Loading } from '../design/loading.tsx';
import { EmptyState, ErrorNote } from '../design/messages.tsx';
import { Page } from '../design/page.tsx';
import { textsOf } from '../text/texts.ts';
import { Checks } from './checks.tsx';
import { HaltedNote } from './halted-note.tsx';
import { PaceNote } from './pace-note.tsx';
import { SenderFacts } from './sender-facts.tsx';
import { SenderTable } from './sender-table.tsx';
import './senders.css';

export function Senders() {
  const text = textsOf('senders');
  const navigate = useNavigate();
  const { sender: wanted } = useSearch({ strict: false }) as { sender?: unknown };
  const { data, error, refetch } = useQuery({
    ...sendersQuery,
    refetchInterval: 10_000,
  });
  const senders = data?.items ?? [];
  const chosen =
    senders.find(({ _id }) => _id === wanted) ??
    senders.find(({ status }) => status === 'halted') ??
    senders[0];
  const connect = (
    <LinkButton icon={<IconPlus size={15} aria-hidden />}>
      <Link to="/senders/connect">{text('connect')}</Link>
    </LinkButton>
  );
  return (
    <Page title={text('title')} text={data && text('count', { count: senders.length })} actions={connect}>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && senders.length === 0 && (
        <EmptyState
          isCard
          icon={<IconDeviceMobile size={20} aria-hidden />}
          title={text('none')}
          text={text('noneText')}
          actions={connect}
        />
      )}
      {chosen && (
        <>
          <SenderTable
            senders={senders}
            chosenId={chosen._id}
            onChoose={(sender) => void navigate({ to: '/senders', search: { sender } })}
          />
          {chosen.status === 'halted' && <HaltedNote key={chosen._id} sender={chosen} />}
          <PaceNote sender={chosen} />
          <div className="columns">
            <Checks key={chosen._id} sender={chosen} />
            <SenderFacts key={`${chosen._id} facts`} sender={chosen} isOnly={senders.length === 1} />
          </div>
        </>
      )}
    </Page>
  );
}
